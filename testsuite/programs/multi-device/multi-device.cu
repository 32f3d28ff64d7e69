// Looks at every device, enables peer access where it can, and gives each device a share of
// the work.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#ifdef NDEBUG
#  define RUN(call) (void)(call)
#else
#  define RUN(call) Error::raise(call, "" #call "", __LINE__)
#endif

class Error
{
public:
    static void raise(cudaError_t code, const char *call, int line)
    {
        if (code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled)
            return;
        const std::string message = std::string(call) + " in line " + std::to_string(line) +
                                    ": " + cudaGetErrorString(code);
        std::puts(message.c_str());
        std::exit(code == cudaErrorNoDevice ? 0 : 1);
    }
};

struct DeviceGuard {
    int previous = 0;
    explicit DeviceGuard(int device)
    {
        RUN(cudaGetDevice(&previous));
        RUN(cudaSetDevice(device));
    }
    ~DeviceGuard() { cudaSetDevice(previous); }
};

static void print(int device)
{
    cudaDeviceProp p;
    RUN(cudaGetDeviceProperties(&p, device));
    char bus[32];
    RUN(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    std::printf("%d: %s at %s, %d.%d\n", device, p.name, bus, p.major, p.minor);
    std::printf("   %.1f GiB, %d multiprocessors, warps of %d, L2 %d KiB, bus %d bits\n",
                p.totalGlobalMem / 1073741824.0, p.multiProcessorCount, p.warpSize,
                p.l2CacheSize / 1024, p.memoryBusWidth);
    std::printf("   %d threads per block, grid %d x %d x %d, %zu bytes shared, ECC %s\n",
                p.maxThreadsPerBlock, p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2],
                p.sharedMemPerBlock, p.ECCEnabled ? "on" : "off");

    struct {
        const char *name;
        cudaDeviceAttr attribute;
    } const table[] = {
        {"clock rate in kHz", cudaDevAttrClockRate},
        {"can map host memory", cudaDevAttrCanMapHostMemory},
        {"concurrent kernels", cudaDevAttrConcurrentKernels},
        {"managed memory", cudaDevAttrManagedMemory},
        {"registers per block", cudaDevAttrMaxRegistersPerBlock},
        {"threads per multiprocessor", cudaDevAttrMaxThreadsPerMultiProcessor},
        {"integrated", cudaDevAttrIntegrated},
    };
    for (const auto &row : table) {
        int value = 0;
        RUN(cudaDeviceGetAttribute(&value, row.attribute, device));
        std::printf("   %s: %d\n", row.name, value);
    }
}

__global__ void iota(long long *out, long long first, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = (first + i) * (first + i);
}

int main()
{
    int devices = 0;
    RUN(cudaGetDeviceCount(&devices));
    for (int d = 0; d < devices; ++d)
        print(d);

    for (int a = 0; a < devices; ++a)
        for (int b = 0; b < devices; ++b) {
            int possible = 0;
            if (a != b)
                RUN(cudaDeviceCanAccessPeer(&possible, a, b));
            if (possible) {
                const DeviceGuard guard(a);
                RUN(cudaDeviceEnablePeerAccess(b, 0));
            }
        }

    const int count = 100000;
    std::vector<long long *> parts(devices);
    long long *gathered = nullptr;
    for (int d = 0; d < devices; ++d) {
        const DeviceGuard guard(d);
        RUN(cudaMalloc(&parts[d], count * sizeof(long long)));
        iota<<<(count + 255) / 256, 256>>>(parts[d], (long long)d * count, count);
        RUN(cudaGetLastError());
    }
    RUN(cudaMalloc(&gathered, sizeof(long long) * count * devices));
    for (int d = 0; d < devices; ++d)
        RUN(cudaMemcpyPeer(gathered + (size_t)d * count, 0, parts[d], d,
                           count * sizeof(long long)));

    std::vector<long long> host((size_t)count * devices);
    RUN(cudaMemcpy(host.data(), gathered, host.size() * sizeof host[0], cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (size_t i = 0; i < host.size(); ++i)
        wrong += host[i] != (long long)(i * i);
    for (int d = 0; d < devices; ++d) {
        const DeviceGuard guard(d);
        RUN(cudaFree(parts[d]));
    }
    RUN(cudaFree(gathered));
    std::printf("%d devices, %d wrong\n", devices, wrong);
    return wrong != 0;
}
