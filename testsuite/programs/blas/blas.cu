// cuBLAS: a matrix product, a strided batch, a triangular solve and three vector calls, checked
// against loops on the CPU. Device pointers for results in one place, host pointers in another.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}

static void check(cublasStatus_t status, const char *what)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s: cuBLAS status %d\n", what, (int)status);
        exit(EXIT_FAILURE);
    }
}

#define CHECK(call) check((call), #call)

static double *upload(const std::vector<double> &values)
{
    double *device = nullptr;
    CHECK(cudaMalloc((void **)&device, values.size() * sizeof(double)));
    CHECK(cublasSetVector((int)values.size(), sizeof(double), values.data(), 1, device, 1));
    return device;
}

static std::vector<double> download(const double *device, size_t count)
{
    std::vector<double> values(count);
    CHECK(cublasGetVector((int)count, sizeof(double), device, 1, values.data(), 1));
    return values;
}

// Column-major c = a * b, all N by N.
static std::vector<double> product(const double *a, const double *b, int n)
{
    std::vector<double> c((size_t)n * n);
    for (int column = 0; column < n; column++)
        for (int k = 0; k < n; k++)
            for (int row = 0; row < n; row++)
                c[column * n + row] += a[k * n + row] * b[column * n + k];
    return c;
}

static bool near(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(b));
}

int main()
{
    const int n = 48, batches = 3;
    const int size = n * n;
    std::vector<double> a(batches * size), b(batches * size);
    for (int i = 0; i < batches * size; i++) {
        a[i] = (i * 37 % 101) / 101.0;
        b[i] = (i * 53 % 89) / 89.0 - 0.5;
    }
    double *device_a = upload(a), *device_b = upload(b);
    double *device_c = upload(std::vector<double>(batches * size));

    cublasHandle_t handle;
    cudaStream_t stream;
    CHECK(cublasCreate(&handle));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cublasSetStream(handle, stream));
    CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

    const double one = 1, zero = 0;
    bool ok = true;
    CHECK(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, device_a, n, device_b, n,
                      &zero, device_c, n));
    CHECK(cudaStreamSynchronize(stream));
    std::vector<double> expected = product(a.data(), b.data(), n);
    std::vector<double> got = download(device_c, size);
    for (int i = 0; i < size; i++)
        ok = ok && near(got[i], expected[i]);

    CHECK(cublasDgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, device_a, n,
                                    size, device_b, n, size, &zero, device_c, n, size, batches));
    CHECK(cudaStreamSynchronize(stream));
    got = download(device_c, batches * size);
    expected = product(&a[2 * size], &b[2 * size], n);
    for (int i = 0; i < size; i++)
        ok = ok && near(got[2 * size + i], expected[i]);

    // L x = b with the lower triangle of the first matrix and a diagonal of ones.
    CHECK(cublasDtrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                      CUBLAS_DIAG_UNIT, n, 1, &one, device_a, n, device_b, n));
    CHECK(cudaStreamSynchronize(stream));
    std::vector<double> x = download(device_b, n);
    for (int row = 0; row < n; row++) {
        double sum = x[row], scale = 1;
        for (int column = 0; column < row; column++) {
            sum += a[column * n + row] * x[column];
            scale += std::fabs(a[column * n + row] * x[column]);
        }
        ok = ok && std::fabs(sum - b[row]) <= 1e-9 * scale;
    }

    double dot = 0, expected_dot = 0, norm = 0;
    int largest = 0;
    CHECK(cublasDdot(handle, size, device_a, 1, device_a, 1, &dot));
    CHECK(cublasDnrm2(handle, size, device_a, 1, &norm));
    CHECK(cublasIdamax(handle, size, device_a, 1, &largest));
    for (int i = 0; i < size; i++)
        expected_dot += a[i] * a[i];
    ok = ok && near(dot, expected_dot) && near(norm, std::sqrt(expected_dot));
    ok = ok && largest >= 1 && near(a[largest - 1], 100 / 101.0);

    // With the result in device memory nothing waits for it.
    double *device_dot = upload({0});
    CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    CHECK(cublasDdot(handle, size, device_a, 1, device_a, 1, device_dot));
    CHECK(cudaStreamSynchronize(stream));
    ok = ok && near(download(device_dot, 1)[0], expected_dot);

    CHECK(cublasDestroy(handle));
    CHECK(cudaStreamDestroy(stream));
    for (double *memory : {device_a, device_b, device_c, device_dot})
        CHECK(cudaFree(memory));
    puts(ok ? "passed" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
