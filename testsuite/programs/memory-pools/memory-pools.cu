// Stream-ordered allocation from the device's own pool and from one made for the program.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#define RETURN_IF_ERROR(call)                                        \
  if (const cudaError_t status = (call); status != cudaSuccess) {    \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,          \
                 cudaGetErrorString(status));                        \
    return status;                                                   \
  }

__global__ void collatz(const std::uint32_t* start, std::uint32_t* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint64_t v = start[i];
  std::uint32_t count = 0;
  while (v != 1) {
    v = v % 2 ? 3 * v + 1 : v / 2;
    ++count;
  }
  steps[i] = count;
}

// One batch: allocate, work and free in the stream; nothing waits for the host.
template <typename Allocate>
static cudaError_t Batch(Allocate allocate, cudaStream_t stream,
                         const std::vector<std::uint32_t>& in, std::vector<std::uint32_t>& out) {
  const std::size_t bytes = in.size() * sizeof(std::uint32_t);
  void *start = nullptr, *steps = nullptr;
  RETURN_IF_ERROR(allocate(&start, bytes));
  RETURN_IF_ERROR(allocate(&steps, bytes));
  RETURN_IF_ERROR(cudaMemcpyAsync(start, in.data(), bytes, cudaMemcpyHostToDevice, stream));
  RETURN_IF_ERROR(cudaMemsetAsync(steps, 0, bytes, stream));
  const int n = static_cast<int>(in.size());
  collatz<<<(n + 127) / 128, 128, 0, stream>>>(static_cast<const std::uint32_t*>(start),
                                               static_cast<std::uint32_t*>(steps), n);
  RETURN_IF_ERROR(cudaGetLastError());
  RETURN_IF_ERROR(cudaMemcpyAsync(out.data(), steps, bytes, cudaMemcpyDeviceToHost, stream));
  RETURN_IF_ERROR(cudaFreeAsync(start, stream));
  RETURN_IF_ERROR(cudaFreeAsync(steps, stream));
  return cudaSuccess;
}

static cudaError_t Run(const std::vector<std::uint32_t>& in, std::vector<std::uint32_t>& first,
                       std::vector<std::uint32_t>& second) {
  int device = 0, supported = 0;
  RETURN_IF_ERROR(cudaGetDevice(&device));
  RETURN_IF_ERROR(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  if (!supported) return cudaErrorNotSupported;

  cudaStream_t stream;
  int low = 0, high = 0;
  RETURN_IF_ERROR(cudaDeviceGetStreamPriorityRange(&low, &high));
  RETURN_IF_ERROR(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, high));

  cudaMemPool_t pool;
  std::uint64_t keep = UINT64_MAX;
  RETURN_IF_ERROR(cudaDeviceGetDefaultMemPool(&pool, device));
  RETURN_IF_ERROR(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  RETURN_IF_ERROR(Batch([stream](void** p, std::size_t n) { return cudaMallocAsync(p, n, stream); },
                        stream, in, first));

  cudaMemPoolProps properties;
  std::memset(&properties, 0, sizeof properties);
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t own;
  RETURN_IF_ERROR(cudaMemPoolCreate(&own, &properties));
  cudaMemAccessDesc access;
  access.location = properties.location;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  RETURN_IF_ERROR(cudaMemPoolSetAccess(own, &access, 1));
  for (int repeat = 0; repeat < 3; ++repeat)
    RETURN_IF_ERROR(Batch(
        [=](void** p, std::size_t n) { return cudaMallocFromPoolAsync(p, n, own, stream); },
        stream, in, second));

  RETURN_IF_ERROR(cudaStreamSynchronize(stream));
  std::uint64_t used = 1;
  RETURN_IF_ERROR(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  RETURN_IF_ERROR(cudaMemPoolTrimTo(pool, 0));
  RETURN_IF_ERROR(cudaMemPoolDestroy(own));
  RETURN_IF_ERROR(cudaStreamDestroy(stream));
  return used == 0 ? cudaSuccess : cudaErrorUnknown;
}

int main() {
  std::vector<std::uint32_t> in(50000), first(in.size()), second(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i + 1);

  const cudaError_t status = Run(in, first, second);
  if (status == cudaErrorNotSupported) {
    std::puts("the device has no memory pools");
    return 0;
  }
  int wrong = status != cudaSuccess;
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::uint64_t v = in[i];
    std::uint32_t count = 0;
    for (; v != 1; ++count) v = v % 2 ? 3 * v + 1 : v / 2;
    wrong += first[i] != count || second[i] != count;
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
