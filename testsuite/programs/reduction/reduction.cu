// Sum and maximum of an array: shuffles inside the warp, shared memory between warps, one
// atomic per block.
//
// The lane masks are 64 bits wide on purpose.  CUDA's *_sync functions take an unsigned and drop
// the upper half, HIP's demand 64 bits, so this source serves both.  The warp itself is asked
// for its size everywhere.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffffffffffull

#define CUDA_TRY(expr)                                                                       \
    if (cudaError_t e = (expr); e != cudaSuccess) {                                          \
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));        \
        std::exit(1);                                                                        \
    }

struct Sum {
    static constexpr int identity = 0;
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
    static __device__ void store(int *where, int value) { atomicAdd(where, value); }
};

struct Max {
    static constexpr int identity = INT32_MIN;
    __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
    static __device__ void store(int *where, int value) { atomicMax(where, value); }
};

template <typename Op>
__device__ __forceinline__ int reduceWarp(int value, Op op)
{
    for (int offset = warpSize / 2; 0 < offset; offset >>= 1)
        value = op(value, __shfl_down_sync(FULL_MASK, value, offset));
    return value;
}

template <typename Op, int BlockSize>
__global__ void __launch_bounds__(BlockSize) reduceKernel(const int *in, size_t n, int *out)
{
    static_assert(BlockSize % 64 == 0, "whole warps on every GPU");
    __shared__ int partial[BlockSize / 32];
    Op op;

    int value = Op::identity;
    for (size_t i = blockIdx.x * size_t(BlockSize) + threadIdx.x; i < n;
         i += size_t(BlockSize) * gridDim.x)
        value = op(value, in[i]);

    value = reduceWarp(value, op);
    const int lane = threadIdx.x % warpSize;
    const int warp = threadIdx.x / warpSize;
    if (lane == 0)
        partial[warp] = value;
    __syncthreads();

    if (warp == 0) {
        const int warps = BlockSize / warpSize;
        value = lane < warps ? partial[lane] : Op::identity;
        value = reduceWarp(value, op);
        if (lane == 0)
            Op::store(out, value);
    }
}

// How many elements lie above a limit; whole warps vote, so that one lane adds for all.
__global__ void countAbove(const int *in, int n, int limit, unsigned *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long votes = __ballot_sync(FULL_MASK, i < n && limit < in[i]);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(count, unsigned(__popcll(votes)));

    if (__all_sync(FULL_MASK, n <= i))
        return;
    auto active = __activemask(); // unsigned on one side, 64 bits on the other
    __syncwarp(active);
}

template <typename Op>
static int reduceOnDevice(const std::vector<int> &host)
{
    int *in, *out, result = Op::identity;
    CUDA_TRY(cudaMalloc(&in, host.size() * sizeof(int)));
    CUDA_TRY(cudaMalloc(&out, sizeof *out));
    CUDA_TRY(cudaMemcpy(in, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(out, &result, sizeof result, cudaMemcpyHostToDevice));
    reduceKernel<Op, 256><<<120, 256>>>(in, host.size(), out);
    CUDA_TRY(cudaPeekAtLastError());
    CUDA_TRY(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(in));
    CUDA_TRY(cudaFree(out));
    return result;
}

int main()
{
    std::vector<int> data(1 << 20);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = int((i * 2654435761u) % 2001) - 1000;

    int sum = 0, max = std::numeric_limits<int>::min();
    unsigned above = 0;
    for (int v : data) {
        sum = Sum()(sum, v);
        max = Max()(max, v);
        above += 500 < v;
    }

    int *in;
    unsigned *counter, counted;
    CUDA_TRY(cudaMalloc(&in, data.size() * sizeof(int)));
    CUDA_TRY(cudaMalloc(&counter, sizeof *counter));
    CUDA_TRY(cudaMemset(counter, 0, sizeof *counter));
    CUDA_TRY(cudaMemcpy(in, data.data(), data.size() * sizeof(int), cudaMemcpyHostToDevice));
    countAbove<<<unsigned(data.size() / 256), 256>>>(in, int(data.size()), 500, counter);
    CUDA_TRY(cudaMemcpy(&counted, counter, sizeof counted, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(in));
    CUDA_TRY(cudaFree(counter));

    const bool good = reduceOnDevice<Sum>(data) == sum && reduceOnDevice<Max>(data) == max &&
                      counted == above;
    std::puts(good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
