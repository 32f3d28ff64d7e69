// Lane masks as most CUDA code has them: 32 bits wide, as a literal, a macro, a constant and a
// variable.  HIP 7 refuses every one of them, so the translation repairs them.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define FULL_MASK 0xffffffffu
static const unsigned kEveryLane = ~0u;

#define CUDA_CALL(x)                                                                         \
    do {                                                                                     \
        const cudaError_t err_ = (x);                                                        \
        if (err_ != cudaSuccess) {                                                           \
            std::fprintf(stderr, "%s (line %d)\n", cudaGetErrorString(err_), __LINE__);      \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (0)

// The largest and the sum of each group of 32, and how many of it are odd.
__global__ void groups(const int *in, int *largest, int *sums, int *odd, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int value = i < n ? in[i] : 0;

    int top = value;
    for (int d = 16; 0 < d; d /= 2)
        top = max(top, __shfl_xor_sync(0xffffffff, top, d, 32));

    int sum = value;
#pragma unroll
    for (int d = 16; d >= 1; d >>= 1)
        sum += __shfl_down_sync(FULL_MASK, sum, d, 32);
    sum = __shfl_sync(kEveryLane, sum, 0, 32);

    unsigned mask = __ballot_sync(FULL_MASK, value & 1);
    if (threadIdx.x % 32 == 0 && i < n) {
        largest[i / 32] = top;
        sums[i / 32] = sum;
        odd[i / 32] = __popc(mask);
    }
    __syncwarp(FULL_MASK);
}

int main()
{
    const int n = 1 << 14, count = n / 32;
    std::vector<int> in(n), largest(count), sums(count), odd(count);
    for (int i = 0; i < n; ++i)
        in[i] = (i * 193) % 1009;

    int *devIn, *devOut;
    CUDA_CALL(cudaMalloc(&devIn, n * sizeof(int)));
    CUDA_CALL(cudaMalloc(&devOut, 3 * count * sizeof(int)));
    CUDA_CALL(cudaMemcpy(devIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    groups<<<n / 256, 256>>>(devIn, devOut, devOut + count, devOut + 2 * count, n);
    CUDA_CALL(cudaGetLastError());
    const size_t bytes = count * sizeof(int);
    CUDA_CALL(cudaMemcpy(largest.data(), devOut, bytes, cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaMemcpy(sums.data(), devOut + count, bytes, cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaMemcpy(odd.data(), devOut + 2 * count, bytes, cudaMemcpyDeviceToHost));
    CUDA_CALL(cudaFree(devIn));
    CUDA_CALL(cudaFree(devOut));

    int wrong = 0;
    for (int g = 0; g < count; ++g) {
        int top = 0, sum = 0, odds = 0;
        for (int k = 0; k < 32; ++k) {
            const int v = in[g * 32 + k];
            top = top < v ? v : top;
            sum += v;
            odds += v & 1;
        }
        wrong += top != largest[g] || sum != sums[g] || odds != odd[g];
    }
    std::printf("%d wrong groups\n", wrong);
    return wrong != 0;
}
