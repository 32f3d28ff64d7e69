__global__ __launch_bounds__(256, 2) void t(float (*a)[33])
{
    extern __shared__ float s[];
    __shared__ float tile[32][33];
    unsigned m = __ballot_sync(0xffffffffu, threadIdx.x & 1);
    asm volatile("mov.u32 %0, %laneid;" : "=r"(m));
}
