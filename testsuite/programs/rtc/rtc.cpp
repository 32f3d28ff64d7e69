// Run-time compilation: the kernel is a string, specialised by a macro and a template argument,
// compiled, loaded and launched through the driver.
#include <cuda.h>
#include <nvrtc.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static const char *const kernelSource = R"cuda(
template <typename T, int Degree>
__global__ void evaluate(const T *coefficients, const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        T sum = coefficients[Degree];
        for (int k = Degree - 1; 0 <= k; --k)
            sum = sum * x[i] + coefficients[k];
        y[i] = sum * T(SCALE);
    }
}
)cuda";

static void rtc(nvrtcResult result)
{
    if (result != NVRTC_SUCCESS) {
        std::fprintf(stderr, "run-time compiler: %s\n", nvrtcGetErrorString(result));
        std::exit(2);
    }
}

static void driver(CUresult result)
{
    if (result != CUDA_SUCCESS) {
        const char *text = "?";
        cuGetErrorString(result, &text);
        std::fprintf(stderr, "driver: %s\n", text);
        std::exit(2);
    }
}

// Compiles the source; returns the code and stores the mangled name of EXPRESSION.
static std::vector<char> compile(const std::string &expression, std::string &lowered)
{
    nvrtcProgram program;
    rtc(nvrtcCreateProgram(&program, kernelSource, "evaluate.cu", 0, nullptr, nullptr));
    rtc(nvrtcAddNameExpression(program, expression.c_str()));

    const char *options[] = {"-std=c++17", "-DSCALE=0.5"};
    const nvrtcResult compiled = nvrtcCompileProgram(program, 2, options);
    size_t logSize = 0;
    rtc(nvrtcGetProgramLogSize(program, &logSize));
    if (1 < logSize) {
        std::string log(logSize, '\0');
        rtc(nvrtcGetProgramLog(program, &log[0]));
        std::fputs(log.c_str(), stderr);
    }
    rtc(compiled);

    const char *name = nullptr;
    rtc(nvrtcGetLoweredName(program, expression.c_str(), &name));
    lowered = name;
    size_t size = 0;
    rtc(nvrtcGetPTXSize(program, &size));
    std::vector<char> code(size);
    rtc(nvrtcGetPTX(program, code.data()));
    rtc(nvrtcDestroyProgram(&program));
    return code;
}

int main()
{
    int major = 0, minor = 0;
    rtc(nvrtcVersion(&major, &minor));
    std::printf("run-time compiler %d.%d\n", major, minor);

    driver(cuInit(0));
    CUdevice device;
    CUcontext context;
    driver(cuDeviceGet(&device, 0));
    driver(cuDevicePrimaryCtxRetain(&context, device));
    driver(cuCtxPushCurrent(context));

    std::string lowered;
    const std::vector<char> code = compile("evaluate<double, 3>", lowered);
    CUmodule module;
    CUfunction function;
    driver(cuModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr));
    driver(cuModuleGetFunction(&function, module, lowered.c_str()));

    int n = 1000;
    std::vector<double> coefficients{1.0, -2.0, 0.25, 3.0}, x(n), y(n);
    for (int i = 0; i < n; ++i)
        x[i] = i / 100.0;
    CUdeviceptr c, in, out;
    driver(cuMemAlloc(&c, coefficients.size() * sizeof(double)));
    driver(cuMemAlloc(&in, n * sizeof(double)));
    driver(cuMemAlloc(&out, n * sizeof(double)));
    driver(cuMemcpyHtoD(c, coefficients.data(), coefficients.size() * sizeof(double)));
    driver(cuMemcpyHtoD(in, x.data(), n * sizeof(double)));

    void *arguments[] = {&c, &in, &out, &n};
    driver(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    driver(cuCtxSynchronize());
    driver(cuMemcpyDtoH(y.data(), out, n * sizeof(double)));

    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const double v = x[i];
        const double expected = 0.5 * (((3.0 * v + 0.25) * v - 2.0) * v + 1.0);
        wrong += 1e-9 < std::fabs(expected - y[i]);
    }
    driver(cuMemFree(c));
    driver(cuMemFree(in));
    driver(cuMemFree(out));
    driver(cuModuleUnload(module));
    driver(cuDevicePrimaryCtxRelease(device));
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
