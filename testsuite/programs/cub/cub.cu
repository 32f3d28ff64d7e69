// CUB: device-wide sum, scan, sort, selection and histogram, and a kernel with collectives of a block
// and of a warp.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define GPU(call)                                                                            \
    do {                                                                                     \
        const cudaError_t failure = (call);                                                  \
        if (failure != cudaSuccess) {                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                          \
                         cudaGetErrorString(failure));                                       \
            std::exit(EXIT_FAILURE);                                                         \
        }                                                                                    \
    } while (0)

constexpr int kBlock = 128;
constexpr int kWarp = 32;

struct IsOdd {
    __host__ __device__ bool operator()(int value) const
    {
        return value & 1;
    }
};

// The prefix sums within each block, and the sum of each group of 32 threads.
__global__ void collectives(const int *in, int *prefixes, int *groups)
{
    using BlockScan = cub::BlockScan<int, kBlock>;
    using WarpReduce = cub::WarpReduce<int, kWarp>;
    __shared__ typename BlockScan::TempStorage scan_storage;
    __shared__ typename WarpReduce::TempStorage warp_storage[kBlock / kWarp];

    const int i = blockIdx.x * kBlock + threadIdx.x;
    int prefix;
    BlockScan(scan_storage).InclusiveSum(in[i], prefix);
    prefixes[i] = prefix;
    const int group = threadIdx.x / kWarp;
    const int sum = WarpReduce(warp_storage[group]).Sum(in[i]);
    if (threadIdx.x % kWarp == 0)
        groups[i / kWarp] = sum;
}

// Calls ALGORITHM twice: for the size of its storage, and to do it.
template <class Algorithm> void run(Algorithm algorithm)
{
    void *storage = nullptr;
    size_t bytes = 0;
    GPU(algorithm(storage, bytes));
    GPU(cudaMalloc(&storage, bytes));
    GPU(algorithm(storage, bytes));
    GPU(cudaDeviceSynchronize());
    GPU(cudaFree(storage));
}

std::vector<int> copy(const int *device, int count)
{
    std::vector<int> host(count);
    GPU(cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
}

int main()
{
    const int n = 64 * kBlock, bins = 10;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i)
        host[i] = i * 7919 % 1000;

    int *in, *out, *extra;
    GPU(cudaMalloc(&in, n * sizeof(int)));
    GPU(cudaMalloc(&out, n * sizeof(int)));
    GPU(cudaMalloc(&extra, n * sizeof(int)));
    GPU(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    bool ok = true;

    run([=](void *storage, size_t &bytes) {
        return cub::DeviceReduce::Sum(storage, bytes, in, out, n);
    });
    ok = ok && copy(out, 1)[0] == std::accumulate(host.begin(), host.end(), 0);

    run([=](void *storage, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n);
    });
    std::vector<int> expected(n);
    std::partial_sum(host.begin(), host.end() - 1, expected.begin() + 1);
    ok = ok && copy(out, n) == expected;

    run([=](void *storage, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n, 0, 10);
    });
    expected = host;
    std::sort(expected.begin(), expected.end());
    ok = ok && copy(out, n) == expected;

    run([=](void *storage, size_t &bytes) {
        return cub::DeviceSelect::If(storage, bytes, in, out, extra, n, IsOdd());
    });
    expected.clear();
    std::copy_if(host.begin(), host.end(), std::back_inserter(expected), IsOdd());
    const int selected = copy(extra, 1)[0];
    ok = ok && copy(out, selected) == expected;

    run([=](void *storage, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(storage, bytes, in, out, bins + 1, 0, 1000, n);
    });
    expected.assign(bins, 0);
    for (int value : host)
        ++expected[value / 100];
    ok = ok && copy(out, bins) == expected;

    collectives<<<n / kBlock, kBlock>>>(in, out, extra);
    GPU(cudaGetLastError());
    const std::vector<int> prefixes = copy(out, n), groups = copy(extra, n / kWarp);
    for (int block = 0; block < n; block += kBlock)
        for (int i = 0, sum = 0; i < kBlock; ++i) {
            sum += host[block + i];
            ok = ok && prefixes[block + i] == sum;
        }
    for (int group = 0; group < n / kWarp; ++group)
        ok = ok && groups[group] == std::accumulate(&host[group * kWarp],
                                                    &host[group * kWarp] + kWarp, 0);

    for (int *memory : {in, out, extra})
        GPU(cudaFree(memory));
    std::puts(ok ? "passed" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
