// Compiled to a module on its own and loaded by host.cpp at run time; C names, so that they can
// be looked up.
#include <cuda_runtime.h>

extern "C" __constant__ float scale = 1.0f;

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scale * a * x[i] + y[i];
}

extern "C" __global__ void reverse(float *data, int n)
{
    extern __shared__ float window[];
    const int t = threadIdx.x;
    if (t < n)
        window[t] = data[t];
    __syncthreads();
    if (t < n)
        data[t] = window[n - 1 - t];
}
