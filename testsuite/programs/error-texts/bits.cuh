#ifndef BITS_CUH
#define BITS_CUH

#include <cstdint>
#include <cuda_runtime.h>

// The number of the lowest bit set, -1 for none.
__device__ inline int lowest(int64_t set)
{
    return __ffsll(set) - 1;
}

// A linear index in a grid of three dimensions.
__device__ inline unsigned linear(uint3 at, uint3 size)
{
    return (at.z * size.y + at.y) * size.x + at.x;
}

#endif
