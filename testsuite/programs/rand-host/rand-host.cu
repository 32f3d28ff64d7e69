// cuRAND from the host: three generators, uniform, normal, logarithmic-normal and Poisson numbers in
// device memory, a generator of the host, and seeds that give the same numbers twice.
#include <curand.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{
void must(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
}

void must(curandStatus_t status)
{
    if (status == CURAND_STATUS_SUCCESS)
        return;
    std::fprintf(stderr, status == CURAND_STATUS_LENGTH_NOT_MULTIPLE ? "cuRAND: odd length\n"
                                                                     : "cuRAND failed\n");
    std::exit(2);
}

class Generator
{
    curandGenerator_t generator_ = nullptr;

  public:
    explicit Generator(curandRngType_t type, unsigned long long seed)
    {
        must(curandCreateGenerator(&generator_, type));
        must(curandSetPseudoRandomGeneratorSeed(generator_, seed));
    }
    ~Generator()
    {
        curandDestroyGenerator(generator_);
    }
    Generator(const Generator &) = delete;
    Generator &operator=(const Generator &) = delete;
    operator curandGenerator_t() const
    {
        return generator_;
    }
};

template <class T> struct Buffer {
    T *data = nullptr;
    size_t count;
    explicit Buffer(size_t n) : count(n)
    {
        must(cudaMalloc(&data, n * sizeof(T)));
    }
    ~Buffer()
    {
        cudaFree(data);
    }
    std::vector<T> values() const
    {
        std::vector<T> host(count);
        must(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    double mean() const
    {
        double sum = 0;
        for (T value : values())
            sum += value;
        return sum / static_cast<double>(count);
    }
};

bool is(const char *what, double got, double wanted, double tolerance)
{
    bool good = std::fabs(got - wanted) <= tolerance;
    std::printf("%-16s %9.5f, expected %9.5f%s\n", what, got, wanted, good ? "" : "  <-- wrong");
    return good;
}
} // namespace

int main()
{
    const size_t n = 1 << 20;
    bool ok = true;

    Buffer<float> uniform(n), again(n), normal(n), skewed(n);
    Buffer<double> precise(n);
    Buffer<unsigned int> counts(n);

    Generator philox(CURAND_RNG_PSEUDO_PHILOX4_32_10, 42), twin(CURAND_RNG_PSEUDO_PHILOX4_32_10, 42);
    must(curandSetGeneratorOffset(philox, 0));
    must(curandGenerateUniform(philox, uniform.data, n));
    must(curandGenerateUniform(twin, again.data, n));
    ok &= is("uniform", uniform.mean(), 0.5, 0.005);
    ok &= uniform.values() == again.values();

    Generator xorwow(CURAND_RNG_PSEUDO_XORWOW, 7);
    cudaStream_t stream;
    must(cudaStreamCreate(&stream));
    must(curandSetStream(xorwow, stream));
    must(curandGenerateNormal(xorwow, normal.data, n, 3.0f, 2.0f));
    must(curandGenerateLogNormal(xorwow, skewed.data, n, 0.0f, 0.25f));
    must(cudaStreamSynchronize(stream));
    ok &= is("normal", normal.mean(), 3.0, 0.02);
    ok &= is("log-normal", skewed.mean(), std::exp(0.25 * 0.25 / 2), 0.01);

    Generator mrg(CURAND_RNG_PSEUDO_MRG32K3A, 99);
    must(curandGenerateUniformDouble(mrg, precise.data, n));
    must(curandGeneratePoisson(mrg, counts.data, n, 10.0));
    ok &= is("uniform double", precise.mean(), 0.5, 0.005);
    ok &= is("Poisson", counts.mean(), 10.0, 0.05);

    curandGenerator_t host;
    std::vector<float> numbers(1000);
    must(curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_DEFAULT));
    must(curandGenerateUniform(host, numbers.data(), numbers.size()));
    must(curandDestroyGenerator(host));
    for (float number : numbers)
        ok &= number > 0 && number <= 1;

    must(cudaStreamDestroy(stream));
    std::puts(ok ? "passed" : "FAILED");
    return !ok;
}
