// Runs the kernels of the lane tests for every thread of a block, one after the other, with
// threadIdx and its like as variables, and compares what they show with what the interpreter says.
//
// usage: machine X Y Z FILE, where FILE is the output of hwlane for that block
//
// CASES names the file with the kernels, LIST the one with a line CASE (NAME) for each.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    dim3(uint3 a) : x(a.x), y(a.y), z(a.z) {}
};
struct int2 {
    int x, y;
};
struct int3 {
    int x, y, z;
};
struct uint2 {
    unsigned x, y;
};
struct float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
static inline int2 make_int2(int x, int y)
{
    return int2{x, y};
}
static inline int3 make_int3(int x, int y, int z)
{
    return int3{x, y, z};
}
static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return uint2{x, y};
}

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;

static inline int min(int a, int b)
{
    return a < b ? a : b;
}
static inline unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
static inline int max(int a, int b)
{
    return a < b ? b : a;
}
static inline unsigned max(unsigned a, unsigned b)
{
    return a < b ? b : a;
}
static inline int __mul24(int a, int b)
{
    return ((int)((unsigned)a << 8) >> 8) * ((int)((unsigned)b << 8) >> 8);
}
static inline int __popc(unsigned a)
{
    return __builtin_popcount(a);
}
static inline int __clz(int a)
{
    return a ? __builtin_clz((unsigned)a) : 32;
}
static inline int __ffs(int a)
{
    return __builtin_ffs(a);
}
static inline unsigned __brev(unsigned a)
{
    unsigned res = 0;
    for (int i = 0; i < 32; ++i)
        res |= (a >> i & 1) << (31 - i);
    return res;
}
static inline void __syncthreads() {}
static inline void __syncwarp(unsigned = 0xffffffffu) {}

#define __global__ static
#define __device__ static
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define __constant__ static
#define __shared__ static

// What was shown at a line: for each thread, in its order.
using record = std::vector<std::vector<long long>>;
static std::vector<record> records;
static unsigned here, threads;

static void note(unsigned line, long long value)
{
    if (records.size() <= line)
        records.resize(line + 1);
    record &r = records[line];
    if (r.empty())
        r.resize(threads);
    r[here].push_back(value);
}
#define show(...) note(__LINE__, (long long)(__VA_ARGS__))
#define touch(array, ...) note(__LINE__, (const char *)&(__VA_ARGS__) - (const char *)(array))

#include CASES

static char memory[1 << 16];
static int parameter_set, parameter;

template <class T> struct value_of {
    static T get()
    {
        // Three values of each parameter; some are powers of two.
        static const int values[3][6] = {
            {100, 64, 7, 256, 33, 1000}, {37, 128, 12, 48, 5, 640}, {256, 3, 1, 17, 96, 999}};
        return (T)values[parameter_set][parameter++ % 6];
    }
};
template <class T> struct value_of<T *> {
    static T *get()
    {
        return (T *)memory;
    }
};

// In braces the arguments are made from left to right.
template <class... A> struct runner {
    runner(void (*kernel)(A...), A... arguments)
    {
        kernel(arguments...);
    }
};

template <class... A> static void run_block(void (*kernel)(A...))
{
    for (here = 0; here < threads; ++here) {
        threadIdx.x = here % blockDim.x;
        threadIdx.y = here / blockDim.x % blockDim.y;
        threadIdx.z = here / blockDim.x / blockDim.y;
        parameter = 0;
        runner<A...> r{kernel, value_of<A>::get()...};
        (void)r;
    }
}

// What the interpreter says of a line.
struct claim {
    std::string state, reach;
    long long step = 0;
    bool uniform = false;
    std::vector<long long> values;
    bool seen = false; // some thread got there

    long long at(unsigned i) const
    {
        return uniform ? values[0] : values[i];
    }
};

static std::map<unsigned, claim> claims;

static bool read_claims(const char *name)
{
    FILE *in = fopen(name, "r");
    static char line[1 << 16];
    while (in && fgets(line, sizeof line, in)) {
        char *at = line;
        unsigned number = (unsigned)strtoul(at, &at, 10);
        claim c;
        c.state = strtok(at, " \n");
        c.step = atoll(strtok(NULL, " \n"));
        c.reach = strtok(NULL, " \n");
        while (const char *word = strtok(NULL, " \n")) {
            c.uniform = word[0] == '=';
            c.values.push_back(atoll(word + c.uniform));
        }
        if (c.state != "unknown" && c.values.size() != (c.uniform ? 1 : threads)) {
            printf("# line %u: %zu values\n", number, c.values.size());
            return false;
        }
        claims[number] = c;
    }
    return in && !claims.empty();
}

static bool check_values(unsigned line, const claim &c, const record &r)
{
    if (c.state == "unknown")
        return true;
    std::vector<long long> shift;
    std::vector<bool> has;
    for (unsigned t = 0; t < threads; ++t)
        for (size_t k = 0; k < r[t].size(); ++k) {
            long long d = (long long)((unsigned long long)r[t][k] - (unsigned long long)c.at(t));
            if (c.state == "known") {
                if (d == 0)
                    continue;
                printf("# line %u, set %d, thread %u: %lld, not %lld\n", line, parameter_set, t,
                       r[t][k], c.at(t));
                return false;
            }
            if (shift.size() <= k) {
                shift.resize(k + 1);
                has.resize(k + 1);
            }
            if (!has[k])
                shift[k] = d;
            has[k] = true;
            // What has 32 bits may have gone round.
            if ((int32_t)(d - shift[k])) {
                printf("# line %u, set %d, thread %u: %lld is %lld more than %lld, others %lld\n",
                       line, parameter_set, t, r[t][k], d, c.at(t), shift[k]);
                return false;
            }
            if (c.step && d % c.step && (int32_t)d % c.step) {
                printf("# line %u, set %d, thread %u: %lld is %lld more, no multiple of %lld\n",
                       line, parameter_set, t, r[t][k], d, c.step);
                return false;
            }
        }
    return true;
}

static bool check_reach(unsigned line, const claim &c, const record &r)
{
    const unsigned wave = 32;
    if (c.reach == "unknown")
        return true;
    for (unsigned t = 0; t < threads; ++t) {
        bool uniform = c.reach == "uniform", in = uniform || c.reach[t] == '1';
        size_t with = uniform ? t / wave * wave : c.reach.find('1', t / wave * wave);
        if (in ? r[t].size() != r[with].size() : !r[t].empty()) {
            printf("# line %u, set %d, thread %u: reached %zu times, thread %zu %zu times (%s)\n",
                   line, parameter_set, t, r[t].size(), with,
                   with < threads ? r[with].size() : (size_t)0, c.reach.c_str());
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    blockDim = dim3((unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    threads = blockDim.x * blockDim.y * blockDim.z;
    if (!read_claims(argv[4]))
        return 2;
    unsigned wrong = 0, unknown = 0, reached = 0;
    for (parameter_set = 0; parameter_set < 3; ++parameter_set) {
        static const unsigned blocks[3][3] = {{0, 0, 0}, {5, 2, 1}, {11, 7, 0}};
        blockIdx.x = blocks[parameter_set][0];
        blockIdx.y = blocks[parameter_set][1];
        blockIdx.z = blocks[parameter_set][2];
        gridDim = dim3(12 + 5 * (unsigned)parameter_set, 8, 2);
        records.clear();
#define CASE(name) run_block(name);
#include LIST
        for (unsigned line = 0; line < records.size(); ++line) {
            if (records[line].empty())
                continue;
            auto c = claims.find(line);
            if (c == claims.end()) {
                printf("# line %u: nothing is said\n", line);
                ++wrong;
                continue;
            }
            c->second.seen = true;
            wrong += !check_values(line, c->second, records[line]);
            wrong += !check_reach(line, c->second, records[line]);
        }
    }
    unsigned lines = 0;
    for (const auto &c : claims) {
        lines += c.second.seen;
        unknown += c.second.seen && c.second.state == "unknown";
        reached += c.second.seen && c.second.reach != "unknown";
    }
    printf("lines %u wrong %u unknown %u reached %u\n", lines, wrong, unknown, reached);
    return wrong != 0;
}
