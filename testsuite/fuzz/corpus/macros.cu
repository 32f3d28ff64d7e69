#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) fail(#x, cudaGetErrorString(e_)); } while (0)
#define LAUNCH(k, ...) k<<<grid, block>>>(__VA_ARGS__)
#define CAT(a) cuda##a
CHECK(cudaDeviceSynchronize());
LAUNCH(f, 1, 2);
