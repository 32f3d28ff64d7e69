// Index arithmetic as kernels have it: what the lane interpreter must know. Each show() and touch()
// stands on a line of its own.

// ---- Threads, lanes, warps

#define WARP_SIZE 32
#define LOG_WARP 5
#define FULL_MASK 0xffffffffu
#define TILE 16
#define BLOCK_ROWS 8
#define DIVUP(a, b) (((a) + (b)-1) / (b))
#define LANE_OF(t) ((t) & (WARP_SIZE - 1))
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_WARP)
#define SWAP(a, b)   \
    {                \
        int t_ = a;  \
        a = b;       \
        b = t_;      \
    }
static const int kWarp = 32;
constexpr unsigned kPad = kWarp + 1;
enum { ROWS = 4, COLUMNS = 8, CELLS = ROWS * COLUMNS };

__device__ __forceinline__ int lane_id()
{
    return threadIdx.x & 31;
}

__device__ inline unsigned linear_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

template <int N> __device__ int warp_of(int thread)
{
    return thread / N;
}

__device__ bool is_leader(int lane)
{
    return lane == 0;
}

__global__ void lanes(int n, int *out)
{
    const int tid = threadIdx.x;
    const unsigned lane = tid % WARP_SIZE;
    int warp = tid / WARP_SIZE;
    int by_shift = tid >> LOG_WARP;
    int by_difference = tid - (tid / 32) * 32;
    int by_mask = LANE_OF(tid);
    auto again = threadIdx.x & (warpSize - 1);
    show(lane);
    show(warp);
    show(by_shift);
    show(by_difference);
    show(by_mask);
    show(again);
    show(lane_id());
    show(linear_thread());
    show(linear_thread() / WARP_SIZE);
    show(warp_of<32>(tid));
    show(is_leader(lane_id()));
    show(lane == 0 && warp == 1);
    show(tid & ~31);
    show(warp * kWarp + (lane ^ 1));
    show((WARP_SIZE - 1) - lane);
    show(blockDim.x / warpSize);
    show((blockDim.x + warpSize - 1) / warpSize);
    show(DIVUP(blockDim.x * blockDim.y, 64));
    show(lane < 16 ? lane : lane - 16);
    show(1u << (tid & 31));
    show((1u << (tid & 31)) - 1);
    show(0xffffffffu >> (31 - lane));
    show(__popc((1u << lane) - 1));
    show(__ffs(lane));
    show(__brev(lane) >> 27);
    show(31 - __clz(lane + 1));
}

__global__ void positions(int width, int height, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    show(x);
    show(y);
    show(gid / 1);
    show(x - blockIdx.x * blockDim.x);
    show(gid - (int)threadIdx.x);
    show(gid + n);
    show(gid + n - gid);
    show(x * 4 + 3);
    show(__mul24(blockIdx.x, blockDim.x) + threadIdx.x);
    show(blockIdx.x * 1024 + threadIdx.x * 4);
    show((blockIdx.x * 256 + threadIdx.x) & 31);
    show((blockIdx.x * 256 + threadIdx.x) / 32);
    show((blockIdx.x * 64 + threadIdx.x) % 64);
    show(((blockIdx.x << 8) | threadIdx.x) & 127);
    show(gridDim.x * blockDim.x);
    show(width * height);
    show(threadIdx.z * 2 + 1);
    if (x >= width || y >= height)
        return;
    show(x + 1);
    show(x % 1);
}

__global__ void whole_coordinates(int n)
{
    const dim3 t = threadIdx;
    const uint3 b = blockIdx;
    auto tid = threadIdx;
    dim3 d(4, 2);
    int2 p = make_int2(threadIdx.x, threadIdx.y + 1);
    int2 q = {p.y, p.x};
    uint2 r{threadIdx.x % 8, threadIdx.x / 8};
    show(t.x + t.y * 32);
    show(b.x * 32 + t.x);
    show(tid.x ^ tid.y);
    show(d.x * d.y * d.z);
    show(p.x * 3 + p.y);
    show(q.x - q.y);
    show(r.x * 8 + r.y);
    p.x += 5;
    p.y = p.x * 2;
    show(p.x);
    show(p.y + 1);
    q = p;
    q.x--;
    show(q.x + p.x);
    int3 v = make_int3(1, threadIdx.x, 3);
    if (v.y > 4)
        v.z = v.y;
    show(v.x + v.y + v.z);
}

// ---- Reductions

__global__ void reduce_shared(const float *in, float *out, unsigned n)
{
    __shared__ float sdata[256];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    touch(sdata, sdata[tid]);
    show(i);
    show(i + blockDim.x);
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            touch(sdata, sdata[tid]);
        }
        __syncthreads();
    }
    if (tid < 32) {
        volatile float *v = sdata;
        touch(sdata, v[tid]);
        touch(sdata, v[tid + 32]);
        touch(sdata, v[tid + 16]);
        show(tid);
    }
    if (tid == 0) {
        touch(sdata, sdata[0]);
    }
}

__global__ void reduce_interleaved(float *out)
{
    __shared__ double values[256 + 8];
    int tid = threadIdx.x;
    for (int stride = 1; stride < 4; stride *= 2) {
        int index = 2 * tid * 2;
        show(index);
        touch(values, values[tid % 128]);
    }
    int mine = 0;
    for (int k = 0; k < 4; ++k)
        mine += tid + k * 8;
    show(mine);
    int bits = 0;
    for (int offset = 16; offset > 0; offset /= 2)
        bits |= tid & offset;
    show(bits);
    int partner = tid;
    for (int k = 1; k < 32; k <<= 1)
        partner ^= k;
    show(partner);
}

__global__ void warp_sums(int n)
{
    __shared__ int partial[WARP_SIZE];
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    if (lane == 0) {
        touch(partial, partial[wid]);
        show(wid);
    }
    __syncthreads();
    bool active = threadIdx.x < blockDim.x / warpSize;
    show(active);
    if (wid == 0) {
        touch(partial, partial[lane]);
        show(lane * 2);
    }
    show(wid == 0 ? lane : -1);
}

// ---- Transposes and tiles

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    __shared__ float plain[TILE][TILE];
    int tx = threadIdx.x % TILE, ty = threadIdx.x / TILE % TILE;
    touch(tile, tile[ty][tx]);
    touch(tile, tile[tx][ty]);
    touch(plain, plain[tx][ty]);
    touch(plain, plain[ty][tx ^ ty]);
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    show(x);
    show(y);
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE + ty;
    show(x + y);
    for (int j = 0; j < TILE; j += BLOCK_ROWS) {
        touch(tile, tile[(ty + j) % TILE][tx]);
        show(x + j);
        show((y + j) - j);
    }
    float *row = tile[ty];
    touch(tile, row[tx]);
    float *flat = &tile[0][0];
    touch(tile, flat[ty * (TILE + 1) + tx]);
    touch(tile, *(flat + tx));
    touch(tile, *(&tile[ty][0] + tx));
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][kPad];
    int tx = threadIdx.x & 15, ty = (threadIdx.x >> 4) & 15;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    int begin = n * TILE * blockIdx.y, step = TILE;
    show(row);
    show(column);
    show(begin + step);
    for (int m = 0; m < 100 / TILE; ++m) {
        touch(as, as[ty][tx]);
        touch(bs, bs[ty][tx]);
        show(m * TILE + tx);
        for (int k = 0; k < TILE; ++k) {
            touch(as, as[ty][k]);
            touch(bs, bs[k][tx]);
        }
    }
    show(row - ty);
}

__global__ void vector_tiles(const float4 *in)
{
    __shared__ float4 quads[64];
    __shared__ float floats[64 * 4];
    __shared__ float wide[256];
    int tid = threadIdx.x % 64;
    touch(quads, quads[tid]);
    touch(quads, quads[tid].y);
    touch(quads, quads[tid ^ 1].w);
    touch(floats, reinterpret_cast<float4 *>(floats)[tid]);
    touch(floats, *(float2 *)&floats[tid * 2]);
    touch(wide, ((float2 *)wide)[tid]);
    float4 *v = (float4 *)wide;
    touch(wide, v[tid].x);
    touch(wide, (v + tid)->z);
}

// ---- Swizzles

__device__ int swizzle(int row, int column)
{
    return row * 64 + (column ^ ((row & 7) << 3));
}

__global__ void swizzles(int n)
{
    __shared__ short buffer[64 * 64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = lane / 4, column = (lane % 4) * 8;
    show(swizzle(row, column));
    touch(buffer, buffer[swizzle(row, column)]);
    show((row << 6) | (column ^ (row << 3)));
    show(((lane & 1) << 4) | ((lane >> 1) & 15));
    show(lane ^ (lane >> 1));
    show((lane & 0x18) | ((lane & 3) << 1) | ((lane >> 2) & 1));
    int address = lane * 128;
    address ^= (address & 0x380) >> 3;
    show(address);
    show((threadIdx.x % 8) * 8 + (threadIdx.x / 8) % 8);
    show(warp * 512 + lane * 16 + (threadIdx.y & 1));
    unsigned morton = 0;
    for (int i = 0; i < 4; ++i)
        morton |= (lane >> i & 1) << (2 * i) | (warp >> i & 1) << (2 * i + 1);
    show(morton);
    unsigned short packed = (unsigned short)(lane << 8 | warp);
    show(packed >> 8);
    show((uint8_t)(packed));
    show((int8_t)(lane << 4));
}

// ---- Scans

__global__ void scan(float *data, int n)
{
    __shared__ float temp[512 + 16];
    int thid = threadIdx.x;
    int ai = thid, bi = thid + 128;
    int bank_a = CONFLICT_FREE_OFFSET(ai), bank_b = CONFLICT_FREE_OFFSET(bi);
    show(ai + bank_a);
    show(bi + bank_b);
    touch(temp, temp[ai + bank_a]);
    touch(temp, temp[bi + CONFLICT_FREE_OFFSET(bi)]);
    int offset = 1;
    for (int d = 64; d > 0; d >>= 1) {
        if (thid < d) {
            show(thid * 2);
        }
        offset *= 2;
    }
    show(offset);
    show(thid * offset);
    int ping = 0, pong = 1;
    for (int i = 0; i < 3; ++i) {
        SWAP(ping, pong);
    }
    int pout = 0, pin = 1;
    for (int k = 1; k < 64; k *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
    }
    show(pout * 128 + thid);
    show(pin * 128 + thid);
}

// ---- Histograms

__global__ void histogram(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned counts[8][256 + 1];
    __shared__ unsigned char bytes[64 * 4 * 4];
    int warp = threadIdx.x >> 5;
    int tid = threadIdx.x;
    unsigned *mine = counts[warp % 8];
    for (int i = tid; i < 256; i += blockDim.x) {
        touch(counts, mine[i]);
    }
    const int position = (tid & ~63) | ((tid & 15) << 2) | ((tid >> 4) & 3);
    show(position);
    touch(bytes, bytes[position % 1024]);
    for (int i = 0; i < 256; i += 64) {
        touch(counts, counts[0][i + tid % 64]);
        show(i + tid % 64);
    }
    int sum = 0;
    for (unsigned i = tid % 4; i < 16; i += 4)
        sum += i;
    show(sum);
}

// ---- Stencils

#define RADIUS 3
__global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float temp[256 + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x;
    int lindex = threadIdx.x + RADIUS;
    touch(temp, temp[lindex]);
    show(gindex);
    if (threadIdx.x < RADIUS) {
        touch(temp, temp[lindex - RADIUS]);
        touch(temp, temp[lindex + 128]);
        show(gindex + 128);
    }
    for (int offset = -RADIUS; offset <= RADIUS; offset++) {
        touch(temp, temp[lindex + offset]);
    }
    int left = max((int)threadIdx.x - 1, 0), right = min(threadIdx.x + 1, blockDim.x - 1);
    show(left);
    show(right);
}

__global__ void stencil3d(int nx, int ny, int nz)
{
    __shared__ float block[4][10][18];
    int i = threadIdx.x % 16 + 1, j = threadIdx.y % 8 + 1, k = threadIdx.z % 2 + 1;
    touch(block, block[k][j][i]);
    touch(block, block[k - 1][j][i]);
    touch(block, block[k][j][i + 1]);
    show((k * 10 + j) * 18 + i);
    int interior = i > 1 && i < 16 && j > 1;
    show(interior);
    if (interior) {
        show(i - 1);
    }
    if (i == 1) {
        touch(block, block[k][j][0]);
    } else if (i == 16) {
        touch(block, block[k][j][17]);
    } else {
        show(i);
    }
}

// ---- Control flow

__device__ int classify(int x)
{
    switch (x % 4) {
    case 0:
        return 10;
    case 1:
    case 2:
        return 20 + x;
    default:
        break;
    }
    return -1;
}

__device__ void divide(int x, int by, int &quotient, int &rest)
{
    quotient = x / by;
    rest = x % by;
}

__global__ void flows(int n, unsigned m)
{
    int tid = threadIdx.x;
    show(classify(tid));
    int q, r;
    divide(tid, 12, q, r);
    show(q);
    show(r);
    int &alias = q;
    alias += r;
    show(q);
    int value = 0;
    if (tid & 1)
        value = 3;
    else if (tid & 2)
        value = 5;
    show(value);
    while (value < 20) {
        value += 4;
        if (value == 11)
            break;
    }
    show(value);
    int count = 0;
    for (int i = 0; i < 8; ++i) {
        if (i == (tid & 7))
            continue;
        count += i;
    }
    show(count);
    do {
        --count;
    } while (count > 20);
    show(count);
    const int table[4] = {3, 1, 4, 1};
    int small[4];
    for (int i = 0; i < 4; ++i)
        small[i] = tid * i;
    show(table[2] + tid);
    show(table[tid & 3]);
    show(small[3]);
    if (m > 50)
        value = 1;
    show(tid + 0 * value);
    if (n == 7)
        return;
    show(tid * 2);
    if (tid >= 32)
        return;
    show(tid * 3);
    if (tid % 2 == 0) {
        show(tid / 2);
        if (tid >= 8)
            return;
        show(tid / 4);
    }
    show(tid);
}

__global__ void early_exit(int n)
{
    unsigned tid = threadIdx.x;
    if (blockIdx.x * 1000 > 100000000)
        return;
    show(tid);
    if (tid < 48 && tid >= 16) {
        show(tid - 16);
    } else {
        show(tid + 16);
    }
    bool first = tid == 0, last = tid == blockDim.x - 1;
    show(first || last);
    show(!first);
    if (!first && !last) {
        show(tid / (tid - 0u));
        show(100 / tid);
    }
    show(tid ? 64 / tid : 0);
    int wave = tid / 32;
    if (wave == 0) {
        show(wave + 1);
    }
    for (int i = tid; i < 70; i += 32) {
        if (i > 64)
            break;
        show(tid % 32);
    }
}

__global__ void lambdas(int n)
{
    auto lane = [] { return threadIdx.x & 31; };
    auto cell = [&](int row, int column) -> int {
        if (row > 3)
            return 0;
        return row * 33 + column;
    };
    int base = 7;
    auto from_base = [&](int i) { return base + i; };
    base = 9;
    show(lane());
    show(cell(1, threadIdx.x));
    show(cell(threadIdx.x & 7, 2));
    show(from_base(threadIdx.x));
    show(from_base(n) - n);
}

// ---- Types

__global__ void types(size_t pitch, long long big)
{
    unsigned tid = threadIdx.x;
    size_t wide = tid * 8;
    long long offset = (long long)tid - 40;
    unsigned char narrow = tid * 5;
    signed char low = tid - 100;
    bool odd = tid & 1;
    short half = -3 * (int)tid;
    show(wide * sizeof(float));
    show(offset);
    show(offset / 3);
    show(offset % 5);
    show(offset >> 1);
    show(tid - 40);
    show((int)(tid - 40) / 2);
    show((tid - 40) / 2);
    show(narrow);
    show(low);
    show(odd + 1);
    show(half);
    show(narrow * narrow);
    show((unsigned short)half);
    show(-1 < (int)tid);
    show(-1 < tid);
    show(~tid & 0xff);
    show(sizeof(int4) * tid);
    show(sizeof(double));
    show('a' + tid);
    show(tid * 0x10001u);
    show((int)(tid * 0x08000001u));
    show((unsigned long long)tid << 33);
    show(tid ? 1 : 2u);
    show(static_cast<int>(tid) - 5);
    show(int(tid) % 7);
    show(CELLS * tid + COLUMNS);
    show((pitch * 16 + tid) / 16 + tid % 4);
    show(big + tid);
    show((big * 2 + 1) * 0 + tid);
}

// ---- Dynamic shared memory and structures

struct pair {
    int key;
    float weight;
};
struct cell {
    short a;
    double b[2];
    pair p;
};

__global__ void carved(int n, int m)
{
    __shared__ unsigned char raw[8192];
    __shared__ pair pairs[64];
    __shared__ cell cells[16];
    int tid = threadIdx.x % 16;
    float *first = (float *)raw;
    float *second = first + 64;
    int *third = (int *)&second[64];
    double *fourth = reinterpret_cast<double *>(raw + 2048);
    touch(raw, first[tid]);
    touch(raw, second[tid]);
    touch(raw, third[tid * 2]);
    touch(raw, fourth[tid]);
    touch(pairs, pairs[tid]);
    touch(pairs, pairs[tid].weight);
    touch(cells, cells[tid].b[1]);
    touch(cells, cells[tid].p.key);
    pair *one = &pairs[tid];
    touch(pairs, one->weight);
    touch(pairs, (*one).key);
    one += 2;
    touch(pairs, one->key);
    float *moving = first;
    for (int i = 0; i < 4; ++i) {
        touch(raw, moving[tid]);
        moving += 16;
    }
    touch(raw, moving[tid]);
    float &element = first[tid + 1];
    touch(raw, element);
}
