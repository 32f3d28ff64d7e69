#ifdef __HIP_PLATFORM_AMD__
#include <hip/hip_runtime.h>
hipMalloc(&p, 1);
#else
#include <cuda.h>
cudaMalloc(&p, 1);
#endif
