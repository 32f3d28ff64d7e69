#ifdef __CUDACC__
# if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
int f() {
# else
int f(int) {
# endif
#elif CUDART_VERSION < 11000 /* old
 */ || defined __HIPCC__
#error cudaMalloc isn't here
#endif
}
