// The same work twice: captured from a stream into a graph, and built from nodes by hand.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define DO(x)                                                                                \
    do                                                                                       \
        if (cudaError_t error_ = (x)) {                                                      \
            std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(error_));          \
            std::exit(EXIT_FAILURE);                                                         \
        }                                                                                    \
    while (0)

__global__ void step(float *x, float factor, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        x[i] = x[i] * factor + 1.0f;
}

static void CUDART_CB count(void *data)
{
    ++*static_cast<int *>(data);
}

class Replay
{
public:
    Replay(float *host, float *device, int n) : host_(host), device_(device), n_(n)
    {
        DO(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Replay()
    {
        if (executable_)
            cudaGraphExecDestroy(executable_);
        if (graph_)
            cudaGraphDestroy(graph_);
        cudaStreamDestroy(stream_);
    }

    void capture(int steps)
    {
        const size_t bytes = n_ * sizeof(float);
        DO(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        DO(cudaMemcpyAsync(device_, host_, bytes, cudaMemcpyHostToDevice, stream_));
        for (int i = 0; i < steps; i++)
            step<<<32, 256, 0, stream_>>>(device_, 0.5f, n_);
        DO(cudaMemcpyAsync(host_, device_, bytes, cudaMemcpyDeviceToHost, stream_));
        DO(cudaLaunchHostFunc(stream_, count, &finished_));
        cudaStreamCaptureStatus status;
        DO(cudaStreamIsCapturing(stream_, &status));
        if (status != cudaStreamCaptureStatusActive)
            std::exit(EXIT_FAILURE);
        DO(cudaStreamEndCapture(stream_, &graph_));
        DO(cudaGraphInstantiate(&executable_, graph_, 0));
    }

    void build(int steps)
    {
        const size_t bytes = n_ * sizeof(float);
        DO(cudaGraphCreate(&graph_, 0));
        cudaGraphNode_t last, next;
        DO(cudaGraphAddMemcpyNode1D(&last, graph_, nullptr, 0, device_, host_, bytes,
                                    cudaMemcpyHostToDevice));
        float factor = 0.5f;
        void *arguments[] = {&device_, &factor, &n_};
        cudaKernelNodeParams kernel = {};
        kernel.func = (void *)step;
        kernel.gridDim = dim3(32);
        kernel.blockDim = dim3(256);
        kernel.sharedMemBytes = 0;
        kernel.kernelParams = arguments;
        kernel.extra = nullptr;
        for (int i = 0; i < steps; i++) {
            DO(cudaGraphAddKernelNode(&next, graph_, &last, 1, &kernel));
            last = next;
        }
        DO(cudaGraphAddMemcpyNode1D(&next, graph_, &last, 1, host_, device_, bytes,
                                    cudaMemcpyDeviceToHost));
        cudaHostNodeParams host = {};
        host.fn = count;
        host.userData = &finished_;
        DO(cudaGraphAddHostNode(&last, graph_, &next, 1, &host));
        DO(cudaGraphInstantiateWithFlags(&executable_, graph_, 0));
    }

    void run(int times)
    {
        for (int i = 0; i < times; i++)
            DO(cudaGraphLaunch(executable_, stream_));
        DO(cudaStreamSynchronize(stream_));
    }

    size_t nodes() const
    {
        size_t number = 0;
        DO(cudaGraphGetNodes(graph_, nullptr, &number));
        return number;
    }
    int finished() const { return finished_; }

private:
    float *host_, *device_;
    int n_, finished_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

int main()
{
    const int n = 10000, steps = 3, times = 4;
    float *host, *device;
    DO(cudaMallocHost((void **)&host, n * sizeof(float)));
    DO(cudaMalloc((void **)&device, n * sizeof(float)));

    int wrong = 0;
    for (int byHand = 0; byHand < 2; byHand++) {
        for (int i = 0; i < n; i++)
            host[i] = (float)i;
        Replay replay(host, device, n);
        byHand ? replay.build(steps) : replay.capture(steps);
        replay.run(times);
        wrong += replay.finished() != times || replay.nodes() != size_t(steps + 3);
        for (int i = 0; i < n; i++) {
            float expected = (float)i;
            for (int s = 0; s < steps * times; s++)
                expected = expected * 0.5f + 1.0f;
            wrong += host[i] != expected;
        }
    }
    DO(cudaFree(device));
    DO(cudaFreeHost(host));
    std::printf("%d wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
