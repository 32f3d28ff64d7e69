/* cuFFT: a complex transform and its inverse, a batch of real ones, and a plane with an explicit
 * workspace.  The wave put in must come out as one line of the spectrum. */
#include <cufft.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_OK(x)                                                           \
  do {                                                                       \
    cudaError_t e = (x);                                                     \
    if (e != cudaSuccess) {                                                  \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));     \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

#define FFT_OK(x)                                                            \
  do {                                                                       \
    cufftResult r = (x);                                                     \
    if (r != CUFFT_SUCCESS) {                                                \
      std::fprintf(stderr, "%d: cuFFT result %d\n", __LINE__, (int)r);       \
      std::exit(1);                                                          \
    }                                                                        \
  } while (0)

__global__ void scale(cufftDoubleComplex* data, int n, double factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    data[i].x *= factor;
    data[i].y *= factor;
  }
}

static const double kTwoPi = 6.283185307179586;

// exp(2 pi i k t / n) has everything in line k.
static bool complexWave(int n, int k) {
  std::vector<cufftDoubleComplex> host(n), spectrum(n), back(n);
  for (int t = 0; t < n; ++t) {
    host[t].x = std::cos(kTwoPi * k * t / n);
    host[t].y = std::sin(kTwoPi * k * t / n);
  }
  cufftDoubleComplex* data;
  size_t bytes = n * sizeof(cufftDoubleComplex);
  CUDA_OK(cudaMalloc(&data, bytes));
  CUDA_OK(cudaMemcpy(data, host.data(), bytes, cudaMemcpyHostToDevice));

  cufftHandle plan;
  FFT_OK(cufftPlan1d(&plan, n, CUFFT_Z2Z, 1));
  FFT_OK(cufftExecZ2Z(plan, data, data, CUFFT_FORWARD));
  CUDA_OK(cudaMemcpy(spectrum.data(), data, bytes, cudaMemcpyDeviceToHost));
  FFT_OK(cufftExecZ2Z(plan, data, data, CUFFT_INVERSE));
  scale<<<(n + 255) / 256, 256>>>(data, n, 1.0 / n);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(back.data(), data, bytes, cudaMemcpyDeviceToHost));
  FFT_OK(cufftDestroy(plan));
  CUDA_OK(cudaFree(data));

  bool ok = true;
  for (int i = 0; i < n; ++i) {
    ok &= std::fabs(spectrum[i].x - (i == k ? n : 0)) < 1e-8 * n;
    ok &= std::fabs(spectrum[i].y) < 1e-8 * n;
    ok &= std::fabs(back[i].x - host[i].x) < 1e-12 * n;
  }
  return ok;
}

// A batch of real waves: row b is a cosine of frequency b + 1.
static bool realBatch(int n, int batch) {
  std::vector<float> host(n * batch);
  for (int b = 0; b < batch; ++b)
    for (int t = 0; t < n; ++t)
      host[b * n + t] = (float)std::cos(kTwoPi * (b + 1) * t / n);
  int lines = n / 2 + 1;
  cufftReal* in;
  cufftComplex* out;
  CUDA_OK(cudaMalloc(&in, sizeof(cufftReal) * n * batch));
  CUDA_OK(cudaMalloc(&out, sizeof(cufftComplex) * lines * batch));
  CUDA_OK(cudaMemcpy(in, host.data(), sizeof(cufftReal) * n * batch, cudaMemcpyHostToDevice));

  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  cufftHandle plan;
  int length[1] = {n};
  FFT_OK(cufftPlanMany(&plan, 1, length, nullptr, 1, n, nullptr, 1, lines, CUFFT_R2C, batch));
  FFT_OK(cufftSetStream(plan, stream));
  FFT_OK(cufftExecR2C(plan, in, out));
  CUDA_OK(cudaStreamSynchronize(stream));
  std::vector<cufftComplex> spectrum(lines * batch);
  CUDA_OK(cudaMemcpy(spectrum.data(), out, sizeof(cufftComplex) * lines * batch,
                     cudaMemcpyDeviceToHost));
  FFT_OK(cufftDestroy(plan));
  CUDA_OK(cudaStreamDestroy(stream));
  CUDA_OK(cudaFree(in));
  CUDA_OK(cudaFree(out));

  bool ok = true;
  for (int b = 0; b < batch; ++b)
    for (int i = 0; i < lines; ++i)
      ok &= std::fabs(spectrum[b * lines + i].x - (i == b + 1 ? n / 2 : 0)) < 1e-3f * n;
  return ok;
}

// The sum of a plane is its line zero; here the workspace is ours.
static bool plane(int rows, int columns) {
  std::vector<cufftComplex> host(rows * columns, cufftComplex{1.0f, 0.0f});
  cufftComplex* data;
  CUDA_OK(cudaMalloc(&data, sizeof(cufftComplex) * host.size()));
  CUDA_OK(cudaMemcpy(data, host.data(), sizeof(cufftComplex) * host.size(),
                     cudaMemcpyHostToDevice));
  cufftHandle plan;
  size_t workSize = 0;
  void* work = nullptr;
  FFT_OK(cufftCreate(&plan));
  FFT_OK(cufftSetAutoAllocation(plan, 0));
  FFT_OK(cufftMakePlan2d(plan, rows, columns, CUFFT_C2C, &workSize));
  if (workSize != 0)
    CUDA_OK(cudaMalloc(&work, workSize));
  FFT_OK(cufftSetWorkArea(plan, work));
  FFT_OK(cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  cufftComplex sum;
  CUDA_OK(cudaMemcpy(&sum, data, sizeof sum, cudaMemcpyDeviceToHost));
  FFT_OK(cufftDestroy(plan));
  CUDA_OK(cudaFree(work));
  CUDA_OK(cudaFree(data));
  return std::fabs(sum.x - rows * columns) < 1e-2f;
}

int main() {
  bool ok = complexWave(1024, 5) && realBatch(256, 7) && plane(32, 64);
  std::puts(ok ? "passed" : "FAILED");
  return ok ? 0 : 1;
}
