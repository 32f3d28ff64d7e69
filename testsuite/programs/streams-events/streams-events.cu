// Copies and kernels overlapped in several streams, timed with events.  RAII classes hold the
// streams, events and pinned buffers.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace gpu
{
void check(cudaError_t error, char const *expression, char const *file, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s(%d): %s -> %s\n", file, line, expression,
                 cudaGetErrorString(error));
    std::abort();
}
#define GPU(...) ::gpu::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

class Stream
{
public:
    Stream() { GPU(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(handle_); }
    Stream(Stream const &) = delete;
    Stream &operator=(Stream const &) = delete;
    operator cudaStream_t() const { return handle_; }
    bool idle() const { return cudaStreamQuery(handle_) != cudaErrorNotReady; }

private:
    cudaStream_t handle_{};
};

class Event
{
public:
    explicit Event(unsigned flags = cudaEventDefault)
    {
        GPU(cudaEventCreateWithFlags(&handle_, flags));
    }
    ~Event() { cudaEventDestroy(handle_); }
    void record(cudaStream_t stream) { GPU(cudaEventRecord(handle_, stream)); }
    void wait() { GPU(cudaEventSynchronize(handle_)); }
    operator cudaEvent_t() const { return handle_; }

    static float between(Event const &a, Event const &b)
    {
        float ms = 0;
        GPU(cudaEventElapsedTime(&ms, a, b));
        return ms;
    }

private:
    cudaEvent_t handle_{};
};
} // namespace gpu

__global__ void polynomial(float *x, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    x[i] = ((v * 2.0f + 1.0f) * v - 3.0f) * v + 4.0f;
}

static void CUDART_CB chunkDone(cudaStream_t, cudaError_t status, void *counter)
{
    if (status == cudaSuccess)
        ++*static_cast<int *>(counter);
}

int main()
{
    constexpr int kStreams = 4, kChunk = 1 << 18, kTotal = kStreams * kChunk;
    float *in = nullptr, *out = nullptr, *device = nullptr;
    GPU(cudaMallocHost(&in, kTotal * sizeof(float)));
    GPU(cudaHostAlloc((void **)&out, kTotal * sizeof(float),
                      cudaHostAllocPortable | cudaHostAllocMapped));
    GPU(cudaMalloc(&device, kTotal * sizeof(float)));
    for (int i = 0; i < kTotal; ++i)
        in[i] = static_cast<float>(i % 17) * 0.25f;

    gpu::Event start, stop, ready(cudaEventDisableTiming);
    std::array<gpu::Stream, kStreams> streams;
    std::array<int, kStreams> done{};

    start.record(streams[0]);
    ready.record(streams[0]);
    for (int s = 0; s < kStreams; ++s) {
        float *const part = device + s * kChunk;
        GPU(cudaStreamWaitEvent(streams[s], ready, 0));
        GPU(cudaMemcpyAsync(part, in + s * kChunk, kChunk * sizeof(float),
                            cudaMemcpyHostToDevice, streams[s]));
        polynomial<<<kChunk / 256,
                     256,
                     0,
                     streams[s]>>>(part, kChunk);
        GPU(cudaMemcpyAsync(out + s * kChunk, part, kChunk * sizeof(float),
                            cudaMemcpyDeviceToHost, streams[s]));
        GPU(cudaStreamAddCallback(streams[s], chunkDone, &done[s], 0));
    }
    for (auto &stream : streams)
        GPU(cudaStreamSynchronize(stream));
    stop.record(streams[0]);
    stop.wait();
    std::printf("%.3f ms, all idle: %d\n", gpu::Event::between(start, stop),
                std::all_of(streams.begin(), streams.end(), [](auto &s) { return s.idle(); }));

    int wrong = 0;
    for (int i = 0; i < kTotal; ++i) {
        const float v = in[i];
        const float expected = ((v * 2.0f + 1.0f) * v - 3.0f) * v + 4.0f;
        wrong += 1e-4f < (out[i] < expected ? expected - out[i] : out[i] - expected);
    }
    wrong += std::count(done.begin(), done.end(), 0);

    GPU(cudaFree(device));
    GPU(cudaFreeHost(in));
    GPU(cudaFreeHost(out));
    std::printf("%d wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
