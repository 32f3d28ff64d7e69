libhipwright_a_SOURCES += \
    maps/map.c maps/map.h

mapsdir = $(pkgdatadir)/maps
dist_maps_DATA = \
    maps/complex.map \
    maps/device.map \
    maps/driver.map \
    maps/headers.map \
    maps/rtc.map \
    maps/runtime.map

EXTRA_DIST += maps/README maps/lint.sh maps/lint.awk
