libhipwright_a_SOURCES += \
    transform/call.c \
    transform/case.c \
    transform/condition.c \
    transform/dialect.c transform/dialect.h \
    transform/dim3.c \
    transform/edit.c transform/edit.h \
    transform/field.c \
    transform/follow.c transform/follow.h \
    transform/include.c \
    transform/launch.c \
    transform/names.c \
    transform/overload.c \
    transform/pointer.c transform/pointer_p.h \
    transform/pointer_names.c \
    transform/qualified.c \
    transform/rename.c \
    transform/side.c \
    transform/transform_p.h \
    transform/translate.c transform/translate.h \
    transform/vector.c
