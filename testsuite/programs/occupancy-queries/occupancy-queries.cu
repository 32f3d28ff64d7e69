// Lets the runtime choose block sizes and prints what it says about each kernel.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void chk(cudaError_t e) { if (e != cudaSuccess) { std::puts(cudaGetErrorString(e)); std::exit(1); } }

__global__ void square(int *array, int count)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < count)
        array[i] *= array[i];
}

__global__ void __launch_bounds__(128) heavy(double *array, int count)
{
    extern __shared__ double shared[];
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    shared[threadIdx.x] = i < count ? array[i] : 0.0;
    __syncthreads();
    if (i < count)
        array[i] = sqrt(shared[threadIdx.x] * 2.0 + shared[blockDim.x - 1 - threadIdx.x]);
}

template <typename T>
__global__ void fill(T *array, T value, int count)
{
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < count; i += gridDim.x * blockDim.x)
        array[i] = value;
}

struct Choice {
    int minGrid = 0, block = 0, perSm = 0;
    double occupancy = 0;
};

template <class Kernel>
static Choice choose(Kernel kernel, const cudaDeviceProp &prop, size_t dynamic = 0, int limit = 0)
{
    Choice c;
    chk(cudaOccupancyMaxPotentialBlockSize(&c.minGrid, &c.block, kernel, dynamic, limit));
    chk(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&c.perSm, kernel, c.block, dynamic));
    c.occupancy = double(c.perSm) * c.block / prop.maxThreadsPerMultiProcessor;
    return c;
}

static void describe(const char *name, const void *kernel, const Choice &c)
{
    cudaFuncAttributes attributes;
    chk(cudaFuncGetAttributes(&attributes, kernel));
    std::printf("%-8s block %4d grid %4d occupancy %3.0f%% registers %3d shared %zu local %zu\n",
                name, c.block, c.minGrid, 100.0 * c.occupancy, attributes.numRegs,
                attributes.sharedSizeBytes, attributes.localSizeBytes);
}

int main()
{
    int device;
    cudaDeviceProp prop;
    chk(cudaGetDevice(&device));
    chk(cudaGetDeviceProperties(&prop, device));

    const Choice forSquare = choose(square, prop);
    const Choice forHeavy = choose(heavy, prop, 128 * sizeof(double), 128);
    const Choice forFill = choose(fill<int>, prop);
    describe("square", (const void *)square, forSquare);
    describe("heavy", reinterpret_cast<const void *>(&heavy), forHeavy);
    describe("fill", (const void *)fill<int>, forFill);

    const int count = 100000;
    int *array, grid = (count + forSquare.block - 1) / forSquare.block;
    chk(cudaMalloc(&array, count * sizeof(int)));
    fill<int><<<forFill.minGrid, forFill.block>>>(array, 7, count);
    square<<<grid, forSquare.block>>>(array, count);
    std::vector<int> host(count);
    chk(cudaMemcpy(host.data(), array, count * sizeof(int), cudaMemcpyDeviceToHost));

    double *numbers;
    const int small = forHeavy.block * 10;
    std::vector<double> out(small);
    chk(cudaMalloc(&numbers, small * sizeof(double)));
    fill<<<1, 64>>>(numbers, 3.0, small);
    heavy<<<10, forHeavy.block, forHeavy.block * sizeof(double)>>>(numbers, small);
    chk(cudaMemcpy(out.data(), numbers, small * sizeof(double), cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int v : host)
        wrong += v != 49;
    for (double v : out)
        wrong += v < 2.99999 || 3.00001 < v;
    chk(cudaFree(array));
    chk(cudaFree(numbers));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
