libhipwright_a_SOURCES += \
    maps/library.c maps/library.h \
    maps/list.c maps/list.h \
    maps/map.c maps/map.h maps/map_p.h \
    maps/map_changes.c \
    maps/map_line.c

mapsdir = $(pkgdatadir)/maps
dist_maps_DATA = \
    maps/blas.map \
    maps/blaslt.map \
    maps/cg.map \
    maps/complex.map \
    maps/cub.map \
    maps/cudacxx.map \
    maps/cufile.map \
    maps/cupti.map \
    maps/device.map \
    maps/dnn.map \
    maps/driver.map \
    maps/fft.map \
    maps/headers.map \
    maps/jitlink.map \
    maps/nccl.map \
    maps/nvml.map \
    maps/nvtx.map \
    maps/rand.map \
    maps/rtc.map \
    maps/runtime.map \
    maps/solver.map \
    maps/sparse.map \
    maps/sparselt.map \
    maps/tensor.map \
    maps/thrust.map \
    maps/wmma.map \
    maps/gpus.list \
    maps/libraries.list

EXTRA_DIST += maps/README maps/lint.sh maps/lint.awk
