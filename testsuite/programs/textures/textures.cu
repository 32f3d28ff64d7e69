// Bilinear image scaling: a texture object over a CUDA array, and point reads of a linear table
// through a second one.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(call)                                                        \
  do {                                                                  \
    const cudaError_t err = call;                                       \
    if (cudaSuccess != err) {                                           \
      printf("%s failed at line %d: %s\n", #call, __LINE__,             \
             cudaGetErrorString(err));                                  \
      return false;                                                     \
    }                                                                   \
  } while (false)

struct Image {
  int width, height;
  std::vector<float> pixels;
  float at(int x, int y) const {
    x = x < 0 ? 0 : x < width ? x : width - 1;
    y = y < 0 ? 0 : y < height ? y : height - 1;
    return pixels[y * width + x];
  }
};

__global__ void scale(cudaTextureObject_t image, cudaTextureObject_t gamma, float *out,
                      int width, int height, float step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float v = tex2D<float>(image, (x + 0.5f) * step, (y + 0.5f) * step);
  int entry = static_cast<int>(v);
  entry = entry < 0 ? 0 : entry > 255 ? 255 : entry;
  out[y * width + x] = v + tex1Dfetch<float>(gamma, entry);
}

// The same on the CPU; the texture unit has 8 fractional bits, hence the tolerance below.
static float sample(const Image &image, float u, float v) {
  const float fx = u - 0.5f, fy = v - 0.5f;
  const int x = static_cast<int>(std::floor(fx)), y = static_cast<int>(std::floor(fy));
  const float a = fx - x, b = fy - y;
  return (1 - b) * ((1 - a) * image.at(x, y) + a * image.at(x + 1, y)) +
         b * ((1 - a) * image.at(x, y + 1) + a * image.at(x + 1, y + 1));
}

static bool run(const Image &image, const std::vector<float> &table, int width, int height,
                float step, std::vector<float> &result) {
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &channel, image.width, image.height));
  OK(cudaMemcpy2DToArray(array, 0, 0, image.pixels.data(), image.width * sizeof(float),
                         image.width * sizeof(float), image.height, cudaMemcpyHostToDevice));

  cudaResourceDesc resource;
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling;
  memset(&sampling, 0, sizeof(sampling));
  sampling.addressMode[0] = cudaAddressModeClamp;
  sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = cudaFilterModeLinear;
  sampling.readMode = cudaReadModeElementType;
  sampling.normalizedCoords = 0;
  cudaTextureObject_t imageTexture = 0, tableTexture = 0;
  OK(cudaCreateTextureObject(&imageTexture, &resource, &sampling, NULL));

  float *deviceTable, *out;
  OK(cudaMalloc(&deviceTable, table.size() * sizeof(float)));
  OK(cudaMemcpy(deviceTable, table.data(), table.size() * sizeof(float), cudaMemcpyDefault));
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = deviceTable;
  resource.res.linear.desc = channel;
  resource.res.linear.sizeInBytes = table.size() * sizeof(float);
  sampling.filterMode = cudaFilterModePoint;
  OK(cudaCreateTextureObject(&tableTexture, &resource, &sampling, NULL));

  OK(cudaMalloc(&out, result.size() * sizeof(float)));
  dim3 threads(16, 16), blocks((width + threads.x - 1) / threads.x,
                               (height + threads.y - 1) / threads.y);
  scale<<<blocks, threads>>>(imageTexture, tableTexture, out, width, height, step);
  OK(cudaGetLastError());
  OK(cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost));

  OK(cudaDestroyTextureObject(imageTexture));
  OK(cudaDestroyTextureObject(tableTexture));
  OK(cudaFreeArray(array));
  OK(cudaFree(deviceTable));
  OK(cudaFree(out));
  return true;
}

int main() {
  Image image{64, 48, {}};
  for (int i = 0; i < image.width * image.height; i++)
    image.pixels.push_back(static_cast<float>((i * 37) % 256));
  std::vector<float> table(256);
  for (int i = 0; i < 256; i++) table[i] = 1000.0f * (i / 64);

  const int width = 160, height = 120;
  const float step = 0.4f;
  std::vector<float> result(width * height);
  if (!run(image, table, width, height, step, result)) return 2;

  int wrong = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const float v = sample(image, (x + 0.5f) * step, (y + 0.5f) * step);
      const float w = std::fmod(result[y * width + x], 1000.0f);
      wrong += std::fabs(v - w) > 2.0f;
    }
  printf("%d of %d pixels differ\n", wrong, width * height);
  return wrong ? 1 : 0;
}
