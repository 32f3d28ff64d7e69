// Every way to launch a kernel that we have met.  Each launch adds a power of two to one
// counter, so that the sum tells which did not happen.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <array>
#include <utility>

#define ensure(x) if ((x) != cudaSuccess) { printf("line %d\n", __LINE__); exit(2); } else

__global__ void nothing() {}
__global__ void add(unsigned *sum, unsigned value) { atomicAdd(sum, value); }

template <typename T> struct Box { T value; };
template <typename T> __device__ unsigned unbox(Box<T> box) { return (unsigned)box.value; }
template <typename T> __device__ unsigned unbox(T *) { return 0; }

template <class T, int N> __global__ void addBox(unsigned *sum, Box<T> box)
{
    if (threadIdx.x == N) atomicAdd(sum, (unsigned)box.value);
}

template <typename... Boxes> __global__ void addAll(unsigned *sum, Boxes... boxes)
{
    unsigned total = 0;
    ((total += unbox(boxes)), ...);
    if (sum && threadIdx.x + threadIdx.y + threadIdx.z == 0) atomicAdd(sum, total);
}

namespace outer { namespace inner {
template <bool Checked> __global__ void add(unsigned *sum, unsigned value)
{
    if (!Checked || sum) atomicAdd(sum, value);
}
} }

static __global__ void addDynamic(unsigned *sum, unsigned value)
{
    extern __shared__ unsigned scratch[];
    scratch[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, scratch[blockDim.x - 1]);
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define LAUNCH_ON(kernel, grid, block, stream, ...)                                          \
    do {                                                                                     \
        kernel<<<(grid), (block), 0, (stream)>>>(__VA_ARGS__);                               \
        ensure(cudaGetLastError());                                                          \
    } while (0)
#define CONFIG(n) 1, n
#define ONE_BLOCK <<<1, 1>>>

class Launcher
{
    cudaStream_t stream = 0;
    void (*kernel)(unsigned *, unsigned) = add;

public:
    Launcher() { ensure(cudaStreamCreate(&this->stream)); }
    ~Launcher() { cudaStreamSynchronize(stream); cudaStreamDestroy(stream); }
    dim3 block(int n) const { return dim3(n); }
    void operator()(unsigned *sum, unsigned v)
    { this->kernel<<<1, block(1), 0, this->stream>>>(sum, v); }
    void dynamic(unsigned *sum, unsigned v, size_t (*bytes)(int, int))
    {
        addDynamic <<< 1 , 32 , bytes(32, sizeof(unsigned)) , stream >>> (sum, v);
    }
};

static size_t product(int a, int b) { return (size_t)a * b; }

template <typename T> static void fromTemplate(unsigned *sum, T first, T second)
{
    addBox<T, 0><<<1, 32>>>(sum, Box<T>{first});
    addBox<typename std::array<std::array<T, 4>, 2>::value_type::value_type, (7 >> 2)>
        <<<1, 32>>>(sum, {second});
}

int main()
{
    unsigned *sum, next = 0;
    const auto bit = [&next] { return 1u << next++; };
    ensure(cudaMalloc((void **)&sum, sizeof *sum));
    ensure(cudaMemset(sum, 0, sizeof *sum));

    nothing<<<1, 1>>>();
    nothing <<<dim3(2, 2), dim3(4, 4, 4)>>> ();
    add<<<1, 1>>>(sum, bit());
    add<<<dim3(1, 1, 1), dim3{1, 1, 1}, 0, nullptr>>>(sum, bit());
    add
        <<<1,     // blocks
           1,     /* threads, not <<<2>>> */
           0>>>(
            sum,
            bit());
    LAUNCH(add, sum, bit());
    LAUNCH_ON(add, 1, dim3(1, 1), 0, sum, bit());
    add<<<CONFIG(1)>>>(sum, bit());
    add ONE_BLOCK (sum, bit());
    const unsigned low = bit(), high = bit();
    fromTemplate<int>(sum, low, high);
    outer::inner::add<false><<<1, 1>>>(sum, bit());
    ::outer::inner::add<(3 > 2)><<<1, 1>>>(sum, bit());

    Launcher launcher;
    launcher(sum, bit());
    launcher.dynamic(sum, bit(), product);

    void (*pointer)(unsigned *, unsigned) = &outer::inner::add<false>;
    (*pointer)<<<1, 1>>>(sum, bit());
    void (*table[])(unsigned *, unsigned) = { add, pointer };
    for (auto kernel : table) kernel<<<1, 1>>>(sum, bit());
    table[1]<<<1, 1>>>(sum, bit());

    const auto blocks = [](int n, int per) { return (n + per - 1) / per; };
    add<<<blocks(1, 32), [] { return 1; }()>>>(sum, bit());
    addAll<Box<Box<int>>*><<<1, 1 << 5 >> 5>>>(nullptr, nullptr);
    addAll<<<1, dim3(2, 2, 2)>>>(sum, Box<unsigned>{bit()}, Box<long>{(long)bit()});
    if (next) add<<<1, 1>>>(sum, bit()); else nothing<<<1, 1>>>();

    unsigned value = bit();
    void *arguments[] = { &sum, &value };
    ensure(cudaLaunchKernel((const void *)add, dim3(1), dim3(1), arguments, 0, 0));
    value = bit();
    ensure(cudaLaunchKernel(add, 1, 1, arguments, 0, cudaStreamPerThread));
    value = bit();
    ensure(cudaLaunchKernel(outer::inner::add<false>, dim3(1), dim3(1), arguments));

    unsigned found = 0;
    ensure(cudaDeviceSynchronize());
    ensure(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    ensure(cudaFree(sum));
    printf("%06x, expected %06x\n", found, (1u << next) - 1);
    return found == (1u << next) - 1 ? 0 : 1;
}
