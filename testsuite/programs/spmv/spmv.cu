// Sparse matrix times vector, one sub-warp per row; the width is a template argument.  Old code
// for a CUDA before 9 is still there behind its version test.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#ifndef __CUDACC__
#error "cudaMalloc and friends are here, but this is no CUDA compiler"
#endif

// All 64 bits: an unsigned parameter takes the lower half, a 64-bit one takes everything.
static constexpr unsigned long long kAllLanes = ~0ull;

template <typename T> __device__ __inline__ T shuffleXor(T value, int mask, int width)
{
#if defined(CUDART_VERSION) && CUDART_VERSION < 9000
    return __shfl_xor(value, mask, width);
#else
    return __shfl_xor_sync(kAllLanes, value, mask, width);
#endif
}

struct Csr {
    int rows;
    std::vector<int> start, column;
    std::vector<double> value;
};

template <int Width>
__global__ void spmv(int rows, const int *__restrict__ start, const int *__restrict__ column,
                     const double *__restrict__ value, const double *__restrict__ x, double *y)
{
    const int lane = threadIdx.x % Width;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / Width;
    double sum = 0.0;
    if (row < rows)
        for (int k = start[row] + lane; k < start[row + 1]; k += Width)
            sum += value[k] * __ldg(&x[column[k]]);
#pragma unroll
    for (int d = Width / 2; 0 < d; d >>= 1)
        sum += shuffleXor(sum, d, Width);
    if (row < rows && lane == 0)
        y[row] = sum;
}

// Copies of what a row's first lane knows, and an exclusive count by shuffles up.
__global__ void rowOffsets(const int *start, int rows, int *offsets)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int length = i < rows ? start[i + 1] - start[i] : 0;
    const int own = length;
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(kAllLanes, length, d, 32);
        if (d <= static_cast<int>(threadIdx.x % 32))
            length += other;
    }
    const int first = __shfl_sync(kAllLanes, i < rows ? start[i] : 0, 0, 32);
    if (i < rows)
        offsets[i] = first + length - own;
}

static int failures = 0;
static void expect(cudaError_t e)
{
    if (e != cudaSuccess && ++failures)
        std::fprintf(stderr, "cuda error: %s\n", cudaGetErrorString(e));
}

template <class T> static T *upload(const std::vector<T> &v)
{
    T *p = nullptr;
    expect(cudaMalloc(&p, v.size() * sizeof(T)));
    expect(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

int main()
{
    Csr m{3000, {0}, {}, {}};
    for (int r = 0; r < m.rows; ++r) {
        for (int k = 0; k < r % 41; ++k) {
            m.column.push_back((r * 31 + k * 7) % m.rows);
            m.value.push_back(1.0 + k % 4);
        }
        m.start.push_back(static_cast<int>(m.column.size()));
    }
    std::vector<double> x(m.rows), y(m.rows), expected(m.rows, 0.0);
    for (int i = 0; i < m.rows; ++i)
        x[i] = i % 10;
    for (int r = 0; r < m.rows; ++r)
        for (int k = m.start[r]; k < m.start[r + 1]; ++k)
            expected[r] += m.value[k] * x[m.column[k]];

    int *start = upload(m.start), *column = upload(m.column), *offsets = upload(m.start);
    double *value = upload(m.value), *dx = upload(x), *dy = upload(y);
    std::vector<int> found(m.rows);
    rowOffsets<<<(m.rows + 127) / 128, 128>>>(start, m.rows, offsets);
    expect(cudaMemcpy(found.data(), offsets, m.rows * sizeof(int), cudaMemcpyDeviceToHost));
    for (int r = 0; r < m.rows; ++r)
        failures += found[r] != m.start[r];

    for (int width : {4, 16, 32}) {
        const int blocks = (m.rows * width + 255) / 256;
        expect(cudaMemset(dy, 0, m.rows * sizeof(double)));
        switch (width) {
        case 4: spmv<4><<<blocks, 256>>>(m.rows, start, column, value, dx, dy); break;
        case 16: spmv<16><<<blocks, 256>>>(m.rows, start, column, value, dx, dy); break;
        default: spmv<32><<<blocks, 256>>>(m.rows, start, column, value, dx, dy);
        }
        expect(cudaGetLastError());
        expect(cudaMemcpy(y.data(), dy, m.rows * sizeof(double), cudaMemcpyDeviceToHost));
        for (int r = 0; r < m.rows; ++r)
            failures += y[r] != expected[r];
    }
    for (void *p : {(void *)start, (void *)column, (void *)offsets, (void *)value, (void *)dx,
                    (void *)dy})
        expect(cudaFree(p));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
