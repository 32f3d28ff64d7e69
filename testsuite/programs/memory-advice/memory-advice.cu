// A table in managed memory with hints about who uses it.  cudaMemAdvise is the call of CUDA 13,
// whose last argument is a cudaMemLocation where it was a device number before; both have four
// arguments.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace
{
void require(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(EXIT_FAILURE);
    }
}

cudaMemLocation onDevice(int id)
{
    cudaMemLocation location;
    location.type = cudaMemLocationTypeDevice;
    location.id = id;
    return location;
}

cudaMemLocation onHost()
{
    cudaMemLocation location;
    location.type = cudaMemLocationTypeHost;
    location.id = cudaCpuDeviceId;
    return location;
}
} // namespace

__global__ void lookUp(const unsigned short *table, int entries, const int *keys, int *values,
                       int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = table[keys[i] % entries];
}

int main()
{
    constexpr int entries = 4096, n = 200000, block = 256;
    unsigned short *table = nullptr;
    int *keys = nullptr, *values = nullptr, device = 0, concurrent = 0;
    require(cudaMallocManaged(&table, entries * sizeof *table), "table");
    require(cudaMallocManaged(&keys, n * sizeof *keys), "keys");
    require(cudaMallocManaged(&values, n * sizeof *values), "values");
    for (int i = 0; i < entries; ++i)
        table[i] = static_cast<unsigned short>(i * 7 % 1013);
    for (int i = 0; i < n; ++i)
        keys[i] = (i * 31) % 100003;

    require(cudaGetDevice(&device), "device");
    require(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device),
            "attribute");
    if (concurrent) {
        const cudaMemLocation here = onDevice(device);
        require(cudaMemAdvise(table, entries * sizeof *table, cudaMemAdviseSetReadMostly, here),
                "read mostly");
        require(cudaMemAdvise(keys, n * sizeof *keys, cudaMemAdviseSetPreferredLocation,
                              onDevice(device)),
                "preferred location");
        require(cudaMemAdvise(values, n * sizeof *values, cudaMemAdviseSetAccessedBy, onHost()),
                "accessed by");
    }

    lookUp<<<(n + block - 1) / block, block>>>(table, entries, keys, values, n);
    require(cudaGetLastError(), "launch");
    require(cudaDeviceSynchronize(), "kernel");

    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += values[i] != keys[i] % entries * 7 % 1013;
    require(cudaFree(table), "free");
    require(cudaFree(keys), "free");
    require(cudaFree(values), "free");
    std::printf("%d wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
