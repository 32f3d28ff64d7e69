// Matrix transpose through a padded shared-memory tile, beside the naive one it is compared with.
#include <cuda_runtime.h>
#include "device_launch_parameters.h"

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace matrix
{
namespace detail
{
constexpr int kTile = 32;
constexpr int kRows = 8;

inline void require(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct DeviceDeleter {
    void operator()(void *p) const { cudaFree(p); }
};
} // namespace detail

template <typename T>
using DevicePtr = std::unique_ptr<T[], detail::DeviceDeleter>;

template <typename T>
DevicePtr<T> allocate(std::size_t count)
{
    T *raw = nullptr;
    detail::require(cudaMalloc(&raw, count * sizeof(T)), "cudaMalloc");
    return DevicePtr<T>(raw);
}

namespace kernels
{
template <typename T>
__global__ void naive(T *out, const T *in, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

template <typename T, int Pad = 1>
__global__ void tiled(T *out, const T *in, int width, int height)
{
    using detail::kRows;
    using detail::kTile;
    __shared__ T tile[kTile][kTile + Pad]; // the extra column keeps a column off one bank

    int x = blockIdx.x * kTile + threadIdx.x;
    int y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
    for (int j = 0; j < kTile; j += kRows)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();

    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
    for (int j = 0; j < kTile; j += kRows)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
} // namespace kernels

template <typename T>
std::vector<T> transpose(const std::vector<T> &in, int width, int height, bool useTile)
{
    using namespace detail;
    auto src = allocate<T>(in.size());
    auto dst = allocate<T>(in.size());
    require(cudaMemcpy(src.get(), in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice),
            "copy in");

    const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
    if (useTile)
        kernels::tiled<T><<<grid, dim3(kTile, kRows)>>>(dst.get(), src.get(), width, height);
    else
        matrix::kernels::naive<T>
            <<<dim3((width + 15) / 16, (height + 15) / 16), dim3{16, 16, 1}>>>(
                dst.get(), src.get(), width, height);
    require(cudaGetLastError(), "launch");

    std::vector<T> out(in.size());
    require(cudaMemcpy(out.data(), dst.get(), out.size() * sizeof(T), cudaMemcpyDeviceToHost),
            "copy out");
    return out;
}
} // namespace matrix

int main() try {
    const int width = 1000, height = 517;
    std::vector<double> in(static_cast<std::size_t>(width) * height);
    for (std::size_t i = 0; i < in.size(); i++)
        in[i] = static_cast<double>(i) * 0.5;

    int wrong = 0;
    for (bool useTile : {false, true}) {
        const auto out = matrix::transpose(in, width, height, useTile);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                wrong += out[x * height + y] != in[y * width + x];
    }
    std::cout << wrong << " wrong elements\n";
    return wrong != 0;
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 2;
}
