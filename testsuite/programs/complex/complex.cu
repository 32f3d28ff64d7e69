// Mandelbrot iterations in cuFloatComplex and a small Fourier transform in cuDoubleComplex.
#include <cuComplex.h>
#include <cuda_runtime.h>

#include <cmath>
#include <complex>
#include <iostream>
#include <string>
#include <vector>

namespace
{
const double pi = 3.14159265358979323846;

void check(cudaError_t e)
{
    if (e != cudaSuccess)
        throw std::string("CUDA: ") + cudaGetErrorString(e);
}

// A device array that frees itself.
template <typename T>
class Array
{
    T *data_ = nullptr;
    size_t size_;

public:
    explicit Array(size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(T))); }
    ~Array() { (void)cudaFree(data_); }
    Array(const Array &) = delete;
    T *get() { return data_; }
    void operator<<(const std::vector<T> &from)
    {
        check(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> host() const
    {
        std::vector<T> to(size_);
        check(cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
};
} // namespace

__host__ __device__ int escape(cuFloatComplex c, int limit)
{
    cuFloatComplex z = make_cuFloatComplex(0.0f, 0.0f);
    int n = 0;
    while (n < limit && cuCrealf(z) * cuCrealf(z) + cuCimagf(z) * cuCimagf(z) < 4.0f) {
        z = cuCaddf(cuCmulf(z, z), c);
        ++n;
    }
    return n;
}

__global__ void mandelbrot(int *out, int size, int limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < size && y < size) {
        const cuComplex c = make_cuComplex(3.0f * x / size - 2.25f, 3.0f * y / size - 1.5f);
        out[y * size + x] = escape(c, limit);
    }
}

__global__ void fourier(const cuDoubleComplex *in, cuDoubleComplex *out, double *magnitude, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (n <= k)
        return;
    cuDoubleComplex sum = make_cuDoubleComplex(0.0, 0.0);
    for (int j = 0; j < n; ++j) {
        double s, c;
        sincospi(-2.0 * (double(j) * k) / n, &s, &c);
        sum = cuCfma(in[j], make_cuDoubleComplex(c, s), sum);
    }
    out[k] = cuCdiv(sum, make_cuDoubleComplex(std::sqrt(double(n)), 0.0));
    magnitude[k] = cuCabs(cuConj(out[k]));
}

int main()
try {
    const int size = 256, limit = 64, n = 128;
    Array<int> image(size * size);
    mandelbrot<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(image.get(), size, limit);
    check(cudaGetLastError());

    std::vector<cuDoubleComplex> signal(n);
    for (int i = 0; i < n; ++i)
        signal[i] = make_cuDoubleComplex(std::cos(0.3 * i), i % 3);
    Array<cuDoubleComplex> in(n), out(n);
    Array<double> magnitude(n);
    in << signal;
    fourier<<<(n + 63) / 64, 64>>>(in.get(), out.get(), magnitude.get(), n);
    check(cudaGetLastError());

    // Rounding differs between compilers, so a few pixels at the border may too.
    int differ = 0;
    const std::vector<int> pixels = image.host();
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            differ += pixels[y * size + x] != escape(make_cuFloatComplex(3.0f * x / size - 2.25f,
                                                                         3.0f * y / size - 1.5f),
                                                     limit);
    double worst = 0;
    const auto spectrum = out.host();
    const auto absolute = magnitude.host();
    for (int k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (int j = 0; j < n; ++j)
            sum += std::complex<double>(cuCreal(signal[j]), cuCimag(signal[j])) *
                   std::polar(1.0, -2.0 * pi * j * k / n);
        sum /= std::sqrt(double(n));
        worst = std::max(worst, std::abs(sum - std::complex<double>(spectrum[k].x, spectrum[k].y)));
        worst = std::max(worst, std::abs(std::abs(sum) - absolute[k]));
    }
    std::cout << differ << " pixels differ, transform off by " << worst << "\n";
    return differ < size * size / 100 && worst < 1e-9 ? 0 : 1;
} catch (const std::string &message) {
    std::cerr << message << std::endl;
    return 2;
}
