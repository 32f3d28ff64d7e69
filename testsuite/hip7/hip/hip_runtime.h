/* Test only: the warp functions of HIP 7 for the HIP 5.2 headers of Debian 12, which have the
   same functions without a mask.  The mask must be an integer of 64 bits, as in HIP 7, so that
   a 32-bit mask which a translation left behind does not compile.  HIP 7 also traps when the
   mask is not the active lanes; that cannot be seen by compiling and is not done here.  */
#ifndef HIPWRIGHT_HIP7_RUNTIME_H
#define HIPWRIGHT_HIP7_RUNTIME_H

#include <hip/hip_runtime_api.h>
#include_next <hip/hip_runtime.h>

#if HIP_VERSION_MAJOR < 7 && defined(__HIPCC__)
#include <type_traits>

#define HIPWRIGHT_CHECK_MASK(Mask)                                                           \
    static_assert(std::is_integral<Mask>::value && sizeof(Mask) == 8,                        \
                  "HIP 7: the lane mask must be an integer of 64 bits")

#define HIPWRIGHT_SHUFFLE(name, lane_type)                                                   \
    template <typename Mask, typename T>                                                     \
    __device__ inline T name##_sync(Mask, T value, lane_type lane, int width = warpSize)     \
    {                                                                                        \
        HIPWRIGHT_CHECK_MASK(Mask);                                                          \
        return name(value, lane, width);                                                     \
    }
HIPWRIGHT_SHUFFLE(__shfl, int)
HIPWRIGHT_SHUFFLE(__shfl_up, unsigned int)
HIPWRIGHT_SHUFFLE(__shfl_down, unsigned int)
HIPWRIGHT_SHUFFLE(__shfl_xor, int)
#undef HIPWRIGHT_SHUFFLE

#define HIPWRIGHT_VOTE(name, result)                                                         \
    template <typename Mask>                                                                 \
    __device__ inline result name##_sync(Mask, int predicate)                                \
    {                                                                                        \
        HIPWRIGHT_CHECK_MASK(Mask);                                                          \
        return name(predicate);                                                              \
    }
HIPWRIGHT_VOTE(__all, int)
HIPWRIGHT_VOTE(__any, int)
HIPWRIGHT_VOTE(__ballot, unsigned long long)
#undef HIPWRIGHT_VOTE

__device__ inline unsigned long long __activemask()
{
    return __ballot(1);
}

template <typename Mask, typename T>
__device__ inline unsigned long long __match_any_sync(Mask mask, T value)
{
    HIPWRIGHT_CHECK_MASK(Mask);
    unsigned long long same = 0;
    for (int lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1)
            same |= static_cast<unsigned long long>(__shfl(value, lane) == value) << lane;
    return same;
}

template <typename Mask, typename T>
__device__ inline unsigned long long __match_all_sync(Mask mask, T value, int *all)
{
    HIPWRIGHT_CHECK_MASK(Mask);
    *all = __match_any_sync(mask, value) == static_cast<unsigned long long>(mask);
    return *all ? mask : 0;
}

__device__ inline void __syncwarp()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

template <typename Mask> __device__ inline void __syncwarp(Mask)
{
    HIPWRIGHT_CHECK_MASK(Mask);
    __syncwarp();
}

#undef HIPWRIGHT_CHECK_MASK
#endif
#endif
