#include <config.h>

#include "report/words.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"

/* Which of the files has a header or a name: flags of their symbols. */
enum {
    HEADER_OLD = 1 << 0,
    HEADER_NEW = 1 << 1,
    NAME_OLD = 1 << 2,
    NAME_NEW = 1 << 3,
};

/* What becomes of a token. */
enum act {
    ACT_KEEP,
    ACT_SKIP,
    ACT_OPEN,         /* the comma behind the kernel of hipLaunchKernelGGL: <<< */
    ACT_CLOSE,        /* the comma behind its stream: >>> ( */
    ACT_CLOSE_BEFORE, /* its closing parenthesis where no argument follows: >>> ( ) */
    ACT_ZERO,         /* another spelling of 0 */
    ACT_ZERO_BEFORE,  /* >>> of a launch without a stream */
    ACT_ZEROS_BEFORE, /* and without shared memory */
    ACT_HOST_MALLOC,  /* another name of hipHostMalloc */
    ACT_EXTERN,       /* the name, parentheses of HIP_DYNAMIC_SHARED(T, N): extern */
    ACT_SHARED,       /* __shared__ */
    ACT_BRACKETS,     /* []; */
    ACT_HOST_FREE,    /* another name of hipHostFree */
};

struct canon {
    const struct unit *unit;
    struct symbol_table *table;
    struct words *words;
    struct arena arena; /* scratch */
    uint8_t *acts;      /* enum act of each token */
};

static const char *text_of(const struct unit *unit, uint32_t index)
{
    return unit->source->text + unit_token(unit, index)->offset;
}

static bool is_word(const struct unit *unit, uint32_t index, const char *word)
{
    size_t len = strlen(word);
    return unit_token(unit, index)->length == len && !memcmp(text_of(unit, index), word, len);
}

static void skip(struct canon *c, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i)
        c->acts[i] = ACT_SKIP;
}

/* The token that closes the parenthesis at INDEX; NO_TOKEN if none is there. */
static uint32_t closing(const struct unit *unit, uint32_t index)
{
    if (unit_kind(unit, index) != TOK_LPAREN)
        return NO_TOKEN;
    uint32_t res = unit_partner(unit, index);
    return res != NO_TOKEN && index < res ? res : NO_TOKEN;
}

/* ---- launches */

static bool is_one(const struct unit *unit, struct range range)
{
    return range.end == range.begin + 1 && is_word(unit, range.begin, "1");
}

/* dim3(N), all of RANGE, is N; dim3(X, Y, 1) is dim3(X, Y). */
static void join_dim3(struct canon *c, struct range range)
{
    struct arguments args;
    while (range.begin + 4 <= range.end && is_word(c->unit, range.begin, "dim3") &&
           closing(c->unit, range.begin + 1) == range.end - 1 &&
           unit_arguments(c->unit, range.begin + 1, &c->arena, &args) && args.first_unknown < 0) {
        for (; 1 < args.count && is_one(c->unit, args.items[args.count - 1]); --args.count)
            skip(c, args.items[args.count - 1].begin - 1, args.items[args.count - 1].end);
        if (args.count != 1)
            return;
        skip(c, range.begin, range.begin + 2);
        skip(c, range.end - 1, range.end);
        range = args.items[0];
    }
}

static void join_zero(struct canon *c, struct range range)
{
    if (range.end == range.begin + 1 &&
        (is_word(c->unit, range.begin, "nullptr") || is_word(c->unit, range.begin, "NULL")))
        c->acts[range.begin] = ACT_ZERO;
}

/* The kernel without parentheses and HIP_KERNEL_NAME around all of its name. */
static void join_kernel(struct canon *c, struct range range)
{
    while (range.begin < range.end) {
        uint32_t open = range.begin + is_word(c->unit, range.begin, "HIP_KERNEL_NAME");
        if (range.end <= open || closing(c->unit, open) != range.end - 1)
            return;
        skip(c, range.begin, open + 1);
        skip(c, range.end - 1, range.end);
        range = (struct range){open + 1, range.end - 1};
    }
}

static void join_chevrons(struct canon *c, const struct launch *launch)
{
    join_kernel(c, launch->callee);
    for (int i = 0; i < launch->config_count && i < LAUNCH_CONFIG; ++i)
        if (i < 2)
            join_dim3(c, launch->config[i]);
        else
            join_zero(c, launch->config[i]);
    if (launch->config_count == 2)
        c->acts[launch->close] = ACT_ZEROS_BEFORE;
    else if (launch->config_count == 3)
        c->acts[launch->close] = ACT_ZERO_BEFORE;
}

/* hipLaunchKernelGGL, the name at INDEX. */
static void join_function(struct canon *c, uint32_t index)
{
    enum { KERNEL, GRID, BLOCK, SHARED, STREAM, FIXED };
    struct arguments args;
    if (closing(c->unit, index + 1) == NO_TOKEN ||
        !unit_arguments(c->unit, index + 1, &c->arena, &args) || args.count < FIXED ||
        (0 <= args.first_unknown && args.first_unknown < FIXED))
        return;
    skip(c, index, index + 2);
    join_kernel(c, args.items[KERNEL]);
    c->acts[args.items[KERNEL].end] = ACT_OPEN;
    join_dim3(c, args.items[GRID]);
    join_dim3(c, args.items[BLOCK]);
    join_zero(c, args.items[SHARED]);
    join_zero(c, args.items[STREAM]);
    c->acts[args.items[STREAM].end] = args.count == FIXED ? ACT_CLOSE_BEFORE : ACT_CLOSE;
}

static bool is_name_byte(char ch)
{
    return ('a' <= ch && ch <= 'z') || ('A' <= ch && ch <= 'Z') || ('0' <= ch && ch <= '9') ||
           ch == '_';
}

/* ---- calls */

/* The token behind the type `void *`, `const void *` and so on at INDEX; INDEX where none is. */
static uint32_t behind_void_pointer(const struct unit *unit, uint32_t index)
{
    uint32_t i = index;
    bool is_void = false, stars = false;
    for (;; ++i) {
        if (is_word(unit, i, "void") && !is_void)
            is_void = true;
        else if (unit_kind(unit, i) == TOK_STAR && is_void)
            stars = true;
        else if (!is_word(unit, i, "const"))
            break;
    }
    return stars ? i : index;
}

/* Leaves out a cast to a void pointer with which the argument RANGE begins. */
static void join_cast(struct canon *c, struct range range)
{
    const struct unit *unit = c->unit;
    uint32_t i = range.begin, end;
    if (range.end < range.begin + 4)
        return;
    if (unit_kind(unit, i) == TOK_LPAREN) {
        end = behind_void_pointer(unit, i + 1);
        if (end != i + 1 && end + 1 < range.end && unit_kind(unit, end) == TOK_RPAREN)
            skip(c, i, end + 1);
        return;
    }
    if (unit_kind(unit, i) != TOK_CAST || unit_kind(unit, i + 1) != TOK_LESS)
        return;
    end = behind_void_pointer(unit, i + 2);
    if (end != i + 2 && unit_kind(unit, end) == TOK_GREATER &&
        closing(unit, end + 1) == range.end - 1) {
        skip(c, i, end + 2);
        skip(c, range.end - 1, range.end);
    }
}

/* hipMallocHost, hipHostMalloc with the flags that it has by default, hipFreeHost. */
static void join_host_memory(struct canon *c, uint32_t index, const struct arguments *args)
{
    enum { FLAGS = 2 };
    if (is_word(c->unit, index, "hipMallocHost"))
        c->acts[index] = ACT_HOST_MALLOC;
    if (is_word(c->unit, index, "hipFreeHost"))
        c->acts[index] = ACT_HOST_FREE;
    if (!is_word(c->unit, index, "hipHostMalloc") || args->count != FLAGS + 1)
        return;
    struct range flags = args->items[FLAGS];
    if (flags.end == flags.begin + 1 && (is_word(c->unit, flags.begin, "0") ||
                                         is_word(c->unit, flags.begin, "hipHostMallocDefault")))
        skip(c, flags.begin - 1, flags.end);
}

/* HIP_DYNAMIC_SHARED(T, N) is extern __shared__ T N[]. */
static void join_shared(struct canon *c, uint32_t index, const struct arguments *args)
{
    if (args->count != 2)
        return;
    c->acts[index] = ACT_EXTERN;
    c->acts[index + 1] = ACT_SHARED;
    c->acts[args->items[0].end] = ACT_SKIP;
    c->acts[args->tokens.end - 1] = ACT_BRACKETS;
    /* The macro has a semicolon of its own. */
    if (unit_kind(c->unit, args->tokens.end) == TOK_SEMICOLON)
        c->acts[args->tokens.end] = ACT_SKIP;
}

/* A call of a function of HIP's, or what looks so, whose name is at INDEX. */
static void join_call(struct canon *c, uint32_t index)
{
    struct arguments args;
    if (is_word(c->unit, index, "hipLaunchKernelGGL")) {
        join_function(c, index);
        return;
    }
    if (is_word(c->unit, index, "HIP_SYMBOL")) {
        skip(c, index, index + 2);
        skip(c, closing(c->unit, index + 1), closing(c->unit, index + 1) + 1);
        return;
    }
    if (!unit_arguments(c->unit, index + 1, &c->arena, &args))
        return;
    if (is_word(c->unit, index, "HIP_DYNAMIC_SHARED")) {
        join_shared(c, index, &args);
        return;
    }
    if (!memcmp(text_of(c->unit, index), "HIP_", 4))
        return; /* somebody's macro */
    for (int i = 0; i < args.count; ++i)
        join_cast(c, args.items[i]);
    join_host_memory(c, index, &args);
}

static void join_calls(struct canon *c)
{
    for (uint32_t i = 0; i + 1 < c->unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(c->unit, i);
        const char *text = text_of(c->unit, i);
        if (token->kind == TOK_IDENT && 3 < token->length &&
            (!memcmp(text, "hip", 3) || !memcmp(text, "HIP_", 4)) &&
            closing(c->unit, i + 1) != NO_TOKEN)
            join_call(c, i);
    }
}

/* ---- names of the user's own */

/* What the names of CUDA and its libraries become in names and messages, longest first. */
static const struct {
    const char *cuda, *hip;
} brands[] = {
    {"cuSOLVER", "hipSOLVER"}, {"CUSOLVER", "HIPSOLVER"}, {"cusolver", "hipsolver"},
    {"cuSPARSE", "hipSPARSE"}, {"CUSPARSE", "HIPSPARSE"}, {"cusparse", "hipsparse"},
    {"cuBLAS", "hipBLAS"},     {"CUBLAS", "HIPBLAS"},     {"cublas", "hipblas"},
    {"cuRAND", "hipRAND"},     {"CURAND", "HIPRAND"},     {"curand", "hiprand"},
    {"cuFFT", "hipFFT"},       {"CUFFT", "HIPFFT"},       {"cufft", "hipfft"},
    {"CUDA", "HIP"},           {"Cuda", "Hip"},           {"cuda", "hip"},
};

/* The brand with which the LEN bytes at TEXT begin; -1 for none. */
static int brand_at(const char *text, size_t len)
{
    for (int i = 0; i < (int)(sizeof brands / sizeof *brands); ++i)
        if (strlen(brands[i].cuda) <= len && !memcmp(text, brands[i].cuda, strlen(brands[i].cuda)))
            return i;
    return -1;
}

static bool is_capital(char c)
{
    return 'A' <= c && c <= 'Z';
}

/* Whether the brand from BEGIN to END of the LEN bytes at TEXT is a word, or what a name of CUDA's
   such as cudaMalloc begins with. */
static bool is_whole_word(const char *text, size_t len, size_t begin, size_t end)
{
    if (begin && is_name_byte(text[begin - 1]))
        return false;
    return end == len || !is_name_byte(text[end]) ||
           (is_capital(text[end]) && !is_capital(text[end - 1]));
}

/* How HIP's words are put for CUDA's. */
enum folding {
    FOLD_NAME,     /* CudaSpace: HipSpace */
    FOLD_CAPITALS, /* CudaSpace: HIPSpace */
    FOLD_MESSAGE,  /* only whole words count, and those that names of CUDA's begin with (cudaMalloc)
                    */
};

/* Appends the LEN bytes at TEXT with HIP's words for CUDA's; whether there was one. */
static bool fold(struct strbuf *out, const char *text, size_t len, enum folding folding)
{
    bool res = false;
    for (size_t i = 0; i < len;) {
        int brand = brand_at(text + i, len - i);
        size_t end = brand < 0 ? i : i + strlen(brands[brand].cuda);
        if (brand < 0 || (folding == FOLD_MESSAGE && !is_whole_word(text, len, i, end))) {
            strbuf_addc(out, text[i++]);
            continue;
        }
        bool capitals = folding == FOLD_CAPITALS && !strcmp(brands[brand].hip, "Hip");
        strbuf_adds(out, capitals ? "HIP" : brands[brand].hip);
        i = end;
        res = true;
    }
    return res;
}

static bool has_one(unsigned flags, unsigned first, unsigned second)
{
    return (flags & (first | second)) == first;
}

static const struct symbol *renamed_as(struct canon *c, const char *text, size_t len,
                                       enum folding folding)
{
    struct strbuf folded = STRBUF_INIT;
    const struct symbol *res = NULL;
    if (fold(&folded, text, len, folding)) {
        unsigned from = symbol_intern(c->table, text, len)->flags;
        const struct symbol *to = symbol_intern(c->table, folded.text, folded.len);
        if ((has_one(from, NAME_OLD, NAME_NEW) && has_one(to->flags, NAME_NEW, NAME_OLD)) ||
            (has_one(from, NAME_NEW, NAME_OLD) && has_one(to->flags, NAME_OLD, NAME_NEW)))
            res = to;
    }
    strbuf_release(&folded);
    return res;
}

/* The name that stands for the one of the file's own, of LEN bytes at TEXT: where one file says
   CUDA, and the other HIP instead, both are the latter. NULL where it is not so. */
static const struct symbol *renamed(struct canon *c, const char *text, size_t len)
{
    const struct symbol *res = renamed_as(c, text, len, FOLD_NAME);
    return res ? res : renamed_as(c, text, len, FOLD_CAPITALS);
}

static const struct symbol *join_name(struct canon *c, uint32_t index)
{
    const struct symbol *name = unit_token(c->unit, index)->symbol;
    return name->api ? NULL : renamed(c, name->text, name->len);
}

/* The same for a string that is a message: it has words, and is no program. */
static const struct symbol *join_message(struct canon *c, uint32_t index)
{
    const char *text = text_of(c->unit, index);
    size_t len = unit_token(c->unit, index)->length;
    if (!memchr(text, ' ', len) || memchr(text, '{', len))
        return NULL;
    struct strbuf folded = STRBUF_INIT;
    const struct symbol *res = NULL;
    if (fold(&folded, text, len, FOLD_MESSAGE))
        res = symbol_intern(c->table, folded.text, folded.len);
    strbuf_release(&folded);
    return res;
}

/* ---- includes */

static bool starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

static bool ends(const struct strbuf *text, const char *suffix)
{
    size_t len = strlen(suffix);
    return len <= text->len && !memcmp(text->text + text->len - len, suffix, len);
}

/* Whether PATH is that of a header of HIP's or ROCm's. */
static bool is_hip_header(const char *path)
{
    static const char *const beginnings[] = {
        "hip/", "hipblas", "hipcub", "hipfft",  "hiprand", "hipsolver", "hipsparse", "miopen/",
        "rccl", "rocblas", "rocfft", "rocprim", "rocrand", "rocsolver", "rocsparse", "rocwmma",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
        if (starts(path, beginnings[i]))
            return true;
    return false;
}

/* Appends the path that INCLUDE names in the form that is compared; whether it is a header of
   HIP's. The delimiters are left out. */
static bool header_path(const struct unit *unit, const struct directive *include,
                        struct strbuf *path)
{
    const struct token *token = unit_token(unit, include->name);
    const char *text = text_of(unit, include->name);
    strbuf_add(path, text + 1, token->length < 2 ? 0 : token->length - 2);
    if (is_hip_header(path->text)) {
        /* hipblas/hipblas.h is where hipblas.h went. */
        const char *slash = strchr(path->text, '/');
        size_t len = slash ? (size_t)(slash - path->text) : 0;
        if (3 < len && !strncmp(slash + 1, path->text, len)) {
            memmove(path->text, path->text + len + 1, path->len - len);
            path->len -= len + 1;
        }
        return true;
    }
    if (ends(path, ".cuh")) {
        path->len -= strlen(".cuh");
        strbuf_adds(path, ".hip.h");
    } else if (ends(path, ".cu")) {
        path->len -= strlen(".cu");
        strbuf_adds(path, ".hip");
    }
    return false;
}

static bool has_header(const struct unit *unit, const struct directive *d)
{
    return d->kind == TOK_PP_INCLUDE && d->name != NO_TOKEN &&
           unit_kind(unit, d->name) == TOK_HEADER;
}

static void note_headers(const struct unit *unit, struct symbol_table *table, int side)
{
    struct strbuf path = STRBUF_INIT;
    vec_each (const struct directive, d, &unit->directives) {
        strbuf_clear(&path);
        if (!has_header(unit, d))
            continue;
        if (header_path(unit, d, &path)) {
            symbol_intern(table, path.text, path.len)->flags |=
                (uint16_t)(side ? HEADER_NEW : HEADER_OLD);
        } else {
            strbuf_addc(&path, text_of(unit, d->name)[unit_token(unit, d->name)->length - 1]);
            symbol_intern(table, path.text, path.len)->flags |=
                (uint16_t)(side ? NAME_NEW : NAME_OLD);
        }
    }
    strbuf_release(&path);
}

void words_note(const struct unit *unit, struct symbol_table *table, int side)
{
    note_headers(unit, table, side);
    vec_each (const struct token, token, &unit->tokens.list)
        if (token->kind == TOK_IDENT)
            symbol_intern(table, token->symbol->text, token->symbol->len)->flags |=
                (uint16_t)(side ? NAME_NEW : NAME_OLD);
}

/* Leaves out the include D, or gives the path that stands for its header's name. */
static const struct symbol *join_include(struct canon *c, const struct directive *d)
{
    struct strbuf path = STRBUF_INIT;
    const struct symbol *res = NULL;
    if (header_path(c->unit, d, &path)) {
        res = symbol_intern(c->table, path.text, path.len);
        if ((res->flags & (HEADER_OLD | HEADER_NEW)) == (HEADER_OLD | HEADER_NEW) ||
            starts(path.text, "hip/hip_runtime")) {
            skip(c, d->tokens.begin, d->tokens.end);
            res = NULL;
        }
    } else {
        const struct token *token = unit_token(c->unit, d->name);
        strbuf_addc(&path, text_of(c->unit, d->name)[token->length - 1]);
        res = symbol_intern(c->table, path.text, path.len);
        const struct symbol *other = renamed(c, path.text, path.len);
        res = other ? other : res;
    }
    strbuf_release(&path);
    return res;
}

/* Leaves out the #define D if it only asks HIP's headers for functions that newer ones have
   anyway. */
static void join_define(struct canon *c, const struct directive *d)
{
    if (d->kind == TOK_PP_DEFINE && d->name != NO_TOKEN &&
        is_word(c->unit, d->name, "HIP_ENABLE_WARP_SYNC_BUILTINS"))
        skip(c, d->tokens.begin, d->tokens.end);
}

/* ---- words */

static void add(struct canon *c, const struct symbol *text, size_t begin, size_t end)
{
    *vec_push(&c->words->list) = (struct word){text, {(uint32_t)begin, (uint32_t)end}};
}

/* A word that the file leaves out in front of OFFSET: it belongs to what stands before it. */
static void add_missing(struct canon *c, const char *text)
{
    const struct word *last = vec_end(&c->words->list);
    size_t at = c->words->list.count ? last[-1].span.end : 0;
    add(c, symbol_intern(c->table, text, strlen(text)), at, at);
}

static void add_token(struct canon *c, const struct token *token)
{
    size_t end = (size_t)token->offset + token->length;
    if (token->kind == TOK_END_DIRECTIVE)
        add_missing(c, "\n");
    else
        add(c, symbol_intern(c->table, c->unit->source->text + token->offset, token->length),
            token->offset, end);
}

static void add_as(struct canon *c, const struct token *token, const char *text)
{
    add(c, symbol_intern(c->table, text, strlen(text)), token->offset,
        (size_t)token->offset + token->length);
}

static void add_by_act(struct canon *c, const struct token *token, enum act act)
{
    switch (act) {
    case ACT_SKIP:
        break;
    case ACT_KEEP:
        add_token(c, token);
        break;
    case ACT_OPEN:
        add_as(c, token, "<<<");
        break;
    case ACT_CLOSE:
        add_as(c, token, ">>>");
        add_missing(c, "(");
        break;
    case ACT_CLOSE_BEFORE:
        add_missing(c, ">>>");
        add_missing(c, "(");
        add_token(c, token);
        break;
    case ACT_HOST_MALLOC:
        add_as(c, token, "hipHostMalloc");
        break;
    case ACT_EXTERN:
        add_as(c, token, "extern");
        break;
    case ACT_SHARED:
        add_as(c, token, "__shared__");
        break;
    case ACT_BRACKETS:
        add_as(c, token, "[");
        add_missing(c, "]");
        add_missing(c, ";");
        break;
    case ACT_HOST_FREE:
        add_as(c, token, "hipHostFree");
        break;
    case ACT_ZERO:
        add_as(c, token, "0");
        break;
    case ACT_ZEROS_BEFORE:
        add_missing(c, ",");
        add_missing(c, "0");
        /* fall through */
    case ACT_ZERO_BEFORE:
        add_missing(c, ",");
        add_missing(c, "0");
        add_token(c, token);
        break;
    }
}

void words_collect(struct words *words, const struct unit *unit, struct symbol_table *table)
{
    struct canon c = {.unit = unit, .table = table, .words = words};
    size_t count = unit->tokens.list.count - 1; /* without the end of the file */
    c.acts = xcalloc(count + 1, sizeof *c.acts);
    vec_each (const struct launch, launch, &unit->launches)
        join_chevrons(&c, launch);
    join_calls(&c);
    const struct directive *d = unit->directives.items, *stop = vec_end(&unit->directives);
    for (uint32_t i = 0; i < count; ++i) {
        const struct symbol *other = NULL;
        while (d < stop && d->tokens.end <= i)
            ++d;
        if (d < stop && d->tokens.begin == i) {
            join_define(&c, d);
            if (has_header(unit, d))
                join_include(&c, d);
        }
        if (d < stop && d->name == i && has_header(unit, d) && c.acts[i] == ACT_KEEP)
            other = join_include(&c, d);
        else if (unit_kind(unit, i) == TOK_IDENT && c.acts[i] == ACT_KEEP)
            other = join_name(&c, i);
        else if (unit_kind(unit, i) == TOK_SPECIFIER && is_word(unit, i, "register"))
            c.acts[i] = ACT_SKIP; /* C++17 has no such word; the translation takes it out */
        else if (unit_kind(unit, i) == TOK_STRING)
            other = join_message(&c, i);
        if (other)
            add(&c, other, unit_token(unit, i)->offset,
                (size_t)unit_token(unit, i)->offset + unit_token(unit, i)->length);
        else
            add_by_act(&c, unit_token(unit, i), (enum act)c.acts[i]);
    }
    free(c.acts);
    arena_release(&c.arena);
}

void words_release(struct words *words)
{
    vec_release(&words->list);
}
