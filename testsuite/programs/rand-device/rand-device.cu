// Monte Carlo integration with generators that live in device memory: three kinds of state and
// four distributions of the cuRAND device API.
#include <curand_kernel.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#define REQUIRE(expression)                                                                  \
    do {                                                                                     \
        auto code = (expression);                                                            \
        if (code != cudaSuccess) {                                                           \
            std::printf("%s (%s)\n", cudaGetErrorString(code), #expression);                 \
            std::exit(1);                                                                    \
        }                                                                                    \
    } while (false)

constexpr int kThreads = 256;
constexpr int kBlocks = 64;
constexpr int kDraws = 512;

template <class State>
__global__ void setup(State *states, unsigned long long seed)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, id, 0, &states[id]);
}

// Counts the points inside the quarter circle.
template <class State>
__global__ void quarterCircle(State *states, unsigned long long *hits)
{
    __shared__ unsigned int inside;
    if (threadIdx.x == 0)
        inside = 0;
    __syncthreads();

    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    State state = states[id];
    unsigned int mine = 0;
    for (int i = 0; i < kDraws; ++i) {
        const float x = curand_uniform(&state);
        const float y = curand_uniform(&state);
        mine += x * x + y * y < 1.0f;
    }
    states[id] = state;
    atomicAdd(&inside, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(hits, static_cast<unsigned long long>(inside));
}

__global__ void moments(curandStatePhilox4_32_10_t *states, double *sums)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state = states[id];
    float sum = 0, squares = 0;
    for (int i = 0; i < kDraws / 4; ++i) {
        const float4 v = curand_normal4(&state);
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float2 pair = curand_normal2(&state);
    sum += (curand(&state) & 1u) ? pair.x - pair.x : pair.y - pair.y;
    atomicAdd(&sums[0], static_cast<double>(sum));
    atomicAdd(&sums[1], static_cast<double>(squares));
    states[id] = state;
}

template <class State>
static bool estimatesPi(const char *name)
{
    State *states;
    unsigned long long *hits, found = 0;
    REQUIRE(cudaMalloc(&states, kThreads * kBlocks * sizeof(State)));
    REQUIRE(cudaMalloc(&hits, sizeof *hits));
    REQUIRE(cudaMemset(hits, 0, sizeof *hits));
    setup<<<kBlocks, kThreads>>>(states, 20240229ull);
    quarterCircle<<<kBlocks, kThreads>>>(states, hits);
    REQUIRE(cudaMemcpy(&found, hits, sizeof found, cudaMemcpyDeviceToHost));

    if constexpr (std::is_same<State, curandStatePhilox4_32_10_t>::value) {
        double *sums, host[2];
        REQUIRE(cudaMalloc(&sums, sizeof host));
        REQUIRE(cudaMemset(sums, 0, sizeof host));
        moments<<<kBlocks, kThreads>>>(states, sums);
        REQUIRE(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
        REQUIRE(cudaFree(sums));
        const double draws = double(kThreads) * kBlocks * kDraws;
        if (0.01 < std::fabs(host[0] / draws) || 0.01 < std::fabs(host[1] / draws - 1.0))
            return false;
    }
    REQUIRE(cudaFree(states));
    REQUIRE(cudaFree(hits));
    const double pi = 4.0 * found / (double(kThreads) * kBlocks * kDraws);
    std::printf("%s: pi is about %.5f\n", name, pi);
    return std::fabs(pi - 3.14159265) < 0.005;
}

int main()
{
    const bool good = estimatesPi<curandState>("XORWOW") &
                      estimatesPi<curandStateMRG32k3a>("MRG32k3a") &
                      estimatesPi<curandStatePhilox4_32_10_t>("Philox");
    return good ? 0 : 1;
}
