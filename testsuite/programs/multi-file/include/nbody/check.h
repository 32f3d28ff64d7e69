/* Error checks for the whole program; plain C++ files include this too. */
#ifndef NBODY_CHECK_H
#define NBODY_CHECK_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

/* A class of static members only, so that it needs no source file. */
class Check
{
  public:
    static void that(cudaError_t status, const char *file, int line)
    {
        if (status == cudaSuccess)
            return;
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(status));
        ++failures();
        if (status != cudaErrorNotReady)
            exit(3);
    }
    static int &failures()
    {
        static int count = 0;
        return count;
    }
};

#define NBODY_CHECK(x) Check::that((x), __FILE__, __LINE__)
#define NBODY_LAUNCHED() NBODY_CHECK(cudaGetLastError())

#endif /* NBODY_CHECK_H */
