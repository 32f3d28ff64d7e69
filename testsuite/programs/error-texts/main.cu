// Texts for error codes of both APIs, checks that take a launch, blocks in three dimensions.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bits.cuh"

#include <cuda.h>

static const char *text(cudaError_t code)
{
    switch (code) {
    case cudaSuccess:
        return "cudaSuccess";

    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";

    case cudaErrorInvalidPitchValue:
        return "cudaErrorInvalidPitchValue";

    case cudaErrorSyncDepthExceeded: // dynamic parallelism only
        return "cudaErrorSyncDepthExceeded";

    case cudaErrorLaunchMaxDepthExceeded:
        return "cudaErrorLaunchMaxDepthExceeded";

    default:
        return "another error";
    }
}

// What a device attribute counts; HIP has one attribute for some that CUDA tells apart.
static const char *unit(int attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxSurface2DWidth:
    case cudaDevAttrMaxSurface2DHeight:
        return "pixels";
    case cudaDevAttrAsyncEngineCount:
        return "engines";
    case cudaDevAttrGpuOverlap:
        return "yes or no";
    case cudaDevAttrMaxSurface3DWidth:
        break;
    case cudaDevAttrMaxSurface3DDepth:
        break;
    case cudaDevAttrTotalConstantMemory: case cudaDevAttrReserved92: {
        return "bytes";
    }
    }
    return "things";
}

static bool good(cudaError_t status)
{
    return (int)status == 0;
}

static bool good(CUresult status)
{
    return (int)status == 0;
}

template <class T> struct isStatus {
    static const bool value = false;
};

template <> struct isStatus<cudaError_t> {
    static const bool value = true;
};

template <> struct isStatus<CUresult> {
    static const bool value = true;
};

#define LAUNCH(launch)                                                                             \
    do {                                                                                           \
        launch;                                                                                    \
        cudaError_t status = cudaGetLastError();                                                   \
        if (!good(status)) {                                                                       \
            std::fprintf(stderr, "%s: %s\n", #launch, text(status));                               \
            std::exit(EXIT_FAILURE);                                                               \
        }                                                                                          \
    } while (0)

__constant__ int first[2] = {10, 20}, second, *unused;

__global__ void fill(int *out, int64_t set)
{
    uint3 at = threadIdx, size = blockDim;
    dim3 grid = gridDim;
    uint3 again;
    again = grid;
    unsigned i = linear(at, size) + blockIdx.x * size.x * size.y * size.z;
    out[i] = (int)i + lowest(set << (i & 31)) + first[i & 1] + second + (int)again.x;
}

int main()
{
    static_assert(isStatus<cudaError_t>::value && isStatus<CUresult>::value, "both are");
    if (!good(cuInit(0)))
        return EXIT_SUCCESS;

    const uint3 block = make_uint3(8, 4, 2);
    uint3 grid = make_uint3(3, 1, 1);
    dim3 blocks = grid;
    const int n = 3 * 64, offset = 5;
    int *device = nullptr;
    if (!good(cudaMalloc(&device, n * sizeof(int))) ||
        !good(cudaMemcpyToSymbol(second, &offset, sizeof offset)))
        return EXIT_FAILURE;
    LAUNCH((fill<<<blocks, block>>>(device, 2)));
    LAUNCH((fill<<<grid, make_uint3(8, 4, 2), 0, 0>>>(device, 2)));

    std::vector<int> host(n);
    if (!good(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost)))
        return EXIT_FAILURE;
    cudaFree(device);
    for (int i = 0; i < n; ++i) {
        int want = i + 1 + (i & 31) + (i & 1 ? 20 : 10) + offset + 3;
        if (host[i] != want) {
            std::fprintf(stderr, "%d: %d instead of %d\n", i, host[i], want);
            return EXIT_FAILURE;
        }
    }
    std::printf("%s; %s\n", text(cudaSuccess), unit(cudaDevAttrTotalConstantMemory));
    return EXIT_SUCCESS;
}
