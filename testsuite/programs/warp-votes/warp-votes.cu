// Atomics saved by votes: the lanes of a warp that hit the same bin elect one of them, which
// adds for all.  Written for warps of any size up to 64 lanes.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace lanes
{
using mask_t = unsigned long long; // CUDA's functions use the lower half
constexpr mask_t all = ~mask_t(0);

__device__ inline int id()
{
    return threadIdx.x % warpSize;
}
__device__ inline int count(mask_t mask)
{
    return __popcll(mask);
}
__device__ inline int first(mask_t mask)
{
    return __ffsll(mask) - 1;
}
} // namespace lanes

__global__ void countKeys(const int *keys, int n, unsigned *bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int key = i < n ? keys[i] : -1;
    if (!__any_sync(lanes::all, i < n))
        return;

    int same = 0;
    __match_all_sync(lanes::all, key, &same);
    if (same) {
        const lanes::mask_t voters = __ballot_sync(lanes::all, 0 <= key);
        if (lanes::id() == 0 && 0 <= key)
            atomicAdd(&bins[key], lanes::count(voters));
        return;
    }

    const lanes::mask_t peers = __match_any_sync(lanes::all, key);
    if (0 <= key && lanes::id() == lanes::first(peers))
        atomicAdd(&bins[key], lanes::count(peers));
}

// Each warp writes its positive numbers one after the other, in lane order.
__global__ void compact(const int *in, int n, int *out, int *used)
{
    __shared__ int starts[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int warp = threadIdx.x / warpSize;
    const bool keep = i < n && 0 < in[i];
    const lanes::mask_t kept = __ballot_sync(lanes::all, keep);
    if (lanes::id() == 0)
        starts[warp] = atomicAdd(used, lanes::count(kept));
    __syncwarp();
    if (keep) {
        const auto below = (lanes::mask_t(1) << lanes::id()) - 1;
        out[starts[warp] + lanes::count(kept & below)] = in[i];
    }
}

static void guard(cudaError_t e)
{
    if (e != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(e));
}

int main() try {
    const int n = 100000, binCount = 16;
    std::vector<int> in(n), out(n);
    std::vector<unsigned> bins(binCount), expected(binCount, 0u);
    std::int64_t sum = 0, found = 0;
    int positive = 0, used = 0;
    for (int i = 0; i < n; ++i) {
        in[i] = i < n / 2 ? i / 1000 % binCount : (i * 7919) % binCount;
        ++expected[in[i]];
        positive += 0 < in[i];
        sum += in[i];
    }

    int *devIn, *devOut, *devUsed;
    unsigned *devBins;
    guard(cudaMalloc(&devIn, n * sizeof(int)));
    guard(cudaMalloc(&devOut, n * sizeof(int)));
    guard(cudaMalloc(&devUsed, sizeof(int)));
    guard(cudaMalloc(&devBins, binCount * sizeof(unsigned)));
    guard(cudaMemcpy(devIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    guard(cudaMemset(devUsed, 0, sizeof(int)));
    guard(cudaMemset(devBins, 0, binCount * sizeof(unsigned)));

    countKeys<<<(n + 255) / 256, 256>>>(devIn, n, devBins);
    compact<<<(n + 511) / 512, 512>>>(devIn, n, devOut, devUsed);
    guard(cudaGetLastError());
    guard(cudaMemcpy(bins.data(), devBins, binCount * sizeof(unsigned), cudaMemcpyDeviceToHost));
    guard(cudaMemcpy(&used, devUsed, sizeof used, cudaMemcpyDeviceToHost));
    guard(cudaMemcpy(out.data(), devOut, used * sizeof(int), cudaMemcpyDeviceToHost));
    for (void *memory : {(void *)devIn, (void *)devOut, (void *)devUsed, (void *)devBins})
        guard(cudaFree(memory));

    for (int i = 0; i < used; ++i)
        found += out[i];
    const bool good = bins == expected && used == positive && found == sum;
    std::puts(good ? "PASS" : "FAIL");
    return good ? 0 : 1;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
}
