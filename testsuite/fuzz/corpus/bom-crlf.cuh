#pragma once
#include "cuda_runtime_api.h" // why
#include <cuda_fp16.h>
#include <cuda_runtime.h>
cudaError_t e = cudaGetLastError();