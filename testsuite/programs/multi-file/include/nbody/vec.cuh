#pragma once
// Vector helpers for host and device.

#if defined(__CUDACC__)
#define NBODY_HD __host__ __device__ __forceinline__
#else
#define NBODY_HD inline
#endif

#include <vector_types.h>
#include <math.h>

NBODY_HD float4 toward(float4 from, float4 to, float softening)
{
    float4 d;
    d.x = to.x - from.x;
    d.y = to.y - from.y;
    d.z = to.z - from.z;
    const float r2 = d.x * d.x + d.y * d.y + d.z * d.z + softening;
    const float scale = to.w / (r2 * sqrtf(r2)); // w is the mass
    d.x *= scale;
    d.y *= scale;
    d.z *= scale;
    d.w = 0.0f;
    return d;
}
