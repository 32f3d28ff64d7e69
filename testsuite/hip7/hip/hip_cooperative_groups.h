/* Test only: in HIP 7 this header includes the runtime, in HIP 5.2 it needs it before.  */
#ifndef HIPWRIGHT_HIP7_COOPERATIVE_GROUPS_H
#define HIPWRIGHT_HIP7_COOPERATIVE_GROUPS_H

#include <hip/hip_runtime.h>
#include_next <hip/hip_cooperative_groups.h>

#endif
