// Ballots and masks in 32 bits, as they go through variables, parameters, results, members and shared
// arrays, and what counts and shifts them. Translated with --fix=unsafe, so that all of it
// gets 64 bits.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

#define FULL 0xffffffffu

struct Votes {
    int yes;
    bool any;
};

__device__ unsigned lanesBelow(int lane)
{
    return (1u << lane) - 1;
}

__device__ uint32_t peersOf(int key)
{
    return __match_any_sync(FULL, key);
}

__device__ int sumOver(unsigned mask, int value)
{
    for (int d = warpSize / 2; 0 < d; d /= 2)
        value += __shfl_xor_sync(mask, value, d);
    return value;
}

template <typename T> __device__ T first(T value, const unsigned mask = 0xffffffff)
{
    return __shfl_sync(mask, value, 0);
}

__global__ void compact(const int *in, int *out, int *used, Votes *votes, int n)
{
    __shared__ unsigned kept[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    const bool keep = i < n && 0 < in[i];

    const unsigned int mine = __ballot_sync(0xffffffff, keep);
    int rank = __popc(mine & lanesBelow(lane));
    kept[warp] = mine;
    __syncwarp(0xffffffff);

    int start = 0;
    if (lane == 0)
        start = atomicAdd(used, __popc(kept[warp]));
    start = first(start);
    if (keep)
        out[start + rank] = in[i];

    unsigned peers = peersOf(keep), left = peers & ~(-1 << lane);
    const int leader = __ffs(peers) - 1, last = 31 - __clz(peers), lowest = __clz(__brev(peers));
    if (lane == leader && leader == lowest && !left) {
        votes[i / warpSize].yes = last;
        votes[i / warpSize].any = __any_sync(~0, keep);
    }

    int waiting = __activemask();
    while (waiting) {
        const int next = __ffs(waiting) - 1;
        waiting &= waiting - 1;
        if (next == lane)
            votes[i / warpSize].yes += sumOver(__activemask(), rank);
    }
    if (__ballot_sync(-1, keep) == 0xffffffff && lane == 0)
        votes[i / warpSize].yes += sumOver(FULL, __popc(__ballot_sync(FULL, keep)));
    if (lane < 8)
        out[i] += __shfl_down_sync(0x000000ff, rank, 4, 8);
}

static void check(cudaError_t status)
{
    if (status != cudaSuccess)
        std::printf("%s\n", cudaGetErrorString(status));
}

int main()
{
    const int n = 4096;
    int *in, *out, *used;
    Votes *votes;
    check(cudaMalloc(&in, n * sizeof *in));
    check(cudaMalloc(&out, n * sizeof *out));
    check(cudaMalloc(&used, sizeof *used));
    check(cudaMalloc(&votes, n / 32 * sizeof *votes));
    check(cudaMemset(in, 1, n * sizeof *in));
    check(cudaMemset(used, 0, sizeof *used));
    compact<<<n / 256, 256>>>(in, out, used, votes, n);
    const cudaError_t status = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
