// A one-dimensional filter whose taps live in constant memory.  Symbols are written, read back,
// addressed and measured in every way the runtime has.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { RADIUS = 4, TAPS = 2 * RADIUS + 1, N = 1 << 16 };

struct Parameters
{
    float bias, gain;
    int clamp;
};

__constant__ float taps[TAPS];
__constant__ Parameters parameters = { 0.0f, 1.0f, 0 };
__device__ unsigned long long visits;

namespace table { __constant__ int offsets[4] = { 0, 1, 2, 3 }; }

#define TRY(what)                                                                            \
    if (cudaError_t failure = what) {                                                        \
        fprintf(stderr, "%s: %s\n", #what, cudaGetErrorString(failure));                     \
        return 1;                                                                            \
    }

__global__ void filter(const float *in, float *out, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (n <= i)
        return;
    float sum = parameters.bias;
    for (int k = -RADIUS; k <= RADIUS; ++k) {
        int j = i + k;
        if (parameters.clamp)
            j = min(max(j, 0), n - 1);
        if (0 <= j && j < n)
            sum = fmaf(taps[k + RADIUS], in[j], sum);
    }
    out[i] = sum * parameters.gain + (float)table::offsets[i & 3];
    atomicAdd(&visits, 1ull);
}

static float reference(const float *in, const float *h, const Parameters &p, int i)
{
    float sum = p.bias;
    for (int k = -RADIUS; k <= RADIUS; ++k) {
        int j = i + k;
        j = j < 0 ? 0 : N - 1 < j ? N - 1 : j;
        sum += h[k + RADIUS] * in[j];
    }
    return sum * p.gain + (float)((i & 3) * 10);
}

static float in[N], out[N];

int main()
{
    const float h[TAPS] = { 0.05f, 0.09f, 0.12f, 0.15f, 0.18f, 0.15f, 0.12f, 0.09f, 0.05f };
    const int offsets[4] = { 0, 10, 20, 30 };
    Parameters p = { 0.5f, 2.0f, 1 }, readBack;
    unsigned long long count = 0, zero = 0;
    float *devIn, *devOut, back[TAPS];
    size_t size = 0;
    void *address = NULL;
    cudaStream_t stream;

    for (int i = 0; i < N; ++i)
        in[i] = (float)(i % 31) / 31.0f;

    TRY(cudaStreamCreate(&stream));
    TRY(cudaMemcpyToSymbol(taps, h, sizeof(h)));
    TRY(cudaMemcpyToSymbol(parameters, &p, sizeof p, 0, cudaMemcpyHostToDevice));
    TRY(cudaMemcpyToSymbolAsync(visits, &zero, sizeof zero, 0, cudaMemcpyHostToDevice, stream));
    TRY(cudaGetSymbolAddress(&address, table::offsets));
    TRY(cudaGetSymbolSize(&size, table::offsets));
    if (size != sizeof offsets)
        return 1;
    TRY(cudaMemcpy(address, offsets, size, cudaMemcpyHostToDevice));
    TRY(cudaMemcpyFromSymbol(back, taps, sizeof(float) * (TAPS - 1), sizeof(float)));
    TRY(cudaMemcpyFromSymbol(&readBack, parameters, sizeof readBack));
    if (memcmp(back, h + 1, sizeof(float) * (TAPS - 1)) || readBack.gain != p.gain)
        return 1;

    TRY(cudaMalloc((void **)&devIn, sizeof in));
    TRY(cudaMalloc((void **)&devOut, sizeof out));
    TRY(cudaMemcpyAsync(devIn, in, sizeof in, cudaMemcpyHostToDevice, stream));
    filter<<<N / 128, 128, 0, stream>>>(devIn, devOut, N);
    TRY(cudaMemcpyAsync(out, devOut, sizeof out, cudaMemcpyDeviceToHost, stream));
    TRY(cudaMemcpyFromSymbolAsync(&count, visits, sizeof count, 0, cudaMemcpyDeviceToHost,
                                  stream));
    TRY(cudaStreamSynchronize(stream));

    int wrong = count != N;
    for (int i = 0; i < N; ++i) {
        const float difference = out[i] - reference(in, h, p, i);
        wrong += difference < -1e-4f || 1e-4f < difference;
    }
    printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    TRY(cudaFree(devIn));
    TRY(cudaFree(devOut));
    TRY(cudaStreamDestroy(stream));
    return wrong != 0;
}
