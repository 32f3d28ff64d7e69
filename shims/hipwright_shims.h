/* hipwright_shims.h: device functions of CUDA that HIP, or an older HIP, does not have.

   Copyright (c) 2026 The hipwright authors
   SPDX-License-Identifier: MIT

   `hipwright translate --shims` writes `hipwright_NAME` where a CUDA source calls NAME and the HIP
   version in use has no such function (`__dp4a` becomes `hipwright_dp4a`: leading underscores are
   dropped), and includes this file.  It needs nothing but HIP and C++11; copy it into your tree,
   change it, ship it.  The names never collide with a HIP that has the function, so a later HIP
   needs no change here: replace the calls when you like.

   WAVES AND MASKS.  A wavefront has 64 lanes on gfx9 (MI200, MI300) and 32 on gfx10 and later.
   Lane masks are unsigned long long for both.  A mask names the lanes that take part; of these only
   the lanes that are active at the call count, as CUDA leaves out those that have exited, so that
   ~0ull is a right mask in a block whose last wave is partly filled.  Lanes that call together may
   hold different masks (each half of a wave its own, say); each lane gets the result of its own.
   What HIP cannot do is wait for lanes that stand in another branch: lanes of a wave run
   together or not at all.  A mask that names lanes of another branch, which CUDA would bring
   together, silently leaves them out here.  All lanes of a mask must therefore reach the same
   call.

   The functions for one wave run through its active lanes in a loop without a branch that lanes
   could take differently; there is no order in which lanes could miss one another.  */

#ifndef HIPWRIGHT_SHIMS_H
#define HIPWRIGHT_SHIMS_H

#include <hip/hip_runtime.h>

#define HIPWRIGHT_DEVICE __device__ inline
#define HIPWRIGHT_BOTH __host__ __device__ inline

namespace hipwright
{
/* Keeps an argument out of template deduction, so that `atomicAdd_block(&unsigned_value, 1)`
   compiles as it does in CUDA.  */
template <class T> struct same {
    typedef T type;
};

/* The widest integer in which a T may be moved: the pieces of the memory functions.  */
template <unsigned long Alignment> struct piece_of {
    typedef unsigned long long __attribute__((may_alias)) type;
};
template <> struct piece_of<4> {
    typedef unsigned int __attribute__((may_alias)) type;
};
template <> struct piece_of<2> {
    typedef unsigned short __attribute__((may_alias)) type;
};
template <> struct piece_of<1> {
    typedef unsigned char __attribute__((may_alias)) type;
};
template <class T> struct piece {
    typedef typename piece_of<alignof(T)>::type type;
};
} // namespace hipwright

/* ---- The lanes of a wave ---------------------------------------------------------------- */

/* The lanes that run this call, in every HIP; HIP has the name since 6.2.  */
HIPWRIGHT_DEVICE unsigned long long hipwright_activemask()
{
    return __ballot(1);
}

/* The votes.  HIP before 6.2 has them without mask only, HIP 6.2 to 6.4 behind a macro; from then
   on HIP's own also trap where the mask is not exactly the active lanes.  */
HIPWRIGHT_DEVICE unsigned long long hipwright_ballot_sync(unsigned long long mask, int predicate)
{
    return __ballot(predicate != 0) & mask;
}

HIPWRIGHT_DEVICE int hipwright_any_sync(unsigned long long mask, int predicate)
{
    return (__ballot(predicate != 0) & mask) != 0;
}

/* True where no active lane of the mask says no.  `(ballot & mask) == mask` would be false in every
   partly filled wave.  */
HIPWRIGHT_DEVICE int hipwright_all_sync(unsigned long long mask, int predicate)
{
    return (__ballot(predicate == 0) & mask) == 0;
}

/* Orders the memory accesses of a wave's lanes before and after it.  Lanes of a wave run together,
   so there is nobody to wait for; but without it the compiler may move the accesses.  */
HIPWRIGHT_DEVICE void hipwright_syncwarp(unsigned long long mask = ~0ull)
{
    (void)mask;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

namespace hipwright
{
/* The value of any type that lane LANE holds, moved in words of 32 bits.  LANE may differ between
   lanes and must be active.  */
template <class T> HIPWRIGHT_DEVICE T from_lane(T value, int lane)
{
    int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = __shfl(words[i], lane, warpSize);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

/* The same for a LANE that is the same in all lanes: no trip through the LDS hardware.  */
template <class T> HIPWRIGHT_DEVICE T from_uniform_lane(T value, int lane)
{
    int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = __builtin_amdgcn_readlane(words[i], lane);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

HIPWRIGHT_DEVICE int lowest(unsigned long long lanes)
{
    return __builtin_ctzll(lanes);
}

/* All lanes of a wave that is full.  */
HIPWRIGHT_DEVICE unsigned long long whole_wave()
{
    return ~0ull >> (64 - warpSize);
}

/* Equality of the bits, which is what CUDA compares, also in floating-point values.  */
template <class T> HIPWRIGHT_DEVICE bool same_bits(T a, T b)
{
    unsigned int left[(sizeof(T) + 3) / 4] = {}, right[(sizeof(T) + 3) / 4] = {};
    unsigned int difference = 0;
    __builtin_memcpy(left, &a, sizeof(T));
    __builtin_memcpy(right, &b, sizeof(T));
    for (unsigned i = 0; i < sizeof left / sizeof *left; i++)
        difference |= left[i] ^ right[i];
    return difference == 0;
}
} // namespace hipwright

/* The shuffles, for values of any type that can be copied as bytes (HIP's own lack the half types
   in some versions).  A source lane that is not active has no value, as in CUDA.  WIDTH is a power
   of two; note that its default is the size of a wave, not 32.  */
template <class T>
HIPWRIGHT_DEVICE T hipwright_shfl_sync(unsigned long long mask, T value, int lane,
                                       int width = warpSize)
{
    (void)mask;
    int self = __lane_id();
    return hipwright::from_lane(value, (self & ~(width - 1)) | (lane & (width - 1)));
}

template <class T>
HIPWRIGHT_DEVICE T hipwright_shfl_up_sync(unsigned long long mask, T value, unsigned int delta,
                                          int width = warpSize)
{
    (void)mask;
    unsigned int self = __lane_id();
    bool inside = (self & (unsigned int)(width - 1)) >= delta;
    return hipwright::from_lane(value, (int)(inside ? self - delta : self));
}

template <class T>
HIPWRIGHT_DEVICE T hipwright_shfl_down_sync(unsigned long long mask, T value, unsigned int delta,
                                            int width = warpSize)
{
    (void)mask;
    unsigned int self = __lane_id();
    bool inside = delta < (unsigned int)width - (self & (unsigned int)(width - 1));
    return hipwright::from_lane(value, (int)(inside ? self + delta : self));
}

/* A lane of an earlier group of WIDTH lanes may be read, one of a later group not.  */
template <class T>
HIPWRIGHT_DEVICE T hipwright_shfl_xor_sync(unsigned long long mask, T value, int lane_mask,
                                           int width = warpSize)
{
    (void)mask;
    int self = __lane_id();
    int other = self ^ lane_mask;
    bool inside = other >= 0 && other <= (self | (width - 1));
    return hipwright::from_lane(value, inside ? other : self);
}

/* The active lanes of MASK that hold the same value.  One step per distinct value.  */
template <class T>
HIPWRIGHT_DEVICE unsigned long long hipwright_match_any_sync(unsigned long long mask, T value)
{
    unsigned long long rest = __ballot(1);
    unsigned long long peers = 0;
    while (rest != 0) {
        T sample = hipwright::from_uniform_lane(value, hipwright::lowest(rest));
        bool mine = hipwright::same_bits(value, sample);
        unsigned long long equal = __ballot(mine);
        peers = mine ? equal & mask : peers;
        rest &= ~equal;
    }
    return peers;
}

/* The active lanes of MASK if all of them hold the same value, else 0.  */
template <class T>
HIPWRIGHT_DEVICE unsigned long long hipwright_match_all_sync(unsigned long long mask, T value,
                                                             int *all)
{
    unsigned long long members = __ballot(1) & mask;
    int first = members != 0 ? hipwright::lowest(members) : __lane_id();
    bool mine = hipwright::same_bits(value, hipwright::from_lane(value, first));
    *all = (__ballot(!mine) & members) == 0;
    return *all ? members : 0;
}

namespace hipwright
{
/* Combines the values of the active lanes of MASK.  A whole wave that works together takes six
   (or five) steps, anything else one per active lane.  */
template <class Operation, class T> HIPWRIGHT_DEVICE T reduce(unsigned long long mask, T value)
{
    unsigned long long everybody = whole_wave();
    if (__ballot((mask & everybody) == everybody) == everybody) {
        for (int distance = 1; distance < warpSize; distance *= 2)
            value = Operation::apply(value, from_lane(value, (int)__lane_id() ^ distance));
        return value;
    }
    T result = Operation::identity(T());
    for (unsigned long long rest = __ballot(1); rest != 0; rest &= rest - 1) {
        int lane = lowest(rest);
        T one = from_uniform_lane(value, lane);
        result = mask >> lane & 1 ? Operation::apply(result, one) : result;
    }
    return result;
}

struct add {
    /* As unsigned, since a sum may wrap around.  */
    template <class T> static HIPWRIGHT_DEVICE T apply(T a, T b)
    {
        return (T)((unsigned int)a + (unsigned int)b);
    }
    template <class T> static HIPWRIGHT_DEVICE T identity(T)
    {
        return 0;
    }
};
struct minimum {
    template <class T> static HIPWRIGHT_DEVICE T apply(T a, T b)
    {
        return b < a ? b : a;
    }
    static HIPWRIGHT_DEVICE unsigned int identity(unsigned int)
    {
        return ~0u;
    }
    static HIPWRIGHT_DEVICE int identity(int)
    {
        return 0x7fffffff;
    }
};
struct maximum {
    template <class T> static HIPWRIGHT_DEVICE T apply(T a, T b)
    {
        return a < b ? b : a;
    }
    static HIPWRIGHT_DEVICE unsigned int identity(unsigned int)
    {
        return 0;
    }
    static HIPWRIGHT_DEVICE int identity(int)
    {
        return -0x7fffffff - 1;
    }
};
struct bit_and {
    static HIPWRIGHT_DEVICE unsigned int apply(unsigned int a, unsigned int b)
    {
        return a & b;
    }
    static HIPWRIGHT_DEVICE unsigned int identity(unsigned int)
    {
        return ~0u;
    }
};
struct bit_or {
    static HIPWRIGHT_DEVICE unsigned int apply(unsigned int a, unsigned int b)
    {
        return a | b;
    }
    static HIPWRIGHT_DEVICE unsigned int identity(unsigned int)
    {
        return 0;
    }
};
struct bit_xor {
    static HIPWRIGHT_DEVICE unsigned int apply(unsigned int a, unsigned int b)
    {
        return a ^ b;
    }
    static HIPWRIGHT_DEVICE unsigned int identity(unsigned int)
    {
        return 0;
    }
};
} // namespace hipwright

/* The reductions; HIP has them since 7.0.  */
#define HIPWRIGHT_REDUCE(name, operation, T)                                            \
    HIPWRIGHT_DEVICE T hipwright_reduce_##name##_sync(unsigned long long mask, T value) \
    {                                                                                   \
        return hipwright::reduce<hipwright::operation>(mask, value);                    \
    }
HIPWRIGHT_REDUCE(add, add, unsigned int)
HIPWRIGHT_REDUCE(add, add, int)
HIPWRIGHT_REDUCE(min, minimum, unsigned int)
HIPWRIGHT_REDUCE(min, minimum, int)
HIPWRIGHT_REDUCE(max, maximum, unsigned int)
HIPWRIGHT_REDUCE(max, maximum, int)
HIPWRIGHT_REDUCE(and, bit_and, unsigned int)
HIPWRIGHT_REDUCE(or, bit_or, unsigned int)
HIPWRIGHT_REDUCE(xor, bit_xor, unsigned int)
#undef HIPWRIGHT_REDUCE

/* ---- Time and debugging ----------------------------------------------------------------- */

/* Sleeps for about NANOSECONDS, at most a millisecond, as in CUDA.  The hardware counts steps of 64
   clocks; at 1 to 2.5 GHz the sleep is between 0.8 and 2 times what was asked for.  */
HIPWRIGHT_DEVICE void hipwright_nanosleep(unsigned int nanoseconds)
{
    unsigned int steps = (nanoseconds < 1000000 ? nanoseconds : 1000000) / 32;
    for (; steps >= 64; steps -= 64)
        __builtin_amdgcn_s_sleep(64);
    for (; steps > 0; steps--)
        __builtin_amdgcn_s_sleep(1);
}

/* Ends the kernel with an error.  */
HIPWRIGHT_DEVICE void hipwright_trap()
{
    __builtin_trap();
}

/* Stops in a debugger; without one it does nothing.  */
HIPWRIGHT_DEVICE void hipwright_brkpt()
{
    __builtin_debugtrap();
}

/* ---- Memory ----------------------------------------------------------------------------- */

/* Where a generic address points to.  Constant memory is global memory on AMD.  */
HIPWRIGHT_DEVICE unsigned int hipwright_isShared(const void *address)
{
    return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)address);
}

HIPWRIGHT_DEVICE unsigned int hipwright_isLocal(const void *address)
{
    return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)address);
}

HIPWRIGHT_DEVICE unsigned int hipwright_isGlobal(const void *address)
{
    return !hipwright_isShared(address) && !hipwright_isLocal(address);
}

/* Loads and stores with a cache hint, for values of any type; HIP's own take the half types only.
   A value larger than 8 bytes moves in pieces, as it may in CUDA.

     ldca, stwb        no hint
     ldcg, stcg        past the first-level cache: what another block wrote is seen
     ldcv, stwt        past every cache of the device: what the host or a peer wrote is seen
     ldcs, ldlu, stcs  used once: does not stay in the caches  */
#define HIPWRIGHT_LOAD(name, expression)                                     \
    template <class T> HIPWRIGHT_DEVICE T hipwright_##name(const T *address) \
    {                                                                        \
        typedef typename hipwright::piece<T>::type Piece;                    \
        Piece pieces[sizeof(T) / sizeof(Piece)];                             \
        for (unsigned i = 0; i < sizeof(T) / sizeof(Piece); i++) {           \
            Piece *from = (Piece *)address + i;                              \
            pieces[i] = expression;                                          \
        }                                                                    \
        T value;                                                             \
        __builtin_memcpy(&value, pieces, sizeof(T));                         \
        return value;                                                        \
    }
#define HIPWRIGHT_STORE(name, statement)                                                        \
    template <class T>                                                                          \
    HIPWRIGHT_DEVICE void hipwright_##name(T *address, typename hipwright::same<T>::type value) \
    {                                                                                           \
        typedef typename hipwright::piece<T>::type Piece;                                       \
        Piece pieces[sizeof(T) / sizeof(Piece)];                                                \
        __builtin_memcpy(pieces, &value, sizeof(T));                                            \
        for (unsigned i = 0; i < sizeof(T) / sizeof(Piece); i++) {                              \
            Piece *to = (Piece *)address + i;                                                   \
            statement;                                                                          \
        }                                                                                       \
    }
HIPWRIGHT_LOAD(ldca, *from)
HIPWRIGHT_LOAD(ldcg, __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
HIPWRIGHT_LOAD(ldcv, __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
HIPWRIGHT_LOAD(ldcs, __builtin_nontemporal_load(from))
HIPWRIGHT_LOAD(ldlu, __builtin_nontemporal_load(from))
HIPWRIGHT_STORE(stwb, *to = pieces[i])
HIPWRIGHT_STORE(stcg, __hip_atomic_store(to, pieces[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
HIPWRIGHT_STORE(stwt,
                __hip_atomic_store(to, pieces[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
HIPWRIGHT_STORE(stcs, __builtin_nontemporal_store(pieces[i], to))
#undef HIPWRIGHT_LOAD
#undef HIPWRIGHT_STORE

/* ---- Atomics ---------------------------------------------------------------------------- */

/* For the threads of one block only: no more than their caches need agree.  Each returns the old
   value.  */
#define HIPWRIGHT_ATOMIC(name, expression)                                                   \
    template <class T>                                                                       \
    HIPWRIGHT_DEVICE T hipwright_##name(T *address, typename hipwright::same<T>::type value) \
    {                                                                                        \
        return expression;                                                                   \
    }
#define HIPWRIGHT_BLOCK __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP
HIPWRIGHT_ATOMIC(atomicAdd_block, __hip_atomic_fetch_add(address, value, HIPWRIGHT_BLOCK))
HIPWRIGHT_ATOMIC(atomicExch_block, __hip_atomic_exchange(address, value, HIPWRIGHT_BLOCK))
HIPWRIGHT_ATOMIC(atomicMin_block, __hip_atomic_fetch_min(address, value, HIPWRIGHT_BLOCK))
HIPWRIGHT_ATOMIC(atomicMax_block, __hip_atomic_fetch_max(address, value, HIPWRIGHT_BLOCK))
HIPWRIGHT_ATOMIC(atomicAnd_block, __hip_atomic_fetch_and(address, value, HIPWRIGHT_BLOCK))
HIPWRIGHT_ATOMIC(atomicOr_block, __hip_atomic_fetch_or(address, value, HIPWRIGHT_BLOCK))
HIPWRIGHT_ATOMIC(atomicXor_block, __hip_atomic_fetch_xor(address, value, HIPWRIGHT_BLOCK))
#undef HIPWRIGHT_ATOMIC

HIPWRIGHT_DEVICE unsigned int hipwright_atomicSub_block(unsigned int *address, unsigned int value)
{
    return __hip_atomic_fetch_add(address, 0u - value, HIPWRIGHT_BLOCK);
}

/* Negated as unsigned, where the most negative value has its way round.  */
HIPWRIGHT_DEVICE int hipwright_atomicSub_block(int *address, int value)
{
    return __hip_atomic_fetch_add(address, (int)(0u - (unsigned int)value), HIPWRIGHT_BLOCK);
}
#undef HIPWRIGHT_BLOCK

template <class T>
HIPWRIGHT_DEVICE T hipwright_atomicCAS_block(T *address, typename hipwright::same<T>::type compare,
                                             typename hipwright::same<T>::type value)
{
    __hip_atomic_compare_exchange_strong(address, &compare, value, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    return compare;
}

/* The counters that wrap around, as loops, since the built-in functions for them changed their
   names between compilers.  Inc: 0 after LIMIT or more; Dec: LIMIT after 0 or more than LIMIT.  */
#define HIPWRIGHT_COUNTER(name, next, scope)                                                  \
    HIPWRIGHT_DEVICE unsigned int hipwright_##name(unsigned int *address, unsigned int limit) \
    {                                                                                         \
        unsigned int old = __hip_atomic_load(address, __ATOMIC_RELAXED, scope);               \
        while (!__hip_atomic_compare_exchange_strong(address, &old, next, __ATOMIC_RELAXED,   \
                                                     __ATOMIC_RELAXED, scope)) {              \
        }                                                                                     \
        return old;                                                                           \
    }
HIPWRIGHT_COUNTER(atomicInc_block, old >= limit ? 0 : old + 1, __HIP_MEMORY_SCOPE_WORKGROUP)
HIPWRIGHT_COUNTER(atomicInc_system, old >= limit ? 0 : old + 1, __HIP_MEMORY_SCOPE_SYSTEM)
HIPWRIGHT_COUNTER(atomicDec_block, old == 0 || old > limit ? limit : old - 1,
                  __HIP_MEMORY_SCOPE_WORKGROUP)
HIPWRIGHT_COUNTER(atomicDec_system, old == 0 || old > limit ? limit : old - 1,
                  __HIP_MEMORY_SCOPE_SYSTEM)
#undef HIPWRIGHT_COUNTER

/* atomicAdd for the types that HIP's own does not take (__half, __half2 and the bfloat16 types, in
   most versions): any type of 2 or 4 bytes with a +, by a loop.  Not done by --shims, which does
   not know the type; write it where the compiler finds no atomicAdd.  */
template <class T>
HIPWRIGHT_DEVICE T hipwright_atomicAdd(T *address, typename hipwright::same<T>::type value)
{
    typedef typename hipwright::piece_of<sizeof(T)>::type Word;
    Word *word = (Word *)address;
    Word old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
    T before;
    do {
        __builtin_memcpy(&before, &old, sizeof(T));
        T after = before + value;
        __builtin_memcpy(&next, &after, sizeof(T));
    } while (!__hip_atomic_compare_exchange_strong(word, &old, next, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    return before;
}

/* ---- Integers --------------------------------------------------------------------------- */

HIPWRIGHT_BOTH unsigned int hipwright_umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

HIPWRIGHT_BOTH unsigned int hipwright_umax(unsigned int a, unsigned int b)
{
    return a < b ? b : a;
}

HIPWRIGHT_BOTH long long hipwright_llmin(long long a, long long b)
{
    return a < b ? a : b;
}

HIPWRIGHT_BOTH long long hipwright_llmax(long long a, long long b)
{
    return a < b ? b : a;
}

HIPWRIGHT_BOTH unsigned long long hipwright_ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}

HIPWRIGHT_BOTH unsigned long long hipwright_ullmax(unsigned long long a, unsigned long long b)
{
    return a < b ? b : a;
}

HIPWRIGHT_BOTH double hipwright_fdivide(double a, double b)
{
    return a / b;
}

HIPWRIGHT_BOTH unsigned short hipwright_nv_bswap16(unsigned short value)
{
    return __builtin_bswap16(value);
}

HIPWRIGHT_BOTH unsigned int hipwright_nv_bswap32(unsigned int value)
{
    return __builtin_bswap32(value);
}

HIPWRIGHT_BOTH unsigned long long hipwright_nv_bswap64(unsigned long long value)
{
    return __builtin_bswap64(value);
}

/* HIGH and LOW as one number of 64 bits, shifted; the plain ones by SHIFT modulo 32, those with c
   by at most 32.  */
HIPWRIGHT_BOTH unsigned int hipwright_funnelshift_l(unsigned int low, unsigned int high,
                                                    unsigned int shift)
{
    return (unsigned int)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}

HIPWRIGHT_BOTH unsigned int hipwright_funnelshift_lc(unsigned int low, unsigned int high,
                                                     unsigned int shift)
{
    return shift >= 32 ? low : hipwright_funnelshift_l(low, high, shift);
}

HIPWRIGHT_BOTH unsigned int hipwright_funnelshift_r(unsigned int low, unsigned int high,
                                                    unsigned int shift)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (shift & 31));
}

HIPWRIGHT_BOTH unsigned int hipwright_funnelshift_rc(unsigned int low, unsigned int high,
                                                     unsigned int shift)
{
    return shift >= 32 ? high : hipwright_funnelshift_r(low, high, shift);
}

namespace hipwright
{
/* Part INDEX of WORD, which is cut into parts as wide as Part.  */
template <class Part> HIPWRIGHT_BOTH Part part(unsigned int word, unsigned int index)
{
    return (Part)(word >> (8 * sizeof(Part) * index));
}
} // namespace hipwright

/* C plus the products of four bytes; C plus those of two halfwords of A with the low or the high
   two bytes of B.  Sums wrap around.  */
HIPWRIGHT_DEVICE int hipwright_dp4a(int a, int b, int c)
{
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1030__)
    return __builtin_amdgcn_sdot4(a, b, c, false);
#elif defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || \
    defined(__gfx1103__) || defined(__gfx1200__) || defined(__gfx1201__)
    return __builtin_amdgcn_sudot4(true, a, true, b, c, false);
#else
    unsigned int sum = (unsigned int)c;
    for (unsigned i = 0; i < 4; i++)
        sum += (unsigned int)(hipwright::part<signed char>((unsigned int)a, i) *
                              hipwright::part<signed char>((unsigned int)b, i));
    return (int)sum;
#endif
}

HIPWRIGHT_DEVICE unsigned int hipwright_dp4a(unsigned int a, unsigned int b, unsigned int c)
{
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) ||  \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1030__) || \
    defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) ||                      \
    defined(__gfx1103__) || defined(__gfx1200__) || defined(__gfx1201__)
    return __builtin_amdgcn_udot4(a, b, c, false);
#else
    for (unsigned i = 0; i < 4; i++)
        c += (unsigned int)hipwright::part<unsigned char>(a, i) *
             hipwright::part<unsigned char>(b, i);
    return c;
#endif
}

#define HIPWRIGHT_DP2A(name, first)                                                                \
    HIPWRIGHT_DEVICE int hipwright_##name(int a, int b, int c)                                     \
    {                                                                                              \
        unsigned int sum = (unsigned int)c;                                                        \
        for (unsigned i = 0; i < 2; i++)                                                           \
            sum += (unsigned int)(hipwright::part<short>((unsigned int)a, i) *                     \
                                  hipwright::part<signed char>((unsigned int)b, first + i));       \
        return (int)sum;                                                                           \
    }                                                                                              \
    HIPWRIGHT_DEVICE unsigned int hipwright_##name(unsigned int a, unsigned int b, unsigned int c) \
    {                                                                                              \
        for (unsigned i = 0; i < 2; i++)                                                           \
            c += (unsigned int)hipwright::part<unsigned short>(a, i) *                             \
                 hipwright::part<unsigned char>(b, first + i);                                     \
        return c;                                                                                  \
    }
HIPWRIGHT_DP2A(dp2a_lo, 0)
HIPWRIGHT_DP2A(dp2a_hi, 2)
#undef HIPWRIGHT_DP2A

/* The same on vectors.  */
#define HIPWRIGHT_DOT(name, A, B, T)                   \
    HIPWRIGHT_DEVICE T hipwright_##name(A a, B b, T c) \
    {                                                  \
        T left, right;                                 \
        __builtin_memcpy(&left, &a, sizeof left);      \
        __builtin_memcpy(&right, &b, sizeof right);    \
        return hipwright_##name(left, right, c);       \
    }
HIPWRIGHT_DOT(dp4a, char4, char4, int)
HIPWRIGHT_DOT(dp4a, uchar4, uchar4, unsigned int)
HIPWRIGHT_DOT(dp2a_lo, short2, char4, int)
HIPWRIGHT_DOT(dp2a_lo, ushort2, uchar4, unsigned int)
HIPWRIGHT_DOT(dp2a_hi, short2, char4, int)
HIPWRIGHT_DOT(dp2a_hi, ushort2, uchar4, unsigned int)
#undef HIPWRIGHT_DOT

/* ---- Two or four integers in a word ----------------------------------------------------- */

/* Each macro makes NAME2 (halfwords) and NAME4 (bytes).  The expression sees the parts a and b as
   int, so that nothing wraps around in it; the result is cut to the width of the part, unless it is
   saturated first.  `low` and `high` are the bounds of the part's type.  The compiler unrolls the
   loop, and makes packed instructions where the target has them.  */
#define HIPWRIGHT_PARTS(name, Part, declaration, b_word, expression)       \
    HIPWRIGHT_BOTH unsigned int hipwright_##name declaration               \
    {                                                                      \
        const unsigned int bits = 8 * sizeof(Part);                        \
        const int all = (int)((1u << bits) - 1);                           \
        const int low = (Part)-1 < 0 ? -(1 << (bits - 1)) : 0;             \
        const int high = low + all;                                        \
        unsigned int result = 0;                                           \
        for (unsigned int i = 0; i < 32 / bits; i++) {                     \
            int a = hipwright::part<Part>(a_word, i);                      \
            int b = hipwright::part<Part>(b_word, i);                      \
            int r = expression;                                            \
            result |= ((unsigned int)r & (unsigned int)all) << (bits * i); \
        }                                                                  \
        (void)low, (void)high;                                             \
        return result;                                                     \
    }
#define HIPWRIGHT_BINARY(name, Part2, Part4, expression)                                \
    HIPWRIGHT_PARTS(name##2, Part2, (unsigned int a_word, unsigned int b_word), b_word, \
                    expression)                                                         \
    HIPWRIGHT_PARTS(name##4, Part4, (unsigned int a_word, unsigned int b_word), b_word, expression)
/* Their b is 0.  */
#define HIPWRIGHT_UNARY(name, Part2, Part4, expression)                   \
    HIPWRIGHT_PARTS(name##2, Part2, (unsigned int a_word), 0, expression) \
    HIPWRIGHT_PARTS(name##4, Part4, (unsigned int a_word), 0, expression)
#define HIPWRIGHT_SIGNED(name, expression) HIPWRIGHT_BINARY(name, short, signed char, expression)
#define HIPWRIGHT_UNSIGNED(name, expression) \
    HIPWRIGHT_BINARY(name, unsigned short, unsigned char, expression)
#define HIPWRIGHT_CLAMP(r) ((r) < low ? low : (r) > high ? high : (r))

HIPWRIGHT_UNARY(vabs, short, signed char, a < 0 ? b - a : a)
HIPWRIGHT_UNARY(vabsss, short, signed char, a < 0 ? HIPWRIGHT_CLAMP(b - a) : a)
HIPWRIGHT_UNARY(vneg, short, signed char, b - a)
HIPWRIGHT_UNARY(vnegss, short, signed char, HIPWRIGHT_CLAMP(b - a))
HIPWRIGHT_UNSIGNED(vadd, a + b)
HIPWRIGHT_SIGNED(vaddss, HIPWRIGHT_CLAMP(a + b))
HIPWRIGHT_UNSIGNED(vaddus, HIPWRIGHT_CLAMP(a + b))
HIPWRIGHT_UNSIGNED(vsub, a - b)
HIPWRIGHT_SIGNED(vsubss, HIPWRIGHT_CLAMP(a - b))
HIPWRIGHT_UNSIGNED(vsubus, HIPWRIGHT_CLAMP(a - b))
HIPWRIGHT_SIGNED(vabsdiffs, a < b ? b - a : a - b)
HIPWRIGHT_UNSIGNED(vabsdiffu, a < b ? b - a : a - b)
/* Halves are rounded away from zero, as CUDA does.  */
HIPWRIGHT_SIGNED(vavgs, (a + b + (a + b >= 0)) >> 1)
HIPWRIGHT_UNSIGNED(vavgu, (a + b + 1) >> 1)
HIPWRIGHT_UNSIGNED(vhaddu, (a + b) >> 1)
HIPWRIGHT_SIGNED(vmaxs, a < b ? b : a)
HIPWRIGHT_UNSIGNED(vmaxu, a < b ? b : a)
HIPWRIGHT_SIGNED(vmins, a < b ? a : b)
HIPWRIGHT_UNSIGNED(vminu, a < b ? a : b)

/* All bits of a part, or one, where the comparison holds.  */
#define HIPWRIGHT_COMPARE(kind, result)                \
    HIPWRIGHT_UNSIGNED(kind##eq, a == b ? result : 0)  \
    HIPWRIGHT_UNSIGNED(kind##ne, a != b ? result : 0)  \
    HIPWRIGHT_SIGNED(kind##ges, a >= b ? result : 0)   \
    HIPWRIGHT_UNSIGNED(kind##geu, a >= b ? result : 0) \
    HIPWRIGHT_SIGNED(kind##gts, a > b ? result : 0)    \
    HIPWRIGHT_UNSIGNED(kind##gtu, a > b ? result : 0)  \
    HIPWRIGHT_SIGNED(kind##les, a <= b ? result : 0)   \
    HIPWRIGHT_UNSIGNED(kind##leu, a <= b ? result : 0) \
    HIPWRIGHT_SIGNED(kind##lts, a < b ? result : 0)    \
    HIPWRIGHT_UNSIGNED(kind##ltu, a < b ? result : 0)
HIPWRIGHT_COMPARE(vcmp, all)
HIPWRIGHT_COMPARE(vset, 1)
#undef HIPWRIGHT_COMPARE
#undef HIPWRIGHT_CLAMP
#undef HIPWRIGHT_UNSIGNED
#undef HIPWRIGHT_SIGNED
#undef HIPWRIGHT_UNARY
#undef HIPWRIGHT_BINARY
#undef HIPWRIGHT_PARTS

/* The sum of the parts' absolute differences.  */
#define HIPWRIGHT_DIFFERENCES(name, Part)                                                         \
    HIPWRIGHT_BOTH unsigned int hipwright_##name(unsigned int a_word, unsigned int b_word)        \
    {                                                                                             \
        unsigned int sum = 0;                                                                     \
        for (unsigned int i = 0; i < 4 / sizeof(Part); i++) {                                     \
            int difference = hipwright::part<Part>(a_word, i) - hipwright::part<Part>(b_word, i); \
            sum += (unsigned int)(difference < 0 ? -difference : difference);                     \
        }                                                                                         \
        return sum;                                                                               \
    }
HIPWRIGHT_DIFFERENCES(vsads2, short)
HIPWRIGHT_DIFFERENCES(vsads4, signed char)
HIPWRIGHT_DIFFERENCES(vsadu2, unsigned short)
HIPWRIGHT_DIFFERENCES(vsadu4, unsigned char)
#undef HIPWRIGHT_DIFFERENCES

/* ---- Sums and extrema in one step (DPX) ------------------------------------------------- */

/* Each part of a result is the expression in the parts a, b and c; sums wrap around within a part.
   The functions with relu in their name are never below 0.  */
#define HIPWRIGHT_DPX(Result, name, Part, parameters, c_word, expression)   \
    HIPWRIGHT_BOTH Result hipwright_##name parameters                       \
    {                                                                       \
        const unsigned int bits = 8 * sizeof(Part);                         \
        unsigned int result = 0;                                            \
        for (unsigned int i = 0; i < 32 / bits; i++) {                      \
            Part a = hipwright::part<Part>((unsigned int)a_word, i);        \
            Part b = hipwright::part<Part>((unsigned int)b_word, i);        \
            Part c = hipwright::part<Part>((unsigned int)c_word, i);        \
            Part r = expression;                                            \
            result |= ((unsigned int)r & ~0u >> (32 - bits)) << (bits * i); \
        }                                                                   \
        return (Result)result;                                              \
    }
#define HIPWRIGHT_DPX_TWO(Result, name, Part, expression) \
    HIPWRIGHT_DPX(Result, name, Part, (Result a_word, Result b_word), 0, expression)
#define HIPWRIGHT_DPX_THREE(Result, name, Part, expression)                                  \
    HIPWRIGHT_DPX(Result, name, Part, (Result a_word, Result b_word, Result c_word), c_word, \
                  expression)
#define HIPWRIGHT_LESSER(a, b) ((b) < (a) ? (b) : (a))
#define HIPWRIGHT_GREATER(a, b) ((a) < (b) ? (b) : (a))
#define HIPWRIGHT_SUM(Part) ((Part)((unsigned int)a + (unsigned int)b))
#define HIPWRIGHT_DPX_ALL(Result, suffix, Part)                                                    \
    HIPWRIGHT_DPX_THREE(Result, viaddmax_##suffix, Part,                                           \
                        HIPWRIGHT_GREATER(HIPWRIGHT_SUM(Part), c))                                 \
    HIPWRIGHT_DPX_THREE(Result, viaddmin_##suffix, Part, HIPWRIGHT_LESSER(HIPWRIGHT_SUM(Part), c)) \
    HIPWRIGHT_DPX_THREE(Result, vimax3_##suffix, Part,                                             \
                        HIPWRIGHT_GREATER(HIPWRIGHT_GREATER(a, b), c))                             \
    HIPWRIGHT_DPX_THREE(Result, vimin3_##suffix, Part, HIPWRIGHT_LESSER(HIPWRIGHT_LESSER(a, b), c))
#define HIPWRIGHT_DPX_RELU(Result, suffix, Part)                                             \
    HIPWRIGHT_DPX_THREE(Result, viaddmax_##suffix##_relu, Part,                              \
                        HIPWRIGHT_GREATER(HIPWRIGHT_GREATER(HIPWRIGHT_SUM(Part), c), 0))     \
    HIPWRIGHT_DPX_THREE(Result, viaddmin_##suffix##_relu, Part,                              \
                        HIPWRIGHT_GREATER(HIPWRIGHT_LESSER(HIPWRIGHT_SUM(Part), c), 0))      \
    HIPWRIGHT_DPX_THREE(Result, vimax3_##suffix##_relu, Part,                                \
                        HIPWRIGHT_GREATER(HIPWRIGHT_GREATER(HIPWRIGHT_GREATER(a, b), c), 0)) \
    HIPWRIGHT_DPX_THREE(Result, vimin3_##suffix##_relu, Part,                                \
                        HIPWRIGHT_GREATER(HIPWRIGHT_LESSER(HIPWRIGHT_LESSER(a, b), c), 0))   \
    HIPWRIGHT_DPX_TWO(Result, vimax_##suffix##_relu, Part,                                   \
                      HIPWRIGHT_GREATER(HIPWRIGHT_GREATER(a, b), c))                         \
    HIPWRIGHT_DPX_TWO(Result, vimin_##suffix##_relu, Part,                                   \
                      HIPWRIGHT_GREATER(HIPWRIGHT_LESSER(a, b), c))
HIPWRIGHT_DPX_ALL(int, s32, int)
HIPWRIGHT_DPX_ALL(unsigned int, u32, unsigned int)
HIPWRIGHT_DPX_ALL(unsigned int, s16x2, short)
HIPWRIGHT_DPX_ALL(unsigned int, u16x2, unsigned short)
HIPWRIGHT_DPX_RELU(int, s32, int)
HIPWRIGHT_DPX_RELU(unsigned int, s16x2, short)
#undef HIPWRIGHT_DPX_RELU
#undef HIPWRIGHT_DPX_ALL
#undef HIPWRIGHT_SUM
#undef HIPWRIGHT_GREATER
#undef HIPWRIGHT_LESSER
#undef HIPWRIGHT_DPX_THREE
#undef HIPWRIGHT_DPX_TWO
#undef HIPWRIGHT_DPX

/* These also tell whether the result is the first argument.  */
#define HIPWRIGHT_WINNER(name, T, compare)                   \
    HIPWRIGHT_BOTH T hipwright_##name(T a, T b, bool *first) \
    {                                                        \
        *first = a compare b;                                \
        return *first ? a : b;                               \
    }
#define HIPWRIGHT_WINNERS(name, Part, compare, extremum)                                     \
    HIPWRIGHT_BOTH unsigned int hipwright_##name(unsigned int a, unsigned int b, bool *high, \
                                                 bool *low)                                  \
    {                                                                                        \
        *high = hipwright::part<Part>(a, 1) compare hipwright::part<Part>(b, 1);             \
        *low = hipwright::part<Part>(a, 0) compare hipwright::part<Part>(b, 0);              \
        return hipwright_##extremum(a, b);                                                   \
    }
HIPWRIGHT_WINNER(vibmax_s32, int, >=)
HIPWRIGHT_WINNER(vibmin_s32, int, <=)
HIPWRIGHT_WINNER(vibmax_u32, unsigned int, >=)
HIPWRIGHT_WINNER(vibmin_u32, unsigned int, <=)
HIPWRIGHT_WINNERS(vibmax_s16x2, short, >=, vmaxs2)
HIPWRIGHT_WINNERS(vibmin_s16x2, short, <=, vmins2)
HIPWRIGHT_WINNERS(vibmax_u16x2, unsigned short, >=, vmaxu2)
HIPWRIGHT_WINNERS(vibmin_u16x2, unsigned short, <=, vminu2)
#undef HIPWRIGHT_WINNERS
#undef HIPWRIGHT_WINNER

#undef HIPWRIGHT_BOTH
#undef HIPWRIGHT_DEVICE

#endif
