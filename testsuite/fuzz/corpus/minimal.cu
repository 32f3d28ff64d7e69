#include <cuda_runtime.h>
__global__ void k(float *p) { p[threadIdx.x] = 0; }
int main()
{
    float *p;
    cudaMalloc(&p, 64);
    k<<<1, 16>>>(p);
    cudaFree(p);
}
