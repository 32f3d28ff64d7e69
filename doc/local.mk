EXTRA_DIST += doc/example/saxpy.cu
