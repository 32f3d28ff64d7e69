#include <config.h>

#include "cli/wanted.h"

#include <string.h>

static const struct {
    const char *end;
    enum file_kind kind;
    const char *renamed;
} suffixes[] = {
#define SUFFIX(end, kind, renamed) {end, kind, renamed},
#include "cli/suffixes.def"
#undef SUFFIX
};

/* The number of the longest suffix with which NAME ends, or -1. A name that is nothing else is
   hidden, not a source. */
static int suffix_of(const char *name, size_t len)
{
    int res = -1;
    size_t longest = 0;
    for (int i = 0; i < (int)(sizeof suffixes / sizeof *suffixes); ++i) {
        size_t end = strlen(suffixes[i].end);
        if (longest < end && end < len && name[len - end - 1] != '/' &&
            !memcmp(name + len - end, suffixes[i].end, end)) {
            res = i;
            longest = end;
        }
    }
    return res;
}

enum file_kind wanted_kind(const char *name)
{
    int i = suffix_of(name, strlen(name));
    return i < 0 ? FILE_OTHER : suffixes[i].kind;
}

const char *wanted_rename(const char *name, size_t len, const char **renamed)
{
    int i = suffix_of(name, len);
    if (i < 0 || !suffixes[i].renamed)
        return NULL;
    *renamed = suffixes[i].renamed;
    return name + len - strlen(suffixes[i].end);
}

bool wanted_is_binary(const char *text, size_t len)
{
    enum { FIRST = 8000 };
    return len && memchr(text, '\0', len < FIRST ? len : FIRST) != NULL;
}

/* With these, words of CUDA, of its libraries and of HIP begin. */
static const char *const beginnings[] = {
    "CUBLAS",
    "CUDA",
    "CUDNN",
    "CUFFT",
    "CUFILE",
    "CUPTI",
    "CURAND",
    "CUSOLVER",
    "CUSPARSE",
    "CUTENSOR",
    "CUTLASS",
    "Cuda",
    "HIP",
    "NCCL",
    "NVML",
    "NVRTC",
    "NVTX",
    "ROCM",
    "__CUDA",
    "__HIP",
    "__constant_",
    "__device_",
    "__global_",
    "__grid_constant_",
    "__hip",
    "__host_",
    "__launch_b",
    "__managed_",
    "__shared_",
    "blockDim",
    "blockIdx",
    "cooperative_groups",
    "cublas",
    "cuda",
    "cudnn",
    "cufft",
    "cufile",
    "cupti",
    "curand",
    "cusolver",
    "cusparse",
    "cutensor",
    "cutlass",
    "device_functions",
    "device_launch_parameters",
    "gridDim",
    "hip",
    "math_constants",
    "miopen",
    "nccl",
    "npp",
    "nvToolsExt",
    "nvcuda",
    "nvjpeg",
    "nvml",
    "nvrtc",
    "nvshmem",
    "nvtx",
    "rccl",
    "rocblas",
    "rocfft",
    "rocm",
    "rocprim",
    "rocrand",
    "rocsolver",
    "rocsparse",
    "rocthrust",
    "roctx",
    "rocwmma",
    "surface_functions",
    "texture_fetch",
    "texture_indirect",
    "threadIdx",
    "thrust",
    "vector_functions",
    "vector_types",
    "warpSize",
};

/* Whole words of theirs. */
static const char *const words[] = {"cub", "cute", "dim3", "mma", "nv"};

static bool is_name(unsigned char c)
{
    return c == '_' || (unsigned char)((c | 32) - 'a') < 26 || (unsigned char)(c - '0') < 10 ||
           0x80 <= c;
}

static bool is_upper(char c)
{
    return 'A' <= c && c <= 'Z';
}

static bool is_lower(char c)
{
    return 'a' <= c && c <= 'z';
}

/* Whether the word of LEN bytes at TEXT is of CUDA or HIP. */
static bool is_word(const struct map *map, const char *text, size_t len)
{
    if (2 < len && !memcmp(text, "__", 2) && map_find(map, text, len))
        return true;
    /* The driver API's: cuInit, CUdevice, CU_DEVICE. */
    if (2 < len && ((text[0] == 'c' && text[1] == 'u' && is_upper(text[2])) ||
                    (text[0] == 'C' && text[1] == 'U' && (is_lower(text[2]) || text[2] == '_'))))
        return true;
    if (6 < len && !memcmp(text, "atomic", 6) && is_upper(text[6]))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (len == strlen(words[i]) && !memcmp(text, words[i], len))
            return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i) {
        size_t begin = strlen(beginnings[i]);
        if (*beginnings[i] == *text && begin <= len && !memcmp(text, beginnings[i], begin))
            return true;
    }
    return false;
}

/* Words of CUDA begin with one of these. */
static bool may_begin(unsigned char c)
{
    return c && strchr("CHNR_abcdghmnrstvw", c);
}

bool wanted_by_text(const struct map *map, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)text[i];
        if (!is_name(c)) {
            if (c == '<' && i + 2 < len && text[i + 1] == '<' && text[i + 2] == '<')
                return true;
            ++i;
            continue;
        }
        size_t end = i + 1;
        while (end < len && is_name((unsigned char)text[end]))
            ++end;
        if (may_begin(c) && is_word(map, text + i, end - i))
            return true;
        i = end;
    }
    return false;
}
