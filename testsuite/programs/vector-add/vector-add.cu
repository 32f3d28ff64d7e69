/* c = a + b, written the way a first CUDA program is written: C with a macro that checks
   every call.  cudaMalloc, cudaMemcpy and cudaFree are the whole API.  */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call,             \
                    cudaGetErrorString(status_));                                            \
            exit(EXIT_FAILURE);                                                              \
        }                                                                                    \
    } while (0)

/* One thread per element; the last block is partly idle. */
__global__ void add(const float *__restrict__ a, const float *__restrict__ b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = 1 < argc ? atoi(argv[1]) : 1000003;
    if (n < 1) {
        fprintf(stderr, "usage: %s [ELEMENTS]\n", argv[0]);
        return EXIT_FAILURE;
    }
    size_t bytes = (size_t)n * sizeof(float);

    float *a = (float *)malloc(bytes);
    float *b = (float *)malloc(bytes);
    float *c = (float *)malloc(bytes);
    if (!a || !b || !c) {
        fprintf(stderr, "out of memory\n");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < n; i++) {
        a[i] = sinf((float)i);
        b[i] = 1.0f / (float)(i + 1);
    }

    float *dev_a = NULL, *dev_b = NULL, *dev_c = NULL;
    CHECK(cudaMalloc((void **)&dev_a, bytes));
    CHECK(cudaMalloc((void **)&dev_b, bytes));
    CHECK(cudaMalloc(&dev_c, bytes)); /* the C++ overload takes any pointer type */
    CHECK(cudaMemcpy(dev_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dev_b, b, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dev_c, 0, bytes));

    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    add<<<blocks, threads>>>(dev_a, dev_b, dev_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c, dev_c, bytes, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] + b[i] != c[i];

    CHECK(cudaFree(dev_a));
    CHECK(cudaFree(dev_b));
    CHECK(cudaFree(dev_c));
    free(a);
    free(b);
    free(c);

    printf("%d elements, %d wrong\n", n, wrong);
    CHECK(cudaDeviceReset());
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
