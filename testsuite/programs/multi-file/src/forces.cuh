#pragma once
// Kernels as templates in a header; included by the one file that launches them.
#include <cuda_runtime.h>
#include "../include/nbody/vec.cuh"

namespace nbody
{
constexpr float softening = 1e-3f;

template <int Block>
__global__ void forcesKernel(const float4 *bodies, float4 *forces, int count)
{
    __shared__ float4 tile[Block];
    const int i = blockIdx.x * Block + threadIdx.x;
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float4 own = i < count ? bodies[i] : zero;
    float4 sum = zero;

    for (int first = 0; first < count; first += Block) {
        const int j = first + threadIdx.x;
        tile[threadIdx.x] = j < count ? bodies[j] : zero; // no mass, no force
        __syncthreads();
        for (int k = 0; k < Block; ++k) {
            const float4 f = toward(own, tile[k], softening);
            sum.x += f.x;
            sum.y += f.y;
            sum.z += f.z;
        }
        __syncthreads();
    }
    if (i < count)
        forces[i] = sum;
}
} // namespace nbody
