// cuSPARSE, generic interface: the five-point Laplacian in CSR times a vector and times a dense
// matrix, a conversion to dense, and the conversion of sorted rows to row offsets.
#include <cusparse.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(call)                                                                          \
    if (cudaError_t error_ = (call)) {                                                           \
        std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(error_));                       \
        std::exit(1);                                                                            \
    }

#define SPARSE_CALL(call)                                                                        \
    do {                                                                                         \
        cusparseStatus_t status_ = (call);                                                       \
        if (status_ != CUSPARSE_STATUS_SUCCESS) {                                                \
            std::fprintf(stderr, "%s: status %d\n", #call, static_cast<int>(status_));           \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (false)

struct Laplacian {
    int n;
    std::vector<int> rows, offsets, columns;
    std::vector<float> values;

    explicit Laplacian(int side) : n(side * side), offsets(1, 0)
    {
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                const int here = y * side + x;
                if (y > 0)
                    add(here, here - side, -1);
                if (x > 0)
                    add(here, here - 1, -1);
                add(here, here, 4);
                if (x + 1 < side)
                    add(here, here + 1, -1);
                if (y + 1 < side)
                    add(here, here + side, -1);
                offsets.push_back(static_cast<int>(values.size()));
            }
    }
    void add(int row, int column, float value)
    {
        rows.push_back(row);
        columns.push_back(column);
        values.push_back(value);
    }
    std::vector<float> times(const float *x) const
    {
        std::vector<float> y(n);
        for (size_t k = 0; k < values.size(); ++k)
            y[rows[k]] += values[k] * x[columns[k]];
        return y;
    }
};

template <class T> T *onDevice(const std::vector<T> &host)
{
    T *device;
    CUDA_CALL(cudaMalloc(&device, host.size() * sizeof(T)));
    CUDA_CALL(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> std::vector<T> onHost(const T *device, size_t count)
{
    std::vector<T> host(count);
    CUDA_CALL(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

static bool close(const float *got, const std::vector<float> &wanted)
{
    for (size_t i = 0; i < wanted.size(); ++i)
        if (std::fabs(got[i] - wanted[i]) > 1e-4f)
            return false;
    return true;
}

int main()
{
    const Laplacian laplacian(12);
    const int n = laplacian.n, nonzeros = static_cast<int>(laplacian.values.size());
    const int width = 3;
    std::vector<float> x(n * width);
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i * 29 % 31) / 31;

    int *rows = onDevice(laplacian.rows), *columns = onDevice(laplacian.columns);
    int *offsets = onDevice(std::vector<int>(n + 1));
    float *values = onDevice(laplacian.values), *dX = onDevice(x);
    float *dY = onDevice(std::vector<float>(n * width)), *dDense = onDevice(std::vector<float>(n * n));

    cusparseHandle_t handle;
    SPARSE_CALL(cusparseCreate(&handle));
    SPARSE_CALL(cusparseXcoo2csr(handle, rows, nonzeros, n, offsets, CUSPARSE_INDEX_BASE_ZERO));
    bool ok = onHost(offsets, n + 1) == laplacian.offsets;

    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t vectorX, vectorY;
    cusparseDnMatDescr_t matrixX, matrixY, dense;
    SPARSE_CALL(cusparseCreateCsr(&matrix, n, n, nonzeros, offsets, columns, values,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_32F));
    SPARSE_CALL(cusparseCreateDnVec(&vectorX, n, dX, CUDA_R_32F));
    SPARSE_CALL(cusparseCreateDnVec(&vectorY, n, dY, CUDA_R_32F));
    SPARSE_CALL(cusparseCreateDnMat(&matrixX, n, width, n, dX, CUDA_R_32F, CUSPARSE_ORDER_COL));
    SPARSE_CALL(cusparseCreateDnMat(&matrixY, n, width, n, dY, CUDA_R_32F, CUSPARSE_ORDER_COL));
    SPARSE_CALL(cusparseCreateDnMat(&dense, n, n, n, dDense, CUDA_R_32F, CUSPARSE_ORDER_COL));

    const float alpha = 1, beta = 0;
    size_t needed = 0, most = 0;
    SPARSE_CALL(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix,
                                        vectorX, &beta, vectorY, CUDA_R_32F,
                                        CUSPARSE_SPMV_ALG_DEFAULT, &needed));
    most = needed;
    SPARSE_CALL(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                        CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, matrixX,
                                        &beta, matrixY, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                                        &needed));
    most = needed > most ? needed : most;
    SPARSE_CALL(cusparseSparseToDense_bufferSize(handle, matrix, dense,
                                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &needed));
    most = needed > most ? needed : most;
    void *buffer;
    CUDA_CALL(cudaMalloc(&buffer, most + 1));

    SPARSE_CALL(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, vectorX,
                             &beta, vectorY, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    ok = ok && close(onHost(dY, n).data(), laplacian.times(x.data()));

    SPARSE_CALL(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                             CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, matrixX, &beta,
                             matrixY, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
    const std::vector<float> y = onHost(dY, n * width);
    for (int c = 0; c < width; ++c)
        ok = ok && close(&y[c * n], laplacian.times(&x[c * n]));

    SPARSE_CALL(cusparseSparseToDense(handle, matrix, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                      buffer));
    std::vector<float> wanted(n * n);
    for (int k = 0; k < nonzeros; ++k)
        wanted[laplacian.columns[k] * n + laplacian.rows[k]] = laplacian.values[k];
    ok = ok && close(onHost(dDense, n * n).data(), wanted);

    SPARSE_CALL(cusparseDestroySpMat(matrix));
    SPARSE_CALL(cusparseDestroyDnVec(vectorX));
    SPARSE_CALL(cusparseDestroyDnVec(vectorY));
    for (cusparseDnMatDescr_t one : {matrixX, matrixY, dense})
        SPARSE_CALL(cusparseDestroyDnMat(one));
    SPARSE_CALL(cusparseDestroy(handle));
    for (void *memory : {(void *)rows, (void *)columns, (void *)offsets, (void *)values, (void *)dX,
                         (void *)dY, (void *)dDense, buffer})
        CUDA_CALL(cudaFree(memory));
    std::puts(ok ? "passed" : "FAILED");
    return ok ? 0 : 1;
}
