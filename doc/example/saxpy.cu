// y = a * x + y, then the sum of y: the example that `./dev demo` translates.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                 \
    do {                                                                            \
        cudaError_t status_ = (call);                                               \
        if (status_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                 \
                         cudaGetErrorString(status_));                              \
            std::exit(EXIT_FAILURE);                                                \
        }                                                                           \
    } while (0)

constexpr int block_size = 256;

__constant__ float scale;

__global__ void saxpy(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = scale * x[i] + y[i];
}

// One partial sum per block.
__global__ void __launch_bounds__(block_size) sum(int n, const float *y, float *partial)
{
    __shared__ float tile[block_size];
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#if __CUDA_ARCH__ >= 350
        mine += __ldg(&y[i]);
#else
        mine += y[i];
#endif
    }
    tile[threadIdx.x] = mine;
    __syncthreads();
    for (int half = block_size / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = tile[0];
}

int main()
{
    const int n = 1 << 20, blocks = 120;
    std::vector<float> x(n, 1.0f), y(n, 2.0f), partial(blocks);
    const float a = 3.0f;

    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    std::printf("running on %s\n", prop.name);
    if (prop.major < 5)
        std::printf("this is an old part\n");

    float *dx, *dy, *dpartial;
    CHECK(cudaMalloc(&dx, n * sizeof(float)));
    CHECK(cudaMalloc(&dy, n * sizeof(float)));
    CHECK(cudaMalloc(&dpartial, blocks * sizeof(float)));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(scale, &a, sizeof a));

    saxpy<<<(n + block_size - 1) / block_size, block_size>>>(n, dx, dy);
    sum<<<blocks, block_size>>>(n, dy, dpartial);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(partial.data(), dpartial, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0;
    for (float p : partial)
        total += p;
    std::printf("sum: %.0f (expected %.0f)\n", total, 5.0 * n);

    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
    CHECK(cudaFree(dpartial));
    return total == 5.0 * n ? EXIT_SUCCESS : EXIT_FAILURE;
}
