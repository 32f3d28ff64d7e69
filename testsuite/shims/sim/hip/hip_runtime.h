/* Test only: what hipwright_shims.h uses of HIP, played on the host by simulator.h.  Found before
   the real header of this name.  */
#ifndef HIPWRIGHT_SIMULATED_HIP_RUNTIME_H
#define HIPWRIGHT_SIMULATED_HIP_RUNTIME_H

#include "simulator.h"

#define __host__
#define __device__
#define warpSize (sim::wave_size)

struct char4 {
    signed char x, y, z, w;
};
struct uchar4 {
    unsigned char x, y, z, w;
};
struct short2 {
    short x, y;
};
struct ushort2 {
    unsigned short x, y;
};

inline unsigned int __lane_id()
{
    return (unsigned int)sim::current;
}

inline unsigned long long __ballot(int predicate)
{
    return (unsigned long long)sim::together(sim::BALLOT, predicate, 0);
}

inline int __shfl(int value, int lane, int width)
{
    sim::require(width == sim::wave_size, "__shfl over the whole wave");
    return (int)sim::together(sim::SHUFFLE, value, lane);
}

#define __builtin_amdgcn_readlane(value, lane) ((int)sim::together(sim::READLANE, value, lane))
#define __builtin_amdgcn_fence(order, scope) sim::fence(order, scope)
#define __builtin_amdgcn_wave_barrier() ((void)sim::together(sim::BARRIER, 0, 0))
#define __builtin_amdgcn_s_sleep(steps) sim::sleep(steps)
#define __builtin_debugtrap() ((void)sim::breakpoints++)
#define __builtin_trap() ((void)sim::traps++)
#define __builtin_amdgcn_is_shared(address) sim::is_shared(address)
#define __builtin_amdgcn_is_private(address) sim::is_private(address)
#define __builtin_nontemporal_load(address) sim::nontemporal_load(address)
#define __builtin_nontemporal_store(value, address) sim::nontemporal_store(value, address)
#define address_space(number)

/* The numbers are those of clang.  */
#undef __HIP_MEMORY_SCOPE_WORKGROUP
#undef __HIP_MEMORY_SCOPE_AGENT
#undef __HIP_MEMORY_SCOPE_SYSTEM
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __hip_atomic_load sim::atomic_load
#define __hip_atomic_store sim::atomic_store
#define __hip_atomic_exchange sim::atomic_exchange
#define __hip_atomic_fetch_add sim::atomic_add
#define __hip_atomic_fetch_min sim::atomic_min
#define __hip_atomic_fetch_max sim::atomic_max
#define __hip_atomic_fetch_and sim::atomic_and
#define __hip_atomic_fetch_or sim::atomic_or
#define __hip_atomic_fetch_xor sim::atomic_xor
#define __hip_atomic_compare_exchange_strong sim::atomic_compare_exchange

#endif
