// The driver API from a plain C++ file: contexts, modules, functions, launches with a parameter
// array.  The module comes from the command line.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#define CU(call) checkDriver((call), #call, __LINE__)

static void checkDriver(CUresult result, const char *call, int line)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = nullptr, *text = nullptr;
    cuGetErrorName(result, &name);
    cuGetErrorString(result, &text);
    std::fprintf(stderr, "line %d: %s: %s (%s)\n", line, call, name ? name : "?",
                 text ? text : "unknown");
    std::exit(EXIT_FAILURE);
}

static std::vector<char> readFile(const char *path)
{
    std::ifstream file(path, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s MODULE [image]\n", argv[0]);
        return EXIT_FAILURE;
    }

    CU(cuInit(0));
    int version = 0, count = 0;
    CU(cuDriverGetVersion(&version));
    CU(cuDeviceGetCount(&count));
    if (count == 0)
        return EXIT_SUCCESS;

    CUdevice device;
    CUcontext context = nullptr;
    char name[128];
    int maxThreads = 0;
    size_t memory = 0;
    CU(cuDeviceGet(&device, 0));
    CU(cuDeviceGetName(name, sizeof name, device));
    CU(cuDeviceTotalMem(&memory, device));
    CU(cuDeviceGetAttribute(&maxThreads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    std::printf("%s: driver %d, %zu MiB, %d threads\n", name, version, memory >> 20, maxThreads);
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));

    CUmodule module;
    if (2 < argc) {
        const std::vector<char> image = readFile(argv[1]);
        CU(cuModuleLoadData(&module, image.data()));
    } else {
        CU(cuModuleLoad(&module, argv[1]));
    }
    CUfunction saxpy, reverse;
    CU(cuModuleGetFunction(&saxpy, module, "saxpy"));
    CU(cuModuleGetFunction(&reverse, module, "reverse"));

    CUdeviceptr scale;
    size_t scaleSize = 0;
    float two = 2.0f;
    CU(cuModuleGetGlobal(&scale, &scaleSize, module, "scale"));
    CU(cuMemcpyHtoD(scale, &two, scaleSize));

    int n = 256;
    float a = 3.0f;
    std::vector<float> x(n), y(n), result(n);
    for (int i = 0; i < n; i++) {
        x[i] = float(i);
        y[i] = float(n - i);
    }
    const size_t bytes = n * sizeof(float);
    CUdeviceptr dx, dy;
    CUstream stream;
    CUevent finished;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&finished, CU_EVENT_DISABLE_TIMING));
    CU(cuMemAlloc(&dx, bytes));
    CU(cuMemAlloc(&dy, bytes));
    CU(cuMemcpyHtoDAsync(dx, x.data(), bytes, stream));
    CU(cuMemcpyHtoDAsync(dy, y.data(), bytes, stream));

    void *saxpyArguments[] = {&a, &dx, &dy, &n};
    CU(cuLaunchKernel(saxpy, (n + 63) / 64, 1, 1, 64, 1, 1, 0, stream, saxpyArguments, nullptr));
    void *reverseArguments[] = {&dy, &n};
    CU(cuLaunchKernel(reverse, 1, 1, 1, n, 1, 1, (unsigned)bytes, stream, reverseArguments, 0));
    CU(cuEventRecord(finished, stream));
    CU(cuEventSynchronize(finished));
    CU(cuMemcpyDtoH(result.data(), dy, bytes));

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += result[n - 1 - i] != two * a * x[i] + y[i];

    CU(cuMemFree(dx));
    CU(cuMemFree(dy));
    CU(cuEventDestroy(finished));
    CU(cuStreamDestroy(stream));
    CU(cuModuleUnload(module));
    CU(cuDevicePrimaryCtxRelease(device));
    std::printf("%d wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
