/*
 * Byte histogram: each block counts in shared memory with atomics and adds its counts to
 * the result at the end. This file has CRLF line ends, as sources from Windows do.
 */
#ifdef _WIN32
#include <windows.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#define BINS 256
#define THREADS 192

#ifndef SAFE_CALL
#define SAFE_CALL(x) { cudaError_t rc = x; if (rc != cudaSuccess) return fail(#x, rc); }
#endif

static int fail(const char *what, cudaError_t rc)
{
    fprintf(stderr, "%s: error %d (%s)\n", what, (int)rc, cudaGetErrorName(rc));
    return EXIT_FAILURE;
}

__device__ unsigned int overflowed = 0;

__global__ void histogram(const uchar4 *data, size_t quads, unsigned int *bins)
{
    __shared__ unsigned int local[BINS];

    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        local[i] = 0u;
    __syncthreads();

    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < quads; i += stride) {
        uchar4 q = data[i];
        atomicAdd(&local[q.x], 1u);
        atomicAdd(&local[q.y], 1u);
        atomicAdd(&local[q.z], 1u);
        atomicAdd(&local[q.w], 1u);
    }
    __syncthreads();

    for (int i = threadIdx.x; i < BINS; i += blockDim.x) {
        unsigned int before = atomicAdd(bins + i, local[i]);
        if (before + local[i] < before)
            atomicExch(&overflowed, 1u);
    }
}

int main(void)
{
    const size_t bytes = 1u << 22;
    unsigned char *host = (unsigned char *)malloc(bytes);
    unsigned int expected[BINS] = { 0 }, found[BINS];
    unsigned int state = 12345u, flag = 0;
    uchar4 *data;
    unsigned int *bins;

    if (host == NULL)
        return EXIT_FAILURE;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = (unsigned char)((state >> 24) & (state >> 16));
        expected[host[i]]++;
    }

    SAFE_CALL(cudaSetDevice(0));
    SAFE_CALL(cudaMalloc((void **)&data, bytes));
    SAFE_CALL(cudaMalloc((void **)&bins, sizeof(found)));
    SAFE_CALL(cudaMemset(bins, 0, sizeof(found)));
    SAFE_CALL(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));

    histogram<<<64, THREADS>>>(data, bytes / sizeof(uchar4), bins);
    SAFE_CALL(cudaGetLastError());

    SAFE_CALL(cudaMemcpy(found, bins, sizeof(found), cudaMemcpyDeviceToHost));
    SAFE_CALL(cudaMemcpyFromSymbol(&flag, overflowed, sizeof(flag)));
    SAFE_CALL(cudaFree(data));
    SAFE_CALL(cudaFree(bins));
    free(host);

    int good = !flag && memcmp(found, expected, sizeof(found)) == 0;
    printf("histogram: %s\n", good ? "ok" : "WRONG");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
