// A linked structure in managed memory that host and device take turns to change; prefetches
// where the device supports them.
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdio>
#include <new>

#define GPU_CHECK(e)                                                                         \
    do {                                                                                     \
        cudaError_t r_ = (e);                                                                \
        if (r_ != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(r_));  \
            return false;                                                                    \
        }                                                                                    \
    } while (0)

// Objects of derived classes live in managed memory: new and delete do what cudaMallocManaged
// and cudaFree do.
class Managed
{
public:
    static void *operator new(std::size_t size)
    {
        void *memory = nullptr;
        if (cudaMallocManaged(&memory, size) != cudaSuccess)
            throw std::bad_alloc();
        return memory;
    }
    static void operator delete(void *memory)
    {
        cudaDeviceSynchronize();
        cudaFree(memory);
    }
};

struct Grid : Managed {
    int width = 0, height = 0;
    float *cells = nullptr;
    __host__ __device__ float &at(int x, int y) { return cells[y * width + x]; }
};

__managed__ int launches = 0;

__global__ void heat(Grid *from, Grid *to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 && y == 0)
        launches++;
    if (from->width <= x || from->height <= y)
        return;
    float v = from->at(x, y);
    if (0 < x && 0 < y && x < from->width - 1 && y < from->height - 1)
        v = 0.25f * (from->at(x - 1, y) + from->at(x + 1, y) + from->at(x, y - 1) +
                     from->at(x, y + 1));
    to->at(x, y) = v;
}

static bool simulate(Grid *a, Grid *b, int steps)
{
    const std::size_t bytes = sizeof(float) * a->width * a->height;
    GPU_CHECK(cudaMallocManaged(&a->cells, bytes, cudaMemAttachGlobal));
    GPU_CHECK(cudaMallocManaged(&b->cells, bytes));
    for (int i = 0; i < a->width * a->height; ++i)
        a->cells[i] = i % a->width == 0 ? 100.0f : 0.0f;

    int device = -1, concurrent = 0;
    GPU_CHECK(cudaGetDevice(&device));
    GPU_CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device));
    if (concurrent) {
        cudaMemLocation here;
        here.type = cudaMemLocationTypeDevice;
        here.id = device;
        GPU_CHECK(cudaMemPrefetchAsync(a->cells, bytes, here, 0, nullptr));
        GPU_CHECK(cudaMemPrefetchAsync(b->cells, bytes, here, 0, nullptr));
    }

    const dim3 block(32, 8);
    const dim3 grid((a->width + block.x - 1) / block.x, (a->height + block.y - 1) / block.y);
    for (int step = 0; step < steps; ++step) {
        heat<<<grid, block>>>(a, b);
        Grid *t = a;
        a = b;
        b = t;
    }
    GPU_CHECK(cudaGetLastError());
    GPU_CHECK(cudaDeviceSynchronize());
    return true;
}

int main()
{
    constexpr int width = 200, height = 100, steps = 50; // even: the result is in the first grid
    Grid *a = new Grid, *b = new Grid;
    a->width = b->width = width;
    a->height = b->height = height;
    if (!simulate(a, b, steps))
        return 2;

    static float now[height][width], next[height][width];
    for (auto &row : now)
        row[0] = 100.0f;
    for (int s = 0; s < steps; ++s) {
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                next[y][x] = x == 0 || y == 0 || x == width - 1 || y == height - 1
                                 ? now[y][x]
                                 : 0.25f * (now[y][x - 1] + now[y][x + 1] + now[y - 1][x] +
                                            now[y + 1][x]);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                now[y][x] = next[y][x];
    }

    int wrong = launches != steps;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const float d = a->at(x, y) - now[y][x];
            wrong += d < -1e-3f || 1e-3f < d;
        }
    cudaFree(a->cells);
    cudaFree(b->cells);
    delete a;
    delete b;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
