/* Test only: the host calls of HIP 7 that our test programs need and the HIP 5.2 headers of
   Debian 12 do not declare.  Found before the real header, which it includes first; see
   README.  Only compiled against, never linked.  */
#ifndef HIPWRIGHT_HIP7_RUNTIME_API_H
#define HIPWRIGHT_HIP7_RUNTIME_API_H

#include_next <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#if HIP_VERSION_MAJOR < 7

#ifdef __cplusplus
extern "C" {
#endif
hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *executable, hipGraph_t graph,
                                        unsigned long long flags);
#ifdef __cplusplus
}
#endif

#define hipMemLocationTypeHost ((hipMemLocationType)2) /* an enumerator in HIP 7.1 */

#endif
#endif
