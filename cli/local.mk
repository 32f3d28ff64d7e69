libhipwright_a_SOURCES += \
    cli/attributes.c cli/attributes.h \
    cli/banks.c cli/banks.h \
    cli/baseline.c cli/baseline.h \
    cli/changes.c cli/changes.h \
    cli/command_banks.c \
    cli/command_check.c \
    cli/command_explain.c \
    cli/command_hook.c \
    cli/command_lookup.c \
    cli/command_occupancy.c \
    cli/command_review.c \
    cli/command_translate.c \
    cli/commands.def cli/commands.h \
    cli/compile_commands.c cli/compile_commands.h \
    cli/config.c cli/config.h \
    cli/coverage.c cli/coverage.h \
    cli/data.c cli/data.h \
    cli/gpu.c cli/gpu.h \
    cli/git.c cli/git.h \
    cli/history.c cli/history.h \
    cli/inputs.c cli/inputs.h \
    cli/job.c cli/job.h \
    cli/listing.c cli/listing.h \
    cli/nearest.c cli/nearest.h \
    cli/options.c cli/options.def cli/options.h cli/options_p.h \
    cli/options_help.c \
    cli/options_take.c \
    cli/output.c cli/output.h \
    cli/pass.c cli/pass.h \
    cli/page.c cli/page.h \
    cli/pairs.c cli/pairs.h \
    cli/path.c cli/path.h \
    cli/pool.c cli/pool.h \
    cli/process.c cli/process.h \
    cli/progress.c cli/progress.h \
    cli/read.c cli/read.h \
    cli/record.c cli/record.h \
    cli/renames.c cli/renames.h \
    cli/results.c cli/results.h \
    cli/snapshot.c cli/snapshot.h \
    cli/suffixes.def \
    cli/tree.c cli/tree.h cli/tree_p.h \
    cli/tree_files.c \
    cli/users.c cli/users.h \
    cli/walk.c cli/walk.h \
    cli/wanted.c cli/wanted.h \
    cli/write.c cli/write.h

bin_PROGRAMS += hipwright
hipwright_SOURCES = cli/main.c
hipwright_LDADD = $(HIPWRIGHT_LIBS)
