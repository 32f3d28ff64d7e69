// Inclusive prefix sum in three launches: blocks, block totals, and the totals added back.
// The work buffer is dynamic shared memory, two halves used in turn.
#include <cuda_runtime_api.h>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>
#include <stdio.h>

typedef unsigned int uint;

static const uint kBlock = 512u;

static inline void must(cudaError e, int line)
{
    if (cudaSuccess != e) {
        fprintf(stderr, "line %d: CUDA says %s\n", line, cudaGetErrorString(e));
        cudaDeviceReset();
        exit(1);
    }
}
#define MUST(x) must((x), __LINE__)

extern __shared__ uint buffer[];

__device__ uint scan_block(uint value, uint n)
{
    uint *from = buffer, *to = buffer + n;
    const uint t = threadIdx.x;
    from[t] = value;
    __syncthreads();
    for (uint d = 1; d < n; d *= 2) {
        to[t] = from[t] + (d <= t ? from[t - d] : 0u);
        uint *swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    return from[t];
}

__global__ void scan_blocks(uint *data, uint *totals, uint n)
{
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;
    uint value = i < n ? __ldg(data + i) : 0u;
    value = scan_block(value, blockDim.x);
    if (i < n)
        data[i] = value;
    if (totals != NULL && threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = value;
}

__global__ void add_totals(uint *data, const uint *totals, uint n)
{
    const uint i = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += totals[blockIdx.x];
}

class Scanner {
  public:
    explicit Scanner(uint capacity) : capacity_(capacity)
    {
        MUST(cudaStreamCreate(&stream_));
        MUST(cudaMalloc((void **)&data_, capacity * sizeof(uint)));
        MUST(cudaMalloc((void **)&totals_, kBlock * sizeof(uint)));
    }
    ~Scanner()
    {
        cudaFree(totals_);
        cudaFree(data_);
        cudaStreamDestroy(stream_);
    }
    Scanner(const Scanner &) = delete;

    // At most kBlock blocks, so that one block scans the totals.
    bool run(std::vector<uint> &host)
    {
        const uint n = static_cast<uint>(host.size());
        const uint blocks = (n + kBlock - 1) / kBlock;
        if (capacity_ < n || kBlock < blocks)
            return false;
        const size_t shared = 2 * kBlock * sizeof(uint);
        MUST(cudaMemcpyAsync(data_, &host[0], n * sizeof(uint), cudaMemcpyHostToDevice, stream_));
        scan_blocks<<<blocks, kBlock, shared, stream_>>>(data_, totals_, n);
        scan_blocks<<<1, kBlock, shared, stream_>>>(totals_, nullptr, blocks);
        if (1 < blocks)
            add_totals<<<blocks - 1, kBlock, 0, stream_>>>(data_, totals_, n);
        MUST(cudaGetLastError());
        MUST(cudaMemcpyAsync(&host[0], data_, n * sizeof(uint), cudaMemcpyDeviceToHost, stream_));
        MUST(cudaStreamSynchronize(stream_));
        return true;
    }

  private:
    uint capacity_;
    uint *data_ = nullptr, *totals_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

int main(void)
{
    Scanner scanner(kBlock * kBlock);
    int failures = 0;
    for (uint n : {1u, 31u, 512u, 513u, 100000u, 262144u}) {
        std::vector<uint> data(n), expected(n);
        for (uint i = 0; i < n; ++i)
            data[i] = (i * 7u + 3u) % 11u;
        std::partial_sum(data.begin(), data.end(), expected.begin());
        if (!scanner.run(data) || data != expected)
            ++failures, printf("scan of %u elements is wrong\n", n);
    }
    puts(failures ? "FAIL" : "PASS");
    return failures;
}
