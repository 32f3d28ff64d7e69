// Cooperative groups: a block reduction over tiles, and a Jacobi iteration whose steps are
// separated by a barrier over the whole grid.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;

static bool failed(cudaError_t e, const char *where)
{
    if (e != cudaSuccess)
        fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
    return e != cudaSuccess;
}

template <unsigned Size>
__device__ int tileSum(const cg::thread_block_tile<Size> &tile, int value)
{
    for (unsigned d = tile.size() / 2; 0 < d; d /= 2)
        value += tile.shfl_down(value, d);
    return value;
}

__global__ void sumTiles(const int *in, int *out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    extern __shared__ int sums[];

    const int i = blockIdx.x * blockDim.x + block.thread_rank();
    const int sum = tileSum(tile, i < n ? in[i] : 0);
    if (tile.thread_rank() == 0)
        sums[block.thread_rank() / 32] = sum;
    block.sync();

    if (block.thread_rank() < 32) {
        const int tiles = static_cast<int>(block.size()) / 32;
        const int lane = static_cast<int>(tile.thread_rank());
        const int total = tileSum(tile, lane < tiles ? sums[lane] : 0);
        if (lane == 0)
            atomicAdd(out, total);
    }
}

__global__ void jacobi(double *a, double *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            if (i == 0 || i == n - 1)
                b[i] = a[i];
            else
                b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        }
        grid.sync();
        double *t = a;
        a = b;
        b = t;
    }
}

int main()
{
    int device = 0, cooperative = 0;
    if (failed(cudaGetDevice(&device), "device") ||
        failed(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device),
               "attribute"))
        return 2;
    if (!cooperative) {
        puts("the device has no cooperative launch");
        return 0;
    }

    int n = 10000, steps = 100, expected = 0, sum = 0;
    std::vector<int> numbers(n);
    for (int i = 0; i < n; i++)
        expected += numbers[i] = i % 23;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    sumTiles<<<(n + 255) / 256, 256, 256 / 32 * sizeof(int)>>>(in, out, n);
    if (failed(cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost), "sum"))
        return 2;

    std::vector<double> x(n, 0.0), y(n), result(n);
    x[0] = 1.0;
    x[n - 1] = -1.0;
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    void *arguments[] = {&a, &b, &n, &steps};
    if (failed(cudaLaunchCooperativeKernel((void *)jacobi, dim3(8), dim3(128), arguments, 0, 0),
               "cooperative launch"))
        return 2;
    if (failed(cudaMemcpy(result.data(), steps % 2 ? b : a, n * sizeof(double),
                          cudaMemcpyDeviceToHost),
               "result"))
        return 2;

    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++)
            y[i] = i == 0 || i == n - 1 ? x[i] : 0.5 * (x[i - 1] + x[i + 1]);
        std::swap(x, y);
    }
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = std::fmax(worst, std::fabs(x[i] - result[i]));
    printf("sum %d (expected %d), largest difference %g\n", sum, expected, worst);
    cudaFree(in), cudaFree(out), cudaFree(a), cudaFree(b);
    return sum == expected && worst < 1e-12 ? 0 : 1;
}
