// Windowed sums with one dynamic buffer that is carved into three arrays of different types;
// the buffer may pass the default limit, so the kernel asks for more first.
#include "cuda_runtime.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(x) cudaOk((x), #x, __LINE__)

static void cudaOk(cudaError_t code, const char *text, int line)
{
    if (code == cudaSuccess)
        return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, text, cudaGetErrorString(code));
    std::exit(EXIT_FAILURE);
}

struct Layout {
    int threads, window;
    __host__ __device__ int loaded() const { return threads + window - 1; }
    __host__ __device__ size_t valuesAt() const { return 0; }
    __host__ __device__ size_t prefixAt() const { return sizeof(double) * loaded(); }
    __host__ __device__ size_t flagsAt() const { return prefixAt() + sizeof(double) * loaded(); }
    __host__ __device__ size_t bytes() const { return flagsAt() + loaded(); }
};

template <class T, class Accumulator>
__global__ void windowSums(const T *in, Accumulator *out, int n, Layout layout)
{
    extern __shared__ __align__(16) unsigned char raw[];
    Accumulator *values = reinterpret_cast<Accumulator *>(raw + layout.valuesAt());
    Accumulator *prefix = reinterpret_cast<Accumulator *>(raw + layout.prefixAt());
    std::uint8_t *inside = raw + layout.flagsAt();

    const int first = blockIdx.x * layout.threads;
    for (int i = threadIdx.x; i < layout.loaded(); i += blockDim.x) {
        inside[i] = first + i < n;
        values[i] = inside[i] ? static_cast<Accumulator>(in[first + i]) : Accumulator(0);
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        Accumulator sum = 0;
        for (int i = 0; i < layout.loaded(); ++i)
            prefix[i] = sum += values[i];
    }
    __syncthreads();

    const int t = threadIdx.x;
    if (inside[t])
        out[first + t] = prefix[t + layout.window - 1] - (t ? prefix[t - 1] : Accumulator(0));
}

int main()
{
    const int n = 20000;
    const Layout layout{256, 2400};

    int device = 0, most = 0, normal = 0;
    CUDA_OK(cudaGetDevice(&device));
    CUDA_OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA_OK(cudaDeviceGetAttribute(&normal, cudaDevAttrMaxSharedMemoryPerBlock, device));
    const size_t bytes = layout.bytes();
    if (static_cast<size_t>(most) < bytes && static_cast<size_t>(normal) < bytes) {
        std::printf("needs %zu bytes of shared memory, the device has %d\n", bytes, most);
        return EXIT_SUCCESS;
    }

    CUDA_OK(cudaFuncSetAttribute(windowSums<float, double>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)));
    CUDA_OK(cudaFuncSetCacheConfig(windowSums<float, double>, cudaFuncCachePreferShared));

    std::vector<float> in(n);
    for (int i = 0; i < n; ++i)
        in[i] = static_cast<float>(i % 97);
    float *devIn = nullptr;
    double *devOut = nullptr;
    CUDA_OK(cudaMalloc(&devIn, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&devOut, n * sizeof(double)));
    CUDA_OK(cudaMemcpy(devIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    windowSums<float, double>
        <<<(n + layout.threads - 1) / layout.threads, layout.threads, layout.bytes()>>>(
            devIn, devOut, n, layout);
    CUDA_OK(cudaGetLastError());

    std::vector<double> out(n);
    CUDA_OK(cudaMemcpy(out.data(), devOut, n * sizeof(double), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(devIn));
    CUDA_OK(cudaFree(devOut));

    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        double expected = 0;
        for (int j = i; j < i + layout.window && j < n; ++j)
            expected += in[j];
        wrong += expected != out[i]; // sums of small integers: exact
    }
    std::printf("%d wrong sums, %zu bytes per block\n", wrong, bytes);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
