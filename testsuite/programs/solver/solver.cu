// cuSOLVER: solves a system by LU, a symmetric one by Cholesky, and finds the eigenvalues of a matrix
// whose eigenvalues are known.
#include <cusolverDn.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

void require(bool condition, const char *what)
{
    if (!condition) {
        std::printf("%s failed\n", what);
        std::exit(1);
    }
}
#define CUDA(call) require((call) == cudaSuccess, #call)
#define SOLVER(call) require((call) == CUSOLVER_STATUS_SUCCESS, #call)

using Vector = std::vector<double>;

struct Device {
    double *data;
    explicit Device(const Vector &host)
    {
        CUDA(cudaMalloc(&data, host.size() * sizeof(double)));
        CUDA(cudaMemcpy(data, host.data(), host.size() * sizeof(double), cudaMemcpyHostToDevice));
    }
    explicit Device(int count)
    {
        CUDA(cudaMalloc(&data, count * sizeof(double)));
    }
    ~Device()
    {
        cudaFree(data);
    }
    Vector host(int count) const
    {
        Vector values(count);
        CUDA(cudaMemcpy(values.data(), data, count * sizeof(double), cudaMemcpyDeviceToHost));
        return values;
    }
};

// The second difference: 2 on the diagonal, -1 beside it.
Vector differences(int n)
{
    Vector matrix(n * n);
    for (int i = 0; i < n; ++i) {
        matrix[i * n + i] = 2;
        if (i + 1 < n)
            matrix[i * n + i + 1] = matrix[(i + 1) * n + i] = -1;
    }
    return matrix;
}

bool solves(const Vector &matrix, const Vector &x, const Vector &right)
{
    const int n = static_cast<int>(x.size());
    for (int row = 0; row < n; ++row) {
        double sum = -right[row];
        for (int column = 0; column < n; ++column)
            sum += matrix[column * n + row] * x[column];
        if (!(std::fabs(sum) < 1e-8))
            return false;
    }
    return true;
}

int main()
{
    const int n = 40;
    cusolverDnHandle_t handle;
    cudaStream_t stream;
    SOLVER(cusolverDnCreate(&handle));
    CUDA(cudaStreamCreate(&stream));
    SOLVER(cusolverDnSetStream(handle, stream));

    int *info, *pivots, status, size;
    CUDA(cudaMalloc(&info, sizeof(int)));
    CUDA(cudaMalloc(&pivots, n * sizeof(int)));
    auto finished = [&] {
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(&status, info, sizeof(int), cudaMemcpyDeviceToHost));
        return status == 0;
    };

    Vector right(n), general(n * n);
    for (int i = 0; i < n; ++i)
        right[i] = i % 5 - 1.5;
    for (int i = 0; i < n * n; ++i)
        general[i] = (i * 71 % 113) / 113.0 + (i % (n + 1) == 0 ? n : 0);
    bool ok = true;

    {
        Device a(general), b(right);
        SOLVER(cusolverDnDgetrf_bufferSize(handle, n, n, a.data, n, &size));
        Device work(size);
        SOLVER(cusolverDnDgetrf(handle, n, n, a.data, n, work.data, pivots, info));
        ok = ok && finished();
        SOLVER(cusolverDnDgetrs(handle, CUBLAS_OP_N, n, 1, a.data, n, pivots, b.data, n, info));
        ok = ok && finished() && solves(general, b.host(n), right);
    }
    {
        Device a(differences(n)), b(right);
        SOLVER(cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, a.data, n, &size));
        Device work(size);
        SOLVER(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, a.data, n, work.data, size, info));
        ok = ok && finished();
        SOLVER(cusolverDnDpotrs(handle, CUBLAS_FILL_MODE_LOWER, n, 1, a.data, n, b.data, n, info));
        ok = ok && finished() && solves(differences(n), b.host(n), right);
    }
    {
        Device a(differences(n)), eigenvalues(n);
        SOLVER(cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_NOVECTOR,
                                           CUBLAS_FILL_MODE_UPPER, n, a.data, n, eigenvalues.data,
                                           &size));
        Device work(size);
        SOLVER(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, n,
                                a.data, n, eigenvalues.data, work.data, size, info));
        ok = ok && finished();
        const Vector found = eigenvalues.host(n);
        for (int k = 0; k < n; ++k) {
            const double known = 2 - 2 * std::cos((k + 1) * M_PI / (n + 1));
            ok = ok && std::fabs(found[k] - known) < 1e-10;
        }
    }

    CUDA(cudaFree(pivots));
    CUDA(cudaFree(info));
    SOLVER(cusolverDnDestroy(handle));
    CUDA(cudaStreamDestroy(stream));
    std::puts(ok ? "passed" : "FAILED");
    return ok ? 0 : 1;
}
