/*
 * Thrust: vectors, sort by key, reduction by key, transform with a functor, zip and counting iterators,
 * an execution policy on a stream, and a raw pointer that goes to a kernel.
 */
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define ENSURE(condition)                                              \
    if (!(condition)) {                                                \
        std::printf("line %d: %s\n", __LINE__, #condition);            \
        return EXIT_FAILURE;                                           \
    }

struct Saxpy
{
    float a;

    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

struct DotOfTuple
{
    template <class Tuple>
    __host__ __device__ float operator()(const Tuple& t) const
    {
        return thrust::get<0>(t) * thrust::get<1>(t);
    }
};

struct SumOfSquares
{
    __host__ __device__ long long operator()(long long i) const { return i * i; }
};

__global__ void increment(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] += 1;
}

int main()
{
    const int n = 10000;

    cudaStream_t stream;
    ENSURE(cudaStreamCreate(&stream) == cudaSuccess);

    // Keys 0..9 with values 0..n-1: sort, then sum each key's values.
    thrust::host_vector<int> host(n);
    for (int i = 0; i < n; ++i)
        host[i] = i * 31 % 10;
    thrust::device_vector<int> keys = host, values(n);
    thrust::sequence(thrust::cuda::par.on(stream), values.begin(), values.end());
    thrust::sort_by_key(thrust::cuda::par.on(stream), keys.begin(), keys.end(), values.begin());
    thrust::device_vector<int> groups(10), sums(10);
    auto ends = thrust::reduce_by_key(thrust::device, keys.begin(), keys.end(), values.begin(),
                                      groups.begin(), sums.begin());
    ENSURE(ends.first - groups.begin() == 10);
    thrust::host_vector<int> expected(10, 0), found = sums;
    for (int i = 0; i < n; ++i)
        expected[host[i]] += i;
    for (int key = 0; key < 10; ++key)
        ENSURE(found[key] == expected[key]);

    thrust::device_vector<float> x(n, 2.0f), y(n, 1.0f);
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{3.0f});
    ENSURE(thrust::reduce(y.begin(), y.end(), 0.0f, thrust::plus<float>()) == 7.0f * n);

    auto both = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    ENSURE(thrust::transform_reduce(both, both + n, DotOfTuple(), 0.0f, thrust::plus<float>()) ==
           14.0f * n);

    thrust::counting_iterator<long long> first(1);
    const long long squares = thrust::transform_reduce(thrust::device, first, first + 1000,
                                                       SumOfSquares(), 0LL,
                                                       thrust::plus<long long>());
    ENSURE(squares == 333833500);

    thrust::fill(values.begin(), values.end(), 41);
    increment<<<(n + 255) / 256, 256, 0, stream>>>(thrust::raw_pointer_cast(values.data()), n);
    ENSURE(cudaStreamSynchronize(stream) == cudaSuccess);
    ENSURE(thrust::count(values.begin(), values.end(), 42) == n);

    int* raw;
    ENSURE(cudaMalloc(&raw, n * sizeof(int)) == cudaSuccess);
    thrust::device_ptr<int> wrapped = thrust::device_pointer_cast(raw);
    thrust::copy(values.begin(), values.end(), wrapped);
    ENSURE(thrust::reduce(wrapped, wrapped + n) == 42 * n);
    ENSURE(cudaFree(raw) == cudaSuccess);

    ENSURE(cudaStreamDestroy(stream) == cudaSuccess);
    std::puts("passed");
    return EXIT_SUCCESS;
}
