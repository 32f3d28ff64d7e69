/* Each shim in a kernel, so that each is compiled for the device; instantiated for the types that
   CUDA takes.  simulate.cc tests what they mean.  */
#include "hipwright_shims.h"
#include <hip/hip_fp16.h>

template <class T> __device__ void lanes_of(T *out, unsigned long long mask, int lane)
{
    T value = out[threadIdx.x];
    value = hipwright_shfl_sync(mask, value, lane);
    value = hipwright_shfl_sync(mask, value, lane, 16);
    value = hipwright_shfl_up_sync(mask, value, 1);
    value = hipwright_shfl_down_sync(mask, value, 2, 8);
    out[threadIdx.x] = hipwright_shfl_xor_sync(mask, value, lane);
}

__global__ void shuffles(int *i, unsigned int *u, long *l, unsigned long *ul, long long *ll,
                         unsigned long long *ull, float *f, double *d, __half *h, __half2 *h2,
                         short *s, unsigned char *b, float4 *v, unsigned long long mask)
{
    lanes_of(i, mask, 1);
    lanes_of(u, mask, 2);
    lanes_of(l, mask, 3);
    lanes_of(ul, mask, 4);
    lanes_of(ll, mask, 5);
    lanes_of(ull, mask, 6);
    lanes_of(f, mask, 7);
    lanes_of(d, mask, 8);
    lanes_of(h, mask, 9);
    lanes_of(h2, mask, 10);
    lanes_of(s, mask, 11);
    lanes_of(b, mask, 12);
    lanes_of(v, mask, 13);
}

template <class T>
__device__ void matches_of(unsigned long long *out, const T *in, unsigned long long mask)
{
    int all;
    out[0] += hipwright_match_any_sync(mask, in[threadIdx.x]);
    out[1] += hipwright_match_all_sync(mask, in[threadIdx.x], &all);
    out[2] += (unsigned long long)all;
}

__global__ void matches(unsigned long long *out, int *i, unsigned int *u, long *l,
                        unsigned long *ul, long long *ll, unsigned long long *ull, float *f,
                        double *d, unsigned long long mask)
{
    matches_of(out, i, mask);
    matches_of(out, u, mask);
    matches_of(out, l, mask);
    matches_of(out, ul, mask);
    matches_of(out, ll, mask);
    matches_of(out, ull, mask);
    matches_of(out, f, mask);
    matches_of(out, d, mask);
}

__global__ void votes_and_reductions(unsigned long long *out, int *i, unsigned int *u,
                                     unsigned long long mask)
{
    out[0] = hipwright_activemask();
    out[1] = hipwright_ballot_sync(mask, i[0] < i[1]);
    out[2] = (unsigned long long)hipwright_any_sync(mask, i[2]);
    out[3] = (unsigned long long)hipwright_all_sync(mask, i[3]);
    hipwright_syncwarp();
    hipwright_syncwarp(mask);
    i[4] = hipwright_reduce_add_sync(mask, i[5]);
    i[6] = hipwright_reduce_min_sync(mask, i[7]);
    i[8] = hipwright_reduce_max_sync(mask, i[9]);
    u[0] = hipwright_reduce_add_sync(mask, u[1]);
    u[2] = hipwright_reduce_min_sync(mask, u[3]);
    u[4] = hipwright_reduce_max_sync(mask, u[5]);
    u[6] = hipwright_reduce_and_sync(mask, u[7]);
    u[8] = hipwright_reduce_or_sync(mask, u[9]);
    u[10] = hipwright_reduce_xor_sync(mask, u[11]);
}

__global__ void time_and_debugging(unsigned int *u)
{
    hipwright_nanosleep(100);
    hipwright_nanosleep(u[0]);
    hipwright_brkpt();
    if (u[1] != 0)
        hipwright_trap();
}

template <class T> __device__ void hints_of(T *p)
{
    hipwright_stwb(p + 0, hipwright_ldca(p + 5));
    hipwright_stcg(p + 1, hipwright_ldcg(p + 6));
    hipwright_stcs(p + 2, hipwright_ldcs(p + 7));
    hipwright_stwt(p + 3, hipwright_ldcv(p + 8));
    hipwright_stwb(p + 4, hipwright_ldlu(p + 9));
}

__global__ void hints(char *c, short *s, int *i, long long *l, float *f, double *d, char2 *c2,
                      char4 *c4, short2 *s2, short4 *s4, int2 *i2, int4 *i4, float2 *f2, float3 *f3,
                      float4 *f4, double2 *d2, __half *h, __half2 *h2)
{
    hints_of(c);
    hints_of(s);
    hints_of(i);
    hints_of(l);
    hints_of(f);
    hints_of(d);
    hints_of(c2);
    hints_of(c4);
    hints_of(s2);
    hints_of(s4);
    hints_of(i2);
    hints_of(i4);
    hints_of(f2);
    hints_of(f3);
    hints_of(f4);
    hints_of(d2);
    hints_of(h);
    hints_of(h2);
}

__global__ void address_spaces(unsigned int *u)
{
    __shared__ int shared[64];
    shared[threadIdx.x & 63] = (int)u[0];
    __syncthreads();
    const void *either = u[1] ? (const void *)&shared[u[1] & 63] : (const void *)u;
    u[2] = hipwright_isShared(either) + hipwright_isLocal(either) + hipwright_isGlobal(either);
}

template <class T> __device__ void atomics_of(T *p)
{
    p[1] = hipwright_atomicExch_block(p, p[2]);
    p[3] = hipwright_atomicMin_block(p, p[4]);
    p[5] = hipwright_atomicMax_block(p, p[6]);
    p[7] = hipwright_atomicAnd_block(p, p[8]);
    p[9] = hipwright_atomicOr_block(p, p[10]);
    p[11] = hipwright_atomicXor_block(p, p[12]);
    p[13] = hipwright_atomicCAS_block(p, p[14], p[15]);
}

__global__ void atomics(int *i, unsigned int *u, long long *l, unsigned long long *ul, float *f,
                        double *d, unsigned short *s, __half *h, __half2 *h2)
{
    __shared__ unsigned int counter;
    atomics_of(i);
    atomics_of(u);
    atomics_of(l);
    atomics_of(ul);
    i[0] = hipwright_atomicAdd_block(i + 1, 1);
    u[0] = hipwright_atomicAdd_block(u + 1, 1);
    ul[0] = hipwright_atomicAdd_block(ul + 1, 1);
    f[0] = hipwright_atomicAdd_block(f + 1, 1);
    d[0] = hipwright_atomicAdd_block(d + 1, 1);
    i[2] = hipwright_atomicSub_block(i + 3, 1);
    u[2] = hipwright_atomicSub_block(u + 3, 1u);
    f[2] = hipwright_atomicExch_block(f + 3, 1.0f);
    s[2] = hipwright_atomicCAS_block(s + 3, s[4], s[5]);
    u[4] = hipwright_atomicInc_block(&counter, 63);
    u[5] = hipwright_atomicDec_block(&counter, 63);
    u[6] = hipwright_atomicInc_system(u + 7, 63);
    u[8] = hipwright_atomicDec_system(u + 9, 63);
    h[0] = hipwright_atomicAdd(h + 1, h[2]);
    h2[0] = hipwright_atomicAdd(h2 + 1, h2[2]);
}

__global__ void dots(int *i, unsigned int *u, char4 *c, uchar4 *uc, short2 *s, ushort2 *us)
{
    i[0] = hipwright_dp4a(i[1], i[2], i[3]);
    u[0] = hipwright_dp4a(u[1], u[2], u[3]);
    i[4] = hipwright_dp4a(c[0], c[1], i[5]);
    u[4] = hipwright_dp4a(uc[0], uc[1], u[5]);
    i[6] = hipwright_dp2a_lo(i[7], i[8], i[9]);
    i[10] = hipwright_dp2a_hi(i[11], i[12], i[13]);
    u[6] = hipwright_dp2a_lo(u[7], u[8], u[9]);
    u[10] = hipwright_dp2a_hi(u[11], u[12], u[13]);
    i[14] = hipwright_dp2a_lo(s[0], c[2], i[15]) + hipwright_dp2a_hi(s[0], c[2], i[15]);
    u[14] = hipwright_dp2a_lo(us[0], uc[2], u[15]) + hipwright_dp2a_hi(us[0], uc[2], u[15]);
}

/* These are for the host too.  */
__host__ __device__ unsigned int numbers(unsigned int *u, long long *l, unsigned long long *ul,
                                         unsigned short *s, double *d)
{
    l[0] = hipwright_llmin(l[1], l[2]) + hipwright_llmax(l[3], l[4]);
    ul[0] = hipwright_ullmin(ul[1], ul[2]) + hipwright_ullmax(ul[3], ul[4]);
    ul[5] = hipwright_nv_bswap64(ul[6]) + hipwright_nv_bswap32(u[1]);
    s[0] = hipwright_nv_bswap16(s[1]);
    d[0] = hipwright_fdivide(d[1], d[2]);
    u[2] = hipwright_funnelshift_l(u[3], u[4], u[5]) + hipwright_funnelshift_lc(u[3], u[4], u[5]);
    u[6] = hipwright_funnelshift_r(u[3], u[4], u[5]) + hipwright_funnelshift_rc(u[3], u[4], u[5]);
    return hipwright_umin(u[7], u[8]) + hipwright_umax(u[9], u[10]);
}

#define ONE(name) u[n++] = hipwright_##name(a)
#define TWO(name) u[n++] = hipwright_##name(a, b)
#define THREE(name) u[n++] = hipwright_##name(a, b, c)

__host__ __device__ void words(unsigned int *u)
{
    unsigned int a = u[0], b = u[1], n = 2;
    ONE(vabs2), ONE(vabs4), ONE(vabsss2), ONE(vabsss4);
    ONE(vneg2), ONE(vneg4), ONE(vnegss2), ONE(vnegss4);
    TWO(vadd2), TWO(vadd4), TWO(vaddss2), TWO(vaddss4), TWO(vaddus2), TWO(vaddus4);
    TWO(vsub2), TWO(vsub4), TWO(vsubss2), TWO(vsubss4), TWO(vsubus2), TWO(vsubus4);
    TWO(vabsdiffs2), TWO(vabsdiffs4), TWO(vabsdiffu2), TWO(vabsdiffu4);
    TWO(vavgs2), TWO(vavgs4), TWO(vavgu2), TWO(vavgu4), TWO(vhaddu2), TWO(vhaddu4);
    TWO(vmaxs2), TWO(vmaxs4), TWO(vmaxu2), TWO(vmaxu4);
    TWO(vmins2), TWO(vmins4), TWO(vminu2), TWO(vminu4);
    TWO(vsads2), TWO(vsads4), TWO(vsadu2), TWO(vsadu4);
    TWO(vcmpeq2), TWO(vcmpeq4), TWO(vcmpne2), TWO(vcmpne4);
    TWO(vcmpges2), TWO(vcmpges4), TWO(vcmpgeu2), TWO(vcmpgeu4);
    TWO(vcmpgts2), TWO(vcmpgts4), TWO(vcmpgtu2), TWO(vcmpgtu4);
    TWO(vcmples2), TWO(vcmples4), TWO(vcmpleu2), TWO(vcmpleu4);
    TWO(vcmplts2), TWO(vcmplts4), TWO(vcmpltu2), TWO(vcmpltu4);
    TWO(vseteq2), TWO(vseteq4), TWO(vsetne2), TWO(vsetne4);
    TWO(vsetges2), TWO(vsetges4), TWO(vsetgeu2), TWO(vsetgeu4);
    TWO(vsetgts2), TWO(vsetgts4), TWO(vsetgtu2), TWO(vsetgtu4);
    TWO(vsetles2), TWO(vsetles4), TWO(vsetleu2), TWO(vsetleu4);
    TWO(vsetlts2), TWO(vsetlts4), TWO(vsetltu2), TWO(vsetltu4);
}

__host__ __device__ void extrema(unsigned int *u)
{
    unsigned int a = u[0], b = u[1], c = u[2], n = 3;
    bool high, low;
    THREE(viaddmax_u32), THREE(viaddmin_u32), THREE(vimax3_u32), THREE(vimin3_u32);
    THREE(viaddmax_s16x2), THREE(viaddmin_s16x2), THREE(vimax3_s16x2), THREE(vimin3_s16x2);
    THREE(viaddmax_u16x2), THREE(viaddmin_u16x2), THREE(vimax3_u16x2), THREE(vimin3_u16x2);
    THREE(viaddmax_s16x2_relu), THREE(viaddmin_s16x2_relu);
    THREE(vimax3_s16x2_relu), THREE(vimin3_s16x2_relu);
    TWO(vimax_s16x2_relu), TWO(vimin_s16x2_relu);
    u[n++] = hipwright_vibmax_u32(a, b, &high);
    u[n++] = hipwright_vibmin_u32(a, b, &low) + high + low;
    u[n++] = hipwright_vibmax_s16x2(a, b, &high, &low) + high + low;
    u[n++] = hipwright_vibmin_s16x2(a, b, &high, &low) + high + low;
    u[n++] = hipwright_vibmax_u16x2(a, b, &high, &low) + high + low;
    u[n++] = hipwright_vibmin_u16x2(a, b, &high, &low) + high + low;
}

__host__ __device__ void signed_extrema(int *u)
{
    int a = u[0], b = u[1], c = u[2], n = 3;
    bool first;
    THREE(viaddmax_s32), THREE(viaddmin_s32), THREE(vimax3_s32), THREE(vimin3_s32);
    THREE(viaddmax_s32_relu), THREE(viaddmin_s32_relu);
    THREE(vimax3_s32_relu), THREE(vimin3_s32_relu);
    TWO(vimax_s32_relu), TWO(vimin_s32_relu);
    u[n++] = hipwright_vibmax_s32(a, b, &first);
    u[n++] = hipwright_vibmin_s32(a, b, &first) + first;
}

__global__ void integers(int *i, unsigned int *u, long long *l, unsigned long long *ul,
                         unsigned short *s, double *d)
{
    words(u);
    extrema(u + 100);
    signed_extrema(i);
    u[200] = numbers(u + 201, l, ul, s, d);
}

int main()
{
    unsigned int u[256] = {};
    int i[32] = {};
    words(u);
    extrema(u);
    signed_extrema(i);
    return 0;
}
