# Installed for --shims, and to be copied into the trees that use it.
shimsdir = $(pkgdatadir)/shims
dist_shims_DATA = \
    shims/hipwright_shims.h \
    shims/shims.list
