/* The meaning of every shim, compared with a direct statement of what CUDA says, for many random
   values, masks and sets of active lanes; in waves of 32 and of 64 lanes.  Prints one line "ok
   NAME" or "not ok NAME" per group; shims.sh numbers them.  */
#include <hip/hip_runtime.h>

/* Must not change what the header's own names mean.  */
#include "hipwright_shims.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace
{
std::mt19937_64 random_bits(20261130);
int errors;
std::string first_error;

unsigned long long any64()
{
    return random_bits();
}
unsigned int any32()
{
    return (unsigned int)random_bits();
}
int below(int limit)
{
    return (int)(random_bits() % (unsigned long long)limit);
}

void report(const std::string &name)
{
    printf("%s %s\n", errors == 0 ? "ok" : "not ok", name.c_str());
    if (errors != 0)
        printf("# %d errors; the first: %s\n", errors, first_error.c_str());
    errors = 0;
    first_error.clear();
}
} // namespace

void sim::require(bool condition, const std::string &what)
{
    if (!condition && errors++ == 0)
        first_error = what;
}

namespace
{
/* Written so that the many calls stay small: text is made of an error only.  */
template <class T>
__attribute__((noinline)) void compare_values(const char *what, const char *type, T got, T wanted)
{
    if (got != wanted)
        sim::require(false, std::string(what) + type + ": " + std::to_string(got) +
                                " where CUDA has " + std::to_string(wanted));
}

template <class T, class U> void compare(const char *what, const char *type, T got, U wanted)
{
    compare_values<typename std::common_type<T, U>::type>(what, type, got, wanted);
}

#define SAME(what, got, wanted) compare(what, "", got, wanted)
#define SAME_FOR(type, what, got, wanted) compare(what " of ", type, got, wanted)

/* ---- Waves ------------------------------------------------------------------------------ */

typedef unsigned long long lanes_t;

lanes_t all_lanes()
{
    return sim::wave_size == 64 ? ~0ull : 0xffffffffull;
}

bool has(lanes_t lanes, int lane)
{
    return (lanes >> lane & 1) != 0;
}

/* A wave at a call: who is active and which mask each lane passes.  The active lanes are dealt into
   groups; those of a group pass the same mask, which names them and perhaps lanes that are not
   there, also beyond the wave.  */
struct scene {
    lanes_t active;
    lanes_t mask[64];

    scene()
    {
        switch (below(6)) {
        case 0:
            active = all_lanes();
            break;
        case 1: /* the last wave of a block */
            active = all_lanes() >> below(sim::wave_size);
            break;
        case 2:
            active = 1ull << below(sim::wave_size);
            break;
        case 3: /* one side of a branch */
            active = 0x5555555555555555ull & all_lanes();
            break;
        case 4:
            active = any64() & any64() & all_lanes();
            break;
        default:
            active = any64() & all_lanes();
        }
        if (active == 0)
            active = 1ull << below(sim::wave_size);
        int groups = below(2) ? 1 : 1 + below(5);
        bool halves = below(4) == 0;
        lanes_t group[64] = {};
        int member_of[64];
        for (int i = 0; i < 64; i++) {
            member_of[i] = halves ? i / 32 : below(groups);
            group[member_of[i]] |= 1ull << i;
        }
        /* Whether the mask names the lanes that are absent.  */
        lanes_t named = below(3) == 0 ? active : below(2) ? ~0ull : all_lanes();
        for (int i = 0; i < 64; i++)
            mask[i] = group[member_of[i]] & named;
    }

    lanes_t members(int lane) const
    {
        return mask[lane] & active;
    }
};

const int rounds = 400;

template <class T> T random_value(bool few)
{
    T value;
    unsigned long long bits[4] = {any64(), any64(), any64(), any64()};
    if (few)
        memset(bits, below(3), sizeof bits);
    memcpy(&value, bits, sizeof value);
    return value;
}

template <class T> bool equal(T a, T b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

struct twelve_bytes {
    float x, y, z;
};

template <class T> void test_shuffles(const char *type)
{
    for (int round = 0; round < rounds; round++) {
        scene s;
        T value[64];
        int width = 1 << below(sim::wave_size == 64 ? 7 : 6);
        int source[64], xor_with = below(sim::wave_size);
        unsigned int delta = (unsigned int)below(sim::wave_size + 8);
        for (int i = 0; i < 64; i++) {
            value[i] = random_value<T>(false);
            source[i] = below(2 * width);
        }
        T plain[64] = {}, up[64] = {}, down[64] = {}, exchanged[64] = {}, whole[64] = {};
        sim::run(s.active, [&](int i) {
            plain[i] = hipwright_shfl_sync(s.mask[i], value[i], source[i], width);
            up[i] = hipwright_shfl_up_sync(s.mask[i], value[i], delta, width);
            down[i] = hipwright_shfl_down_sync(s.mask[i], value[i], delta, width);
            exchanged[i] = hipwright_shfl_xor_sync(s.mask[i], value[i], xor_with, width);
            whole[i] = hipwright_shfl_sync(s.mask[i], value[i], i);
        });
        for (int i = 0; i < sim::wave_size; i++) {
            if (!has(s.active, i))
                continue;
            int start = i / width * width, place = i % width;
            int from = start + source[i] % width;
            /* An absent source has no value.  */
            auto check = [&](const char *what, T got, int wanted) {
                if (has(s.active, wanted))
                    sim::require(equal(got, value[wanted]), std::string(what) + " of " + type);
            };
            check("shfl", plain[i], from);
            check("shfl_up", up[i], (int)delta <= place ? i - (int)delta : i);
            check("shfl_down", down[i], place + (int)delta < width ? i + (int)delta : i);
            check("shfl_xor", exchanged[i], (i ^ xor_with) < start + width ? i ^ xor_with : i);
            check("shfl of the own lane", whole[i], i);
        }
    }
}

template <class T> void test_matches(const char *type)
{
    for (int round = 0; round < rounds; round++) {
        scene s;
        T value[64];
        int likeness = below(3);
        T everywhere = random_value<T>(false);
        for (int i = 0; i < 64; i++)
            value[i] = likeness == 0 ? everywhere : random_value<T>(likeness == 1);
        if (below(2))
            value[below(sim::wave_size)] = random_value<T>(false);
        lanes_t any[64] = {}, all[64] = {};
        int agreed[64] = {};
        sim::run(s.active, [&](int i) {
            any[i] = hipwright_match_any_sync(s.mask[i], value[i]);
            all[i] = hipwright_match_all_sync(s.mask[i], value[i], &agreed[i]);
        });
        for (int i = 0; i < sim::wave_size; i++) {
            if (!has(s.active, i) || !has(s.mask[i], i))
                continue;
            lanes_t same = 0;
            for (int j = 0; j < sim::wave_size; j++)
                if (has(s.members(i), j) && equal(value[i], value[j]))
                    same |= 1ull << j;
            bool agree = same == s.members(i);
            SAME_FOR(type, "match_any", any[i], same);
            SAME_FOR(type, "match_all", all[i], agree ? s.members(i) : 0ull);
            SAME_FOR(type, "predicate of match_all", agreed[i] != 0, agree);
        }
    }
}

/* Equal values whose bits differ do not match; a NaN matches itself.  */
void test_match_bits()
{
    float value[64];
    lanes_t any[64];
    for (int i = 0; i < 64; i++)
        value[i] = i % 3 == 0 ? 0.0f : i % 3 == 1 ? -0.0f : std::numeric_limits<float>::quiet_NaN();
    sim::run(all_lanes(), [&](int i) { any[i] = hipwright_match_any_sync(~0ull, value[i]); });
    for (int i = 0; i < sim::wave_size; i++) {
        lanes_t same = 0;
        for (int j = i % 3; j < sim::wave_size; j += 3)
            same |= 1ull << j;
        SAME("match_any of zeros and NaN", any[i], same);
    }
}

void test_votes()
{
    for (int round = 0; round < rounds; round++) {
        scene s;
        int predicate[64], bias = below(4);
        for (int i = 0; i < 64; i++)
            predicate[i] = bias == 0 ? 0 : bias == 1 ? 1 << below(32) : below(2) * (int)any32();
        lanes_t ballot[64] = {}, active[64] = {};
        int any[64] = {}, all[64] = {};
        sim::run(s.active, [&](int i) {
            active[i] = hipwright_activemask();
            ballot[i] = hipwright_ballot_sync(s.mask[i], predicate[i]);
            any[i] = hipwright_any_sync(s.mask[i], predicate[i]);
            all[i] = hipwright_all_sync(s.mask[i], predicate[i]);
            hipwright_syncwarp();
            hipwright_syncwarp(s.mask[i]);
        });
        for (int i = 0; i < sim::wave_size; i++) {
            if (!has(s.active, i))
                continue;
            lanes_t yes = 0;
            for (int j = 0; j < sim::wave_size; j++)
                if (has(s.members(i), j) && predicate[j] != 0)
                    yes |= 1ull << j;
            SAME("activemask", active[i], s.active);
            SAME("ballot", ballot[i], yes);
            SAME("any", any[i] != 0, yes != 0);
            SAME("all", all[i] != 0, yes == s.members(i));
        }
    }
    sim::reset();
    sim::run(1, [](int) { hipwright_syncwarp(); });
    sim::require(sim::order == "release-wavefront barrier acquire-wavefront ",
                 "syncwarp is " + sim::order);
}

void test_reductions()
{
    for (int round = 0; round < rounds; round++) {
        scene s;
        unsigned int value[64], bias = (unsigned int)below(3);
        for (int i = 0; i < 64; i++)
            value[i] = bias == 0 ? any32() : bias == 1 ? any32() % 100 : any32() | 0xf0000000u;
        unsigned int add[64] = {}, low[64] = {}, high[64] = {}, both[64] = {}, either[64] = {},
                     odd[64] = {};
        int signed_add[64] = {}, signed_low[64] = {}, signed_high[64] = {};
        sim::run(s.active, [&](int i) {
            lanes_t m = s.mask[i];
            add[i] = hipwright_reduce_add_sync(m, value[i]);
            low[i] = hipwright_reduce_min_sync(m, value[i]);
            high[i] = hipwright_reduce_max_sync(m, value[i]);
            both[i] = hipwright_reduce_and_sync(m, value[i]);
            either[i] = hipwright_reduce_or_sync(m, value[i]);
            odd[i] = hipwright_reduce_xor_sync(m, value[i]);
            signed_add[i] = hipwright_reduce_add_sync(m, (int)value[i]);
            signed_low[i] = hipwright_reduce_min_sync(m, (int)value[i]);
            signed_high[i] = hipwright_reduce_max_sync(m, (int)value[i]);
        });
        for (int i = 0; i < sim::wave_size; i++) {
            if (!has(s.active, i) || !has(s.mask[i], i))
                continue;
            std::vector<unsigned int> of;
            for (int j = 0; j < sim::wave_size; j++)
                if (has(s.members(i), j))
                    of.push_back(value[j]);
            unsigned long long sum = 0;
            unsigned int ands = ~0u, ors = 0, xors = 0;
            std::vector<int> as_signed;
            for (unsigned int v : of) {
                sum += v;
                ands &= v;
                ors |= v;
                xors ^= v;
                as_signed.push_back((int)v);
            }
            SAME("reduce_add", add[i], (unsigned int)sum);
            SAME("reduce_min", low[i], *std::min_element(of.begin(), of.end()));
            SAME("reduce_max", high[i], *std::max_element(of.begin(), of.end()));
            SAME("reduce_and", both[i], ands);
            SAME("reduce_or", either[i], ors);
            SAME("reduce_xor", odd[i], xors);
            SAME("signed reduce_add", signed_add[i], (int)(unsigned int)sum);
            SAME("signed reduce_min", signed_low[i],
                 *std::min_element(as_signed.begin(), as_signed.end()));
            SAME("signed reduce_max", signed_high[i],
                 *std::max_element(as_signed.begin(), as_signed.end()));
        }
    }
}

/* ---- Time, memory, atomics -------------------------------------------------------------- */

void test_time()
{
    const unsigned int times[] = {0, 10, 31, 32, 100, 1000, 4096, 12345, 1000000, 1000001, ~0u};
    for (unsigned int t : times) {
        sim::reset();
        hipwright_nanosleep(t);
        double wanted = t < 1000000 ? t : 1000000;
        /* In nanoseconds at 1 and at 2.5 GHz.  */
        sim::require((double)sim::clocks <= 2 * wanted, "nanosleep sleeps too long");
        sim::require((double)sim::clocks / 2.5 >= 0.8 * wanted - 32, "nanosleep sleeps too short");
    }
    sim::reset();
    hipwright_trap();
    SAME("trap", sim::traps, 1);
    hipwright_brkpt();
    SAME("brkpt", sim::breakpoints, 1);
}

template <class T> void test_memory(const char *type)
{
    for (int round = 0; round < 20; round++) {
        std::vector<T> memory(3);
        T value = random_value<T>(false);
        memory[1] = value;
        auto check = [&](const char *what, T got, int scope, int hints) {
            sim::require(equal(got, value), std::string(what) + " of " + type);
            compare("scope of ", what, sim::last_scope, scope);
            sim::require((sim::nontemporal != 0) == (hints != 0), std::string("hint of ") + what);
            sim::reset();
        };
        sim::reset();
        check("ldca", hipwright_ldca(&memory[1]), 0, 0);
        check("ldcg", hipwright_ldcg(&memory[1]), __HIP_MEMORY_SCOPE_AGENT, 0);
        check("ldcv", hipwright_ldcv(&memory[1]), __HIP_MEMORY_SCOPE_SYSTEM, 0);
        check("ldcs", hipwright_ldcs(&memory[1]), 0, 1);
        check("ldlu", hipwright_ldlu(&memory[1]), 0, 1);
        auto stored = [&](const char *what, int scope, int hints) {
            check(what, memory[2], scope, hints);
            memory[2] = memory[0];
        };
        hipwright_stwb(&memory[2], value);
        stored("stwb", 0, 0);
        hipwright_stcg(&memory[2], value);
        stored("stcg", __HIP_MEMORY_SCOPE_AGENT, 0);
        hipwright_stwt(&memory[2], value);
        stored("stwt", __HIP_MEMORY_SCOPE_SYSTEM, 0);
        hipwright_stcs(&memory[2], value);
        stored("stcs", 0, 1);
    }
}

struct alignas(16) sixteen_bytes {
    float x, y, z, w;
};

void test_address_spaces()
{
    char global;
    SAME("isShared of shared", hipwright_isShared(sim::lds), 1u);
    SAME("isShared of local", hipwright_isShared(sim::scratch), 0u);
    SAME("isShared of global", hipwright_isShared(&global), 0u);
    SAME("isLocal of shared", hipwright_isLocal(sim::lds), 0u);
    SAME("isLocal of local", hipwright_isLocal(sim::scratch), 1u);
    SAME("isLocal of global", hipwright_isLocal(&global), 0u);
    SAME("isGlobal of shared", hipwright_isGlobal(sim::lds), 0u);
    SAME("isGlobal of local", hipwright_isGlobal(sim::scratch), 0u);
    SAME("isGlobal of global", hipwright_isGlobal(&global), 1u);
}

#define ATOMIC(T, name, wanted, in_scope)                   \
    do {                                                    \
        T memory = start, value = operand;                  \
        T old = hipwright_##name(&memory, value);           \
        SAME(#name, old, start);                            \
        SAME(#name " leaves", memory, (T)(wanted));         \
        SAME("scope of " #name, sim::last_scope, in_scope); \
    } while (0)

template <class T> void test_atomics()
{
    const int block = __HIP_MEMORY_SCOPE_WORKGROUP;
    for (int round = 0; round < rounds; round++) {
        T start = (T)any64(), operand = (T)any64();
        ATOMIC(T, atomicExch_block, operand, block);
        ATOMIC(T, atomicMin_block, std::min(start, operand), block);
        ATOMIC(T, atomicMax_block, std::max(start, operand), block);
        ATOMIC(T, atomicAnd_block, start & operand, block);
        ATOMIC(T, atomicOr_block, start | operand, block);
        ATOMIC(T, atomicXor_block, start ^ operand, block);
        T memory = start;
        T compared = below(2) ? start : operand;
        T old = hipwright_atomicCAS_block(&memory, compared, 42);
        SAME("atomicCAS_block", old, start);
        SAME("atomicCAS_block leaves", memory, compared == start ? (T)42 : start);
    }
}

void test_additions()
{
    const int block = __HIP_MEMORY_SCOPE_WORKGROUP;
    for (int round = 0; round < rounds; round++) {
        {
            unsigned int start = any32(), operand = any32();
            ATOMIC(unsigned int, atomicAdd_block, start + operand, block);
            ATOMIC(unsigned int, atomicSub_block, start - operand, block);
        }
        {
            int start = (int)any32(), operand = round ? (int)any32() : INT32_MIN;
            ATOMIC(int, atomicAdd_block, (int64_t)start + operand, block);
            ATOMIC(int, atomicSub_block, (int64_t)start - operand, block);
        }
        {
            double start = below(1000), operand = below(1000);
            ATOMIC(double, atomicAdd_block, start + operand, block);
        }
        {
            /* Two halves, each of which wraps around on its own.  */
            struct pair {
                uint16_t low, high;
                pair operator+(pair b) const
                {
                    return pair{(uint16_t)(low + b.low), (uint16_t)(high + b.high)};
                }
            };
            struct alignas(4) aligned {
                pair value;
            } memory = {{(uint16_t)any32(), (uint16_t)any32()}};
            pair operand = {(uint16_t)any32(), (uint16_t)any32()};
            sim::interference = below(3);
            pair old = hipwright_atomicAdd(&memory.value, operand);
            sim::interference = 0;
            SAME("atomicAdd of pairs", memory.value.low, (uint16_t)(old.low + operand.low));
            SAME("atomicAdd of pairs", memory.value.high, (uint16_t)(old.high + operand.high));
            uint16_t half = (uint16_t)any32(), added = (uint16_t)any32(), before = half;
            SAME("atomicAdd of 2 bytes", hipwright_atomicAdd(&half, added), before);
            SAME("atomicAdd of 2 bytes leaves", half, (uint16_t)(before + added));
        }
    }
}

/* With other threads that are faster now and then: what is left must follow from what was returned.
 */
void test_counters()
{
    typedef unsigned int counter(unsigned int *, unsigned int);
    struct {
        counter *function;
        bool up;
        int scope;
    } all[] = {
        {hipwright_atomicInc_block, true, __HIP_MEMORY_SCOPE_WORKGROUP},
        {hipwright_atomicDec_block, false, __HIP_MEMORY_SCOPE_WORKGROUP},
        {hipwright_atomicInc_system, true, __HIP_MEMORY_SCOPE_SYSTEM},
        {hipwright_atomicDec_system, false, __HIP_MEMORY_SCOPE_SYSTEM},
    };
    for (auto &one : all)
        for (int round = 0; round < rounds; round++) {
            unsigned int limit = below(2) ? (unsigned int)below(20) : any32();
            unsigned int start = below(2) ? (unsigned int)below(20) : any32();
            unsigned int memory = start;
            sim::interference = below(4);
            bool alone = sim::interference == 0;
            unsigned int old = one.function(&memory, limit);
            SAME("scope of a counter", sim::last_scope, one.scope);
            SAME("interference with a counter", sim::interference, 0);
            if (alone)
                SAME("a counter", old, start);
            unsigned int up = old >= limit ? 0 : old + 1;
            unsigned int down = old == 0 || old > limit ? limit : old - 1;
            SAME("a counter leaves", memory, one.up ? up : down);
        }
}

/* ---- Integers --------------------------------------------------------------------------- */

void test_integers()
{
    for (int round = 0; round < 20000; round++) {
        unsigned int a = any32(), b = below(8) ? any32() : a;
        unsigned long long A = any64(), B = any64();
        SAME("umin", hipwright_umin(a, b), std::min(a, b));
        SAME("umax", hipwright_umax(a, b), std::max(a, b));
        SAME("llmin", hipwright_llmin((long long)A, (long long)B),
             std::min((long long)A, (long long)B));
        SAME("llmax", hipwright_llmax((long long)A, (long long)B),
             std::max((long long)A, (long long)B));
        SAME("ullmin", hipwright_ullmin(A, B), std::min(A, B));
        SAME("ullmax", hipwright_ullmax(A, B), std::max(A, B));
        SAME("fdivide", hipwright_fdivide((double)a, 1.0 + b), (double)a / (1.0 + b));

        unsigned char bytes[8];
        memcpy(bytes, &A, 8);
        std::reverse(bytes, bytes + 8);
        unsigned long long reversed;
        memcpy(&reversed, bytes, 8);
        SAME("nv_bswap64", hipwright_nv_bswap64(A), reversed);
        SAME("nv_bswap32", hipwright_nv_bswap32((unsigned int)A), (unsigned int)(reversed >> 32));
        SAME("nv_bswap16", hipwright_nv_bswap16((unsigned short)A),
             (unsigned short)(reversed >> 48));

        unsigned int shift = below(2) ? any32() : (unsigned int)below(40);
        unsigned long long both = (unsigned long long)b << 32 | a;
        unsigned int wrapped = shift % 32, clamped = std::min(shift, 32u);
        auto left = [&](unsigned int n) {
            return (unsigned int)((unsigned __int128)both << n >> 32);
        };
        auto right = [&](unsigned int n) { return (unsigned int)((unsigned __int128)both >> n); };
        SAME("funnelshift_l", hipwright_funnelshift_l(a, b, shift), left(wrapped));
        SAME("funnelshift_lc", hipwright_funnelshift_lc(a, b, shift), left(clamped));
        SAME("funnelshift_r", hipwright_funnelshift_r(a, b, shift), right(wrapped));
        SAME("funnelshift_rc", hipwright_funnelshift_rc(a, b, shift), right(clamped));
    }
}

template <class To, class From> To same_bytes(From from)
{
    static_assert(sizeof(To) == sizeof(From), "as wide");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

template <class A, class B> uint64_t dot(unsigned int a, unsigned int b, uint64_t c, int first_b)
{
    A left[4 / sizeof(A)];
    B right[4];
    memcpy(left, &a, 4);
    memcpy(right, &b, 4);
    for (size_t i = 0; i < 4 / sizeof(A); i++)
        c += (uint64_t)((int64_t)left[i] * right[first_b + (int)i]);
    return c;
}

void test_dots()
{
    for (int round = 0; round < 5000; round++) {
        unsigned int a = below(16) ? any32() : 0x80808080u, b = below(16) ? any32() : 0x80808080u;
        unsigned int c = any32();
        int sa = (int)a, sb = (int)b, sc = (int)c;
        int s4 = (int)dot<int8_t, int8_t>(a, b, c, 0);
        int lo = (int)dot<int16_t, int8_t>(a, b, c, 0), hi = (int)dot<int16_t, int8_t>(a, b, c, 2);
        unsigned int u4 = (unsigned int)dot<uint8_t, uint8_t>(a, b, c, 0);
        unsigned int ulo = (unsigned int)dot<uint16_t, uint8_t>(a, b, c, 0);
        unsigned int uhi = (unsigned int)dot<uint16_t, uint8_t>(a, b, c, 2);
        SAME("dp4a", hipwright_dp4a(sa, sb, sc), s4);
        SAME("unsigned dp4a", hipwright_dp4a(a, b, c), u4);
        SAME("char4 dp4a", hipwright_dp4a(same_bytes<char4>(a), same_bytes<char4>(b), sc), s4);
        SAME("uchar4 dp4a", hipwright_dp4a(same_bytes<uchar4>(a), same_bytes<uchar4>(b), c), u4);
        SAME("dp2a_lo", hipwright_dp2a_lo(sa, sb, sc), lo);
        SAME("dp2a_hi", hipwright_dp2a_hi(sa, sb, sc), hi);
        SAME("unsigned dp2a_lo", hipwright_dp2a_lo(a, b, c), ulo);
        SAME("unsigned dp2a_hi", hipwright_dp2a_hi(a, b, c), uhi);
        SAME("short2 dp2a_lo", hipwright_dp2a_lo(same_bytes<short2>(a), same_bytes<char4>(b), sc),
             lo);
        SAME("short2 dp2a_hi", hipwright_dp2a_hi(same_bytes<short2>(a), same_bytes<char4>(b), sc),
             hi);
        SAME("ushort2 dp2a_lo", hipwright_dp2a_lo(same_bytes<ushort2>(a), same_bytes<uchar4>(b), c),
             ulo);
        SAME("ushort2 dp2a_hi", hipwright_dp2a_hi(same_bytes<ushort2>(a), same_bytes<uchar4>(b), c),
             uhi);
    }
}

/* A value with an even chance of being at a bound in each part.  */
unsigned int word_at_bounds()
{
    static const unsigned int bounds[] = {0,           0x80808080u, 0x7f7f7f7fu, 0xffffffffu,
                                          0x80008000u, 0x7fff7fffu, 0x00010001u, 0x01010101u,
                                          0x81818181u, 0x80018001u};
    unsigned int choice = any32();
    unsigned int mixed = any32();
    if (below(2)) {
        unsigned int bound = bounds[below(10)];
        mixed = (mixed & choice) | (bound & ~choice);
        if (below(2))
            mixed = bound;
    }
    return mixed;
}

/* Applies EXPECTED, which has the values of two parts and gives a value that is then cut to the
   part's width, to each pair of parts.  */
template <class Part, class Expected>
unsigned int by_parts(unsigned int a, unsigned int b, Expected expected)
{
    const int count = 4 / sizeof(Part);
    Part left[count], right[count];
    memcpy(left, &a, 4);
    memcpy(right, &b, 4);
    for (int i = 0; i < count; i++)
        left[i] = (Part)(int64_t)expected((int64_t)left[i], (int64_t)right[i]);
    memcpy(&a, left, 4);
    return a;
}

template <class Part> int64_t saturated(int64_t value)
{
    return std::max<int64_t>(std::numeric_limits<Part>::min(),
                             std::min<int64_t>(std::numeric_limits<Part>::max(), value));
}

#define TWO(name, Part2, Part4, expression2, expression4)               \
    do {                                                                \
        typedef Part2 P2;                                               \
        typedef Part4 P4;                                               \
        SAME(#name "2", hipwright_##name##2(wa, wb),                    \
             by_parts<P2>(wa, wb, [](int64_t a, int64_t b) -> int64_t { \
                 (void)b;                                               \
                 return expression2;                                    \
             }));                                                       \
        SAME(#name "4", hipwright_##name##4(wa, wb),                    \
             by_parts<P4>(wa, wb, [](int64_t a, int64_t b) -> int64_t { \
                 (void)b;                                               \
                 return expression4;                                    \
             }));                                                       \
    } while (0)
#define ONE(name, expression2, expression4)                                                        \
    do {                                                                                           \
        SAME(#name "2", hipwright_##name##2(wa),                                                   \
             by_parts<int16_t>(wa, 0, [](int64_t a, int64_t) -> int64_t { return expression2; })); \
        SAME(#name "4", hipwright_##name##4(wa),                                                   \
             by_parts<int8_t>(wa, 0, [](int64_t a, int64_t) -> int64_t { return expression4; }));  \
    } while (0)
#define SIGNED(name, expression) TWO(name, int16_t, int8_t, expression, expression)
#define UNSIGNED(name, expression) TWO(name, uint16_t, uint8_t, expression, expression)
#define COMPARE(name, Part2, Part4, operator)                                    \
    TWO(vcmp##name, Part2, Part4, a operator b ? -1 : 0, a operator b ? -1 : 0); \
    TWO(vset##name, Part2, Part4, a operator b, a operator b)

template <class Part> unsigned int distances(unsigned int a, unsigned int b)
{
    unsigned int sum = 0;
    Part left[4 / sizeof(Part)], right[4 / sizeof(Part)];
    memcpy(left, &a, 4);
    memcpy(right, &b, 4);
    for (size_t i = 0; i < 4 / sizeof(Part); i++)
        sum += (unsigned int)std::abs((int)left[i] - (int)right[i]);
    return sum;
}

void test_words()
{
    for (int round = 0; round < 50000; round++) {
        unsigned int wa = word_at_bounds(), wb = word_at_bounds();
        ONE(vabs, std::abs(a), std::abs(a));
        ONE(vabsss, saturated<int16_t>(std::abs(a)), saturated<int8_t>(std::abs(a)));
        ONE(vneg, -a, -a);
        ONE(vnegss, saturated<int16_t>(-a), saturated<int8_t>(-a));
        UNSIGNED(vadd, a + b);
        UNSIGNED(vsub, a - b);
        TWO(vaddss, int16_t, int8_t, saturated<int16_t>(a + b), saturated<int8_t>(a + b));
        TWO(vaddus, uint16_t, uint8_t, saturated<uint16_t>(a + b), saturated<uint8_t>(a + b));
        TWO(vsubss, int16_t, int8_t, saturated<int16_t>(a - b), saturated<int8_t>(a - b));
        TWO(vsubus, uint16_t, uint8_t, saturated<uint16_t>(a - b), saturated<uint8_t>(a - b));
        SIGNED(vabsdiffs, std::abs(a - b));
        UNSIGNED(vabsdiffu, std::abs(a - b));
        /* lround goes away from zero.  */
        SIGNED(vavgs, std::lround((double)(a + b) / 2));
        UNSIGNED(vavgu, std::lround((double)(a + b) / 2));
        UNSIGNED(vhaddu, (int64_t)std::floor((double)(a + b) / 2));
        SIGNED(vmaxs, std::max(a, b));
        UNSIGNED(vmaxu, std::max(a, b));
        SIGNED(vmins, std::min(a, b));
        UNSIGNED(vminu, std::min(a, b));
        COMPARE(eq, uint16_t, uint8_t, ==);
        COMPARE(ne, uint16_t, uint8_t, !=);
        COMPARE(ges, int16_t, int8_t, >=);
        COMPARE(geu, uint16_t, uint8_t, >=);
        COMPARE(gts, int16_t, int8_t, >);
        COMPARE(gtu, uint16_t, uint8_t, >);
        COMPARE(les, int16_t, int8_t, <=);
        COMPARE(leu, uint16_t, uint8_t, <=);
        COMPARE(lts, int16_t, int8_t, <);
        COMPARE(ltu, uint16_t, uint8_t, <);
        SAME("vsads2", hipwright_vsads2(wa, wb), distances<int16_t>(wa, wb));
        SAME("vsads4", hipwright_vsads4(wa, wb), distances<int8_t>(wa, wb));
        SAME("vsadu2", hipwright_vsadu2(wa, wb), distances<uint16_t>(wa, wb));
        SAME("vsadu4", hipwright_vsadu4(wa, wb), distances<uint8_t>(wa, wb));
    }
}

/* The functions with three arguments: EXPECTED gets the parts and the wrapped sum of a and b.  */
template <class Part, class Word, class Expected>
Word by_three(Word a, Word b, Word c, Expected expected)
{
    const int count = 4 / sizeof(Part);
    Part x[count], y[count], z[count];
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    memcpy(z, &c, 4);
    for (int i = 0; i < count; i++)
        x[i] = expected(x[i], y[i], z[i], (Part)((int64_t)x[i] + (int64_t)y[i]));
    memcpy(&a, x, 4);
    return a;
}

#define THREE(Word, name, Part, expression)                                                    \
    do {                                                                                       \
        typedef Part P;                                                                        \
        const P zero = 0;                                                                      \
        (void)zero;                                                                            \
        SAME(#name, hipwright_##name((Word)wa, (Word)wb, (Word)wc),                            \
             (by_three<P, Word>((Word)wa, (Word)wb, (Word)wc, [=](P a, P b, P c, P sum) -> P { \
                 (void)a, (void)b, (void)sum;                                                  \
                 return expression;                                                            \
             })));                                                                             \
    } while (0)
#define PAIR(Word, name, Part, expression)                                           \
    do {                                                                             \
        typedef Part P;                                                              \
        SAME(#name, hipwright_##name((Word)wa, (Word)wb),                            \
             (by_three<P, Word>((Word)wa, (Word)wb, 0,                               \
                                [](P a, P b, P c, P) -> P { return expression; }))); \
    } while (0)
#define DPX(Word, suffix, Part)                              \
    THREE(Word, viaddmax_##suffix, Part, std::max(sum, c));  \
    THREE(Word, viaddmin_##suffix, Part, std::min(sum, c));  \
    THREE(Word, vimax3_##suffix, Part, std::max({a, b, c})); \
    THREE(Word, vimin3_##suffix, Part, std::min({a, b, c}))
#define RELU(Word, suffix, Part)                                                    \
    THREE(Word, viaddmax_##suffix##_relu, Part, std::max({sum, c, zero}));          \
    THREE(Word, viaddmin_##suffix##_relu, Part, std::max(std::min(sum, c), zero));  \
    THREE(Word, vimax3_##suffix##_relu, Part, std::max({a, b, c, zero}));           \
    THREE(Word, vimin3_##suffix##_relu, Part, std::max(std::min({a, b, c}), zero)); \
    PAIR(Word, vimax_##suffix##_relu, Part, std::max({a, b, c}));                   \
    PAIR(Word, vimin_##suffix##_relu, Part, std::max(std::min(a, b), c))

void test_dpx()
{
    for (int round = 0; round < 20000; round++) {
        unsigned int wa = word_at_bounds(), wb = word_at_bounds(), wc = word_at_bounds();
        DPX(int, s32, int32_t);
        DPX(unsigned int, u32, uint32_t);
        DPX(unsigned int, s16x2, int16_t);
        DPX(unsigned int, u16x2, uint16_t);
        RELU(int, s32, int32_t);
        RELU(unsigned int, s16x2, int16_t);

        int sa = (int)wa, sb = (int)wb;
        bool first, high, low;
        SAME("vibmax_s32", hipwright_vibmax_s32(sa, sb, &first), std::max(sa, sb));
        SAME("predicate of vibmax_s32", first, sa >= sb);
        SAME("vibmin_s32", hipwright_vibmin_s32(sa, sb, &first), std::min(sa, sb));
        SAME("predicate of vibmin_s32", first, sa <= sb);
        SAME("vibmax_u32", hipwright_vibmax_u32(wa, wb, &first), std::max(wa, wb));
        SAME("predicate of vibmax_u32", first, wa >= wb);
        SAME("vibmin_u32", hipwright_vibmin_u32(wa, wb, &first), std::min(wa, wb));
        SAME("predicate of vibmin_u32", first, wa <= wb);
#define WINNERS(name, Part, extremum, wins)                                            \
    SAME(#name, hipwright_##name(wa, wb, &high, &low),                                 \
         by_parts<Part>(wa, wb, [](int64_t a, int64_t b) { return extremum(a, b); })); \
    SAME("high predicate of " #name, high, (Part)(wa >> 16) wins(Part)(wb >> 16));     \
    SAME("low predicate of " #name, low, (Part)wa wins(Part) wb)
        WINNERS(vibmax_s16x2, int16_t, std::max, >=);
        WINNERS(vibmin_s16x2, int16_t, std::min, <=);
        WINNERS(vibmax_u16x2, uint16_t, std::max, >=);
        WINNERS(vibmin_u16x2, uint16_t, std::min, <=);
    }
}
} // namespace

int main()
{
    for (int size : {64, 32}) {
        sim::wave_size = size;
        std::string wave = " in a wave of " + std::to_string(size);
        test_votes();
        report("votes and syncwarp" + wave);
        test_shuffles<int>("int");
        test_shuffles<double>("double");
        test_shuffles<unsigned char>("unsigned char");
        test_shuffles<short>("short");
        test_shuffles<twelve_bytes>("a struct of 12 bytes");
        report("shuffles" + wave);
        test_matches<unsigned int>("unsigned int");
        test_matches<int>("int");
        test_matches<long long>("long long");
        test_matches<float>("float");
        test_matches<double>("double");
        test_match_bits();
        report("matches" + wave);
        test_reductions();
        report("reductions" + wave);
    }
    test_time();
    report("time and debugging");
    test_memory<unsigned char>("unsigned char");
    test_memory<short>("short");
    test_memory<int>("int");
    test_memory<double>("double");
    test_memory<twelve_bytes>("a struct of 12 bytes");
    test_memory<sixteen_bytes>("a struct of 16 bytes");
    report("loads and stores with hints");
    test_address_spaces();
    report("address spaces");
    test_atomics<int>();
    test_atomics<unsigned int>();
    test_atomics<long long>();
    test_atomics<unsigned long long>();
    report("atomics of a block");
    test_additions();
    report("atomic additions");
    test_counters();
    report("atomic counters");
    test_integers();
    report("integers");
    test_dots();
    report("dot products");
    test_words();
    report("integers in a word");
    test_dpx();
    report("sums and extrema in one step");
    return 0;
}
