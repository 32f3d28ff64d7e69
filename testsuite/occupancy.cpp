// What cuda_occupancy.h of the CUDA toolkit answers, for testsuite/occupancy.sh to compare with.
// Prints one line for each point: target, registers, threads, bytes of shared memory, resident
// blocks, and the limits by warps, blocks, registers and shared memory. An argument thins the
// points out: every N-th is printed.
//
// The header knows the rules and a few constants; the properties of a device are those of the
// table of compute capabilities in the CUDA C++ Programming Guide.
#include <cstdio>
#include <cstdlib>

#include <cuda_occupancy.h>

struct part {
    const char *name;
    int major, minor, threads;
    size_t shared, optin, reserved;
};

static const part parts[] = {
    {"sm_70", 7, 0, 2048, 98304, 98304, 0},        {"sm_75", 7, 5, 1024, 65536, 65536, 0},
    {"sm_80", 8, 0, 2048, 167936, 166912, 1024},   {"sm_86", 8, 6, 1536, 102400, 101376, 1024},
    {"sm_89", 8, 9, 1536, 102400, 101376, 1024},   {"sm_90", 9, 0, 2048, 233472, 232448, 1024},
    {"sm_100", 10, 0, 2048, 233472, 232448, 1024}, {"sm_120", 12, 0, 1536, 102400, 101376, 1024},
    {"sm_72", 7, 2, 2048, 98304, 98304, 0},        {"sm_87", 8, 7, 1536, 167936, 166912, 1024},
    {"sm_103", 10, 3, 2048, 233472, 232448, 1024}, {"sm_121", 12, 1, 1536, 102400, 101376, 1024},
};
static const int registers[] = {1,  16, 24, 32, 33,  40,  48,  56,  64,  65,
                                72, 80, 96, 97, 112, 128, 129, 160, 168, 255};
static const int blocks[] = {1,   32,  33,  64,  96,  128, 160,  192,
                             256, 320, 384, 512, 640, 768, 1000, 1024};
static const int bytes[] = {0,      1,      100,    1024,   1025,   4096,  8192,  12288,
                            16384,  20480,  24576,  32768,  40960,  49152, 65536, 98304,
                            101376, 101377, 131072, 163840, 166912, 232448};

int main(int argc, char **argv)
{
    int every = argc < 2 ? 1 : atoi(argv[1]), n = 0;
    for (const part &p : parts) {
        cudaOccDeviceProp device;
        device.computeMajor = p.major;
        device.computeMinor = p.minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = p.threads;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 49152;
        device.sharedMemPerMultiprocessor = p.shared;
        device.numSms = 1;
        device.sharedMemPerBlockOptin = p.optin;
        device.reservedSharedMemPerBlock = p.reserved;
        for (int r : registers)
            for (int block : blocks)
                for (int shared : bytes) {
                    if (n++ % every)
                        continue;
                    cudaOccFuncAttributes kernel;
                    kernel.maxThreadsPerBlock = 1024;
                    kernel.numRegs = r;
                    kernel.sharedSizeBytes = 0;
                    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
                    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                    kernel.maxDynamicSharedSizeBytes = p.optin;
                    kernel.numBlockBarriers = 1;
                    cudaOccDeviceState state; // the largest carve-out is the default
                    cudaOccResult res;
                    if (cudaOccMaxActiveBlocksPerMultiprocessor(&res, &device, &kernel, &state,
                                                                block, (size_t)shared))
                        return 1;
                    printf("%s %d %d %d %d %d %d %d %d\n", p.name, r, block, shared,
                           res.activeBlocksPerMultiprocessor, res.blockLimitWarps,
                           res.blockLimitBlocks, res.blockLimitRegs, res.blockLimitSharedMem);
                }
    }
}
