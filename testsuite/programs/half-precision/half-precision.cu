// Dot product and a scaled sum in half precision: scalar __half, packed __half2, and the
// conversions between them.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N (1 << 14)
#define THREADS 128

#define DIE_ON(err) die_on((err), __func__, __LINE__)
static void die_on(cudaError_t err, const char *where, int line)
{
    if (err) {
        fprintf(stderr, "%s, line %d: %s\n", where, line, cudaGetErrorString(err));
        abort();
    }
}

__global__ void to_half(const float *in, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __float2half_rn(in[i]);
}

/* y = a * x + y for pairs; the last odd element is done alone. */
__global__ void haxpy(__half a, const __half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 *x2 = (const __half2 *)x;
    __half2 *y2 = (__half2 *)y;
    if (i < n / 2)
        y2[i] = __hfma2(__half2half2(a), x2[i], y2[i]);
    if (i == 0 && n % 2)
        y[n - 1] = __hadd(__hmul(a, x[n - 1]), y[n - 1]);
}

__global__ void hdot(const __half *x, const __half *y, float *result, int n)
{
    __shared__ float sums[THREADS];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
        const half2 p = __hmul2(((const half2 *)x)[i], ((const half2 *)y)[i]);
        sum += __low2float(p) + __high2float(p);
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int d = THREADS / 2; 0 < d; d /= 2) {
        if (threadIdx.x < d)
            sums[threadIdx.x] += sums[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, sums[0]);
}

__global__ void clamp(half *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const half top = __float2half(2.0f);
    if (i < n && __hgt(values[i], top))
        values[i] = top;
    if (i < n && __hisnan(values[i]))
        values[i] = __float2half(0.0f);
}

int main(void)
{
    static float x[N], y[N];
    static unsigned short bits[N];
    double expected = 0;
    float result = 0, *df, *ddot;
    __half *hx, *hy;

    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 8) * 0.125f;
        y[i] = (float)(i % 5) * 0.25f;
    }

    DIE_ON(cudaMalloc((void **)&df, sizeof x));
    DIE_ON(cudaMalloc((void **)&hx, N * sizeof(__half)));
    DIE_ON(cudaMalloc((void **)&hy, N * sizeof(__half)));
    DIE_ON(cudaMalloc((void **)&ddot, sizeof *ddot));
    DIE_ON(cudaMemcpy(df, x, sizeof x, cudaMemcpyHostToDevice));
    to_half<<<N / THREADS, THREADS>>>(df, hx, N);
    DIE_ON(cudaMemcpy(df, y, sizeof y, cudaMemcpyHostToDevice));
    to_half<<<N / THREADS, THREADS>>>(df, hy, N);

    DIE_ON(cudaMemset(ddot, 0, sizeof *ddot));
    haxpy<<<N / THREADS / 2, THREADS>>>(__float2half(2.0f), hx, hy, N);
    clamp<<<N / THREADS, THREADS>>>(hy, N);
    hdot<<<16, THREADS>>>(hx, hy, ddot, N);
    DIE_ON(cudaGetLastError());
    DIE_ON(cudaMemcpy(&result, ddot, sizeof result, cudaMemcpyDeviceToHost));
    DIE_ON(cudaMemcpy(bits, hy, sizeof bits, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < N; i++) {
        float v = 2.0f * x[i] + y[i];
        v = 2.0f < v ? 2.0f : v;
        expected += v * x[i];
        __half found;
        *(unsigned short *)&found = bits[i];
        wrong += __half2float(found) != v; /* every value is exact in half precision */
    }
    wrong += expected * 1e-3 < fabs(expected - result);
    printf("dot %f, expected %f, %d wrong\n", result, expected, wrong);
    DIE_ON(cudaFree(df));
    DIE_ON(cudaFree(hx));
    DIE_ON(cudaFree(hy));
    DIE_ON(cudaFree(ddot));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
