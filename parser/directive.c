/* Pass 2: directives are read, and conditionals that name HIP split the file into what only
   an AMD compiler, only an NVIDIA compiler, or both see.

   A condition is evaluated twice, with what each vendor's compiler defines; whatever else it
   names is unknown. Where the outcome can differ between the vendors somebody has decided
   already, and both sides stay as they are; where it cannot (`defined(__CUDACC__) ||
   defined(__HIPCC__)`), the conditional guards ordinary code.  */
#include <config.h>

#include <string.h>

#include "parser/island.h"
#include "parser/unit_p.h"

enum truth {
    FALSE,
    TRUE,
    UNKNOWN,
};

/* A value as far as it is known. */
struct value {
    enum truth known; /* TRUE: `value` holds it; UNKNOWN: `value` means nothing */
    long long value;
};

enum vendor {
    AMD,
    NVIDIA,
    AMD_TRANSLATED, /* AMD, once the CUDA names in the condition are translated */
    VENDORS,
    NEWEST = VENDORS, /* NVIDIA, in device code for a GPU newer than any */
};

struct vendor_macro {
    const char *name;
    bool hip; /* it names HIP, so a condition with it tells the vendors apart */
    enum truth defined[VENDORS];
};

static const struct vendor_macro vendor_macros[] = {
    {"CUDART_VERSION", false, {FALSE, TRUE, FALSE}},
    {"CUDA_VERSION", false, {FALSE, TRUE, FALSE}},
    {"HIP_VERSION", true, {TRUE, FALSE, TRUE}},
    {"HIP_VERSION_MAJOR", true, {TRUE, FALSE, TRUE}},
    {"TORCH_HIP_VERSION", true, {TRUE, FALSE, TRUE}},
    {"__AMDGCN__", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__AMDGCN_WAVEFRONT_SIZE", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__AMDGCN_WAVEFRONT_SIZE__", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__AMDGPU__", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__CUDACC_RTC__", false, {FALSE, UNKNOWN, UNKNOWN}},
    {"__CUDACC_VER_MAJOR__", false, {FALSE, TRUE, FALSE}},
    {"__CUDACC_VER_MINOR__", false, {FALSE, TRUE, FALSE}},
    {"__CUDACC__", false, {FALSE, TRUE, TRUE}},
    {"__CUDA_ARCH_LIST__", false, {FALSE, TRUE, FALSE}},
    {"__CUDA_ARCH__", false, {FALSE, UNKNOWN, UNKNOWN}},
    {"__CUDA__", false, {FALSE, UNKNOWN, TRUE}}, /* of clang alone */
    {"__HCC__", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__HIPCC_RTC__", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__HIPCC__", true, {TRUE, FALSE, TRUE}},
    {"__HIP_DEVICE_COMPILE__", true, {UNKNOWN, FALSE, UNKNOWN}},
    {"__HIP_PLATFORM_AMD__", true, {TRUE, FALSE, TRUE}},
    {"__HIP_PLATFORM_HCC__", true, {TRUE, FALSE, TRUE}},
    {"__HIP_PLATFORM_NVCC__", true, {FALSE, UNKNOWN, FALSE}},
    {"__HIP_PLATFORM_NVIDIA__", true, {FALSE, UNKNOWN, FALSE}},
    {"__HIP__", true, {TRUE, FALSE, TRUE}},
    {"__NVCC__", false, {FALSE, TRUE, TRUE}},
    {"__NVPTX__", false, {FALSE, UNKNOWN, FALSE}},
    {"__PTX__", false, {FALSE, UNKNOWN, FALSE}},
};

/* USE_ROCM, USE_HIP, GGML_USE_HIP, AMREX_USE_HIP, KOKKOS_ENABLE_HIP, __gfx90a__, ...: projects
   spell it in many ways, with one of these words between underscores. */
static const struct vendor_macro any_hip = {"", true, {TRUE, FALSE, TRUE}};
static const struct vendor_macro hip_at_times = {"", true, {UNKNOWN, FALSE, UNKNOWN}};

static bool has_word(const struct symbol *name, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = name->text; (at = strstr(at, word)); at += len)
        if ((at == name->text || at[-1] == '_') && (at[len] == '_' || !at[len]))
            return true;
    return false;
}

static const struct vendor_macro *find_macro(const struct symbol *name)
{
    for (size_t i = 0; i < sizeof vendor_macros / sizeof *vendor_macros; ++i)
        if (!strcmp(vendor_macros[i].name, name->text))
            return &vendor_macros[i];
    /* An include guard says nothing of the vendor until the header is there. */
    bool guard = (2 < name->len && !strcmp(name->text + name->len - 2, "_H")) ||
                 (3 < name->len && !strcmp(name->text + name->len - 3, "_H_"));
    if (!strncmp(name->text, "__gfx", 5) || !strncmp(name->text, "HIP_INCLUDE_", 12) ||
        (guard && has_word(name, "HIPBLAS")))
        return &hip_at_times;
    if (has_word(name, "HIP") || has_word(name, "ROCM") || has_word(name, "HIPBLAS"))
        return &any_hip;
    return NULL;
}

static const struct symbol *condition_name(const struct unit *unit, const struct condition *c)
{
    return unit_token(unit, c->token)->symbol;
}

static struct value known(long long value)
{
    return (struct value){TRUE, value};
}

static const struct value unknown = {UNKNOWN, 0};

static enum truth truth_of(struct value v)
{
    return v.known == UNKNOWN ? UNKNOWN : v.value != 0 ? TRUE : FALSE;
}

static struct value evaluate(const struct condition *c, enum vendor vendor);

/* An operand whose value counts, not only whether it is 0: that of __CUDA_ARCH__ is not
   translated, and 0 for an AMD compiler. */
static struct value evaluate_operand(const struct condition *c, enum vendor vendor)
{
    const struct vendor_macro *macro = c->macro;
    if (c->kind == COND_NAME && macro && vendor == AMD_TRANSLATED && macro->defined[AMD] == FALSE &&
        macro->defined[vendor] == UNKNOWN)
        return known(0);
    return evaluate(c, vendor);
}

static struct value evaluate_binary(const struct condition *c, enum vendor vendor)
{
    bool logical = c->op == TOK_AND_AND || c->op == TOK_OR_OR;
    struct value a = logical ? evaluate(c->arg[0], vendor) : evaluate_operand(c->arg[0], vendor);
    struct value b = logical ? evaluate(c->arg[1], vendor) : evaluate_operand(c->arg[1], vendor);
    enum truth ta = truth_of(a), tb = truth_of(b);
    if (c->op == TOK_AND_AND)
        return ta == FALSE || tb == FALSE ? known(0)
               : ta == TRUE && tb == TRUE ? known(1)
                                          : unknown;
    if (c->op == TOK_OR_OR)
        return ta == TRUE || tb == TRUE     ? known(1)
               : ta == FALSE && tb == FALSE ? known(0)
                                            : unknown;
    if (a.known == UNKNOWN || b.known == UNKNOWN)
        return unknown;
    unsigned long long ua = (unsigned long long)a.value, ub = (unsigned long long)b.value;
    switch (c->op) {
    case TOK_EQUAL:
        return known(a.value == b.value);
    case TOK_NOT_EQUAL:
        return known(a.value != b.value);
    case TOK_LESS:
        return known(a.value < b.value);
    case TOK_GREATER:
        return known(a.value > b.value);
    case TOK_LESS_EQUAL:
        return known(a.value <= b.value);
    case TOK_GREATER_EQUAL:
        return known(a.value >= b.value);
    case TOK_AMP:
        return known((long long)(ua & ub));
    case TOK_PIPE:
        return known((long long)(ua | ub));
    case TOK_CARET:
        return known((long long)(ua ^ ub));
    case TOK_PLUS:
        return known((long long)(ua + ub));
    case TOK_MINUS:
        return known((long long)(ua - ub));
    case TOK_STAR:
        return known((long long)(ua * ub));
    case TOK_SHIFT_LEFT:
        return ub < 63 ? known((long long)(ua << ub)) : unknown;
    case TOK_SHIFT_RIGHT:
        return ub < 63 ? known((long long)(ua >> ub)) : unknown;
    default:
        return unknown;
    }
}

static struct value evaluate(const struct condition *c, enum vendor vendor)
{
    enum { NEWEST_ARCH = 1000000 };
    const struct vendor_macro *macro = c->macro;
    enum truth defined = macro ? macro->defined[vendor == NEWEST ? NVIDIA : vendor] : UNKNOWN;
    if (macro && vendor == NEWEST && !strcmp(macro->name, "__CUDA_ARCH__"))
        return known(c->kind == COND_NAME ? NEWEST_ARCH : 1);
    switch (c->kind) {
    case COND_NUMBER:
        return known(c->value);
    case COND_DEFINED:
        return defined != UNKNOWN ? known(defined) : unknown;
    case COND_NAME:
        /* An undefined macro is 0; a defined one has some value, and USE_HIP or __HIP__ one that
           is not 0. */
        if (defined == UNKNOWN)
            return unknown;
        if (defined == FALSE)
            return known(0);
        return macro == &any_hip || !strstr(macro->name, "VERSION") ? known(1) : unknown;
    case COND_UNARY: {
        struct value a = evaluate(c->arg[0], vendor);
        if (a.known == UNKNOWN)
            return unknown;
        return c->op == TOK_BANG    ? known(!a.value)
               : c->op == TOK_TILDE ? known(~a.value)
                                    : known((long long)(0 - (unsigned long long)a.value));
    }
    case COND_BINARY:
        return evaluate_binary(c, vendor);
    case COND_TERNARY:
        switch (truth_of(evaluate(c->arg[0], vendor))) {
        case TRUE:
            return evaluate(c->arg[1], vendor);
        case FALSE:
            return evaluate(c->arg[2], vendor);
        case UNKNOWN:
            break;
        }
        return unknown;
    case COND_CALL:
    case COND_OPAQUE:
        break;
    }
    return unknown;
}

/* Finds the macros of C; true where one of them names HIP. */
static bool find_macros(const struct unit *unit, struct condition *c)
{
    bool res = false;
    if (!c)
        return false;
    if (c->kind == COND_NAME || c->kind == COND_DEFINED) {
        c->macro = find_macro(condition_name(unit, c));
        res = c->macro && c->macro->hip;
    }
    for (int i = 0; i < 3; ++i)
        res |= find_macros(unit, c->arg[i]);
    return res;
}

/* Whether C is surely the same for an AMD compiler and for the newest NVIDIA GPUs. */
static bool is_as_newest(const struct condition *c)
{
    enum truth amd = truth_of(evaluate(c, AMD));
    return amd != UNKNOWN && amd == truth_of(evaluate(c, NEWEST));
}

static bool is_negated(enum token_kind kind)
{
    return kind == TOK_PP_IFNDEF || kind == TOK_PP_ELIFNDEF;
}

uint32_t condition_compared(const struct unit *unit, const struct condition *c, const char *name,
                            bool boolean)
{
    uint32_t res = NO_TOKEN;
    if (!c)
        return res;
    bool logical = c->kind == COND_BINARY ? c->op == TOK_AND_AND || c->op == TOK_OR_OR
                                          : c->kind == COND_UNARY && c->op == TOK_BANG;
    if (c->kind == COND_NAME && !boolean && !strcmp(condition_name(unit, c)->text, name))
        return c->token;
    for (int i = 0; i < 3; ++i) {
        bool truth = c->kind == COND_TERNARY ? i == 0 || boolean : logical;
        uint32_t found = condition_compared(unit, c->arg[i], name, truth);
        if (found != NO_TOKEN)
            res = found;
    }
    return res;
}

/* What an AMD compiler gets for condition C: translated, but for one that compares the value of
   __CUDA_ARCH__, which stays as it is. */
static enum vendor amd_side(const struct unit *unit, const struct condition *c)
{
    return condition_compared(unit, c, "__CUDA_ARCH__", true) == NO_TOKEN ? AMD_TRANSLATED : AMD;
}

/* Which compilers may get into each branch of the group at FIRST: sets `region` where the vendors
   are told apart, and `hidden`. */
static void decide_group(struct unit *unit, uint32_t first)
{
    struct directive *list = unit->directives.items;
    bool names_hip = false, differ = false, reach[VENDORS] = {true, true, true};
    for (uint32_t i = first; i != NO_INDEX; i = list[i].next)
        names_hip |= find_macros(unit, list[i].condition);
    list[first].names_hip = names_hip;
    for (uint32_t i = first; i != NO_INDEX && list[i].kind != TOK_PP_ENDIF; i = list[i].next) {
        bool may[VENDORS];
        for (int vendor = 0; vendor < VENDORS; ++vendor) {
            enum vendor as =
                vendor == AMD_TRANSLATED ? amd_side(unit, list[i].condition) : (enum vendor)vendor;
            struct value v = list[i].condition             ? evaluate(list[i].condition, as)
                             : list[i].kind == TOK_PP_ELSE ? known(1)
                                                           : unknown;
            enum truth t = truth_of(v);
            if (is_negated(list[i].kind) && t != UNKNOWN)
                t = t == TRUE ? FALSE : TRUE;
            may[vendor] = reach[vendor] && t != FALSE;
            reach[vendor] = reach[vendor] && t != TRUE;
        }
        list[i].newest = list[i].condition && is_as_newest(list[i].condition);
        list[i].hidden = !may[names_hip ? AMD : AMD_TRANSLATED];
        /* What neither sees is left alone, beside what one of them does. */
        list[i].region = may[AMD] && may[NVIDIA] ? REGION_COMMON
                         : may[AMD]              ? REGION_HIP
                                                 : REGION_CUDA;
        differ |= may[AMD] != may[NVIDIA];
    }
    if (!names_hip || !differ)
        for (uint32_t i = first; i != NO_INDEX; i = list[i].next)
            list[i].region = REGION_COMMON;
}

static void read_directive(struct unit *unit, struct directive *d)
{
    struct island island = {
        .unit = unit,
        .arena = unit->arena,
        .start = ISLAND_DIRECTIVE,
        .at = d->tokens.begin,
        .end = d->tokens.end - 1,
        .open = {NO_TOKEN, NO_TOKEN},
        .name = NO_TOKEN,
    };
    uint32_t end = island.end;
    island_parse(&island);
    d->name = island.name;
    d->params = island.params;
    d->function_like = island.function_like;
    d->condition = island.condition;
    uint32_t body = d->tokens.begin + 2;
    if (d->function_like)
        body = island.params.end + 1;
    else if (d->name != NO_TOKEN)
        body = d->name + 1;
    d->body = (struct range){body < end ? body : end, end};
    if (d->kind == TOK_PP_DEFINE)
        for (uint32_t i = d->body.begin; i < d->body.end; ++i)
            unit_token(unit, i)->flags |= TOKEN_MACRO_BODY;
    if (d->condition && (d->kind == TOK_PP_IFDEF || d->kind == TOK_PP_IFNDEF))
        d->name = d->condition->token;
}

/* #ifndef X, #define X around the whole file. */
static void find_guard(struct unit *unit)
{
    struct directive *list = unit->directives.items;
    size_t count = unit->directives.count;
    if (count < 3 || list[0].tokens.begin != 0 || list[0].next == NO_INDEX)
        return;
    const struct directive *end = &list[list[0].next];
    if (end->kind != TOK_PP_ENDIF || unit_token(unit, end->tokens.end)->kind != TOK_EOF)
        return;
    const struct condition *c = list[0].condition;
    if (!c)
        return;
    if (list[0].kind == TOK_PP_IF) {
        if (c->kind != COND_UNARY || c->op != TOK_BANG || c->arg[0]->kind != COND_DEFINED)
            return;
        c = c->arg[0];
    } else if (list[0].kind != TOK_PP_IFNDEF) {
        return;
    }
    const struct symbol *name = condition_name(unit, c);
    if (list[1].kind == TOK_PP_DEFINE && list[1].name != NO_TOKEN &&
        unit_token(unit, list[1].name)->symbol == name &&
        list[1].tokens.begin == list[0].tokens.end)
        list[0].guard = true;
}

void pass2_directives(struct unit *unit)
{
    vec_each (struct directive, d, &unit->directives)
        read_directive(unit, d);
    find_guard(unit);

    /* Regions: a group inside a branch that one vendor sees is in that region as a whole. */
    uint16_t flags = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < unit->directives.count; ++i) {
        struct directive *d = &unit->directives.items[i];
        for (; at < d->tokens.begin; ++at)
            unit_token(unit, at)->flags |= flags;
        enum region around =
            d->parent == NO_INDEX ? REGION_COMMON : unit->directives.items[d->parent].region;
        bool opens = d->kind == TOK_PP_IF || d->kind == TOK_PP_IFDEF || d->kind == TOK_PP_IFNDEF;
        if (opens && around == REGION_COMMON && !d->guard)
            decide_group(unit, i);
        if (d->parent != NO_INDEX)
            d->hidden |= unit->directives.items[d->parent].hidden;
        if (around != REGION_COMMON && d->first != NO_INDEX)
            d->region = around;
        /* The line itself: a condition that names HIP was written for both and stays. */
        uint16_t own = around == REGION_HIP    ? TOKEN_HIP_SIDE
                       : around == REGION_CUDA ? TOKEN_CUDA_SIDE
                                               : 0;
        if (around == REGION_COMMON && d->first != NO_INDEX &&
            unit->directives.items[d->first].names_hip)
            own = TOKEN_CUDA_SIDE;
        for (; at < d->tokens.end; ++at)
            unit_token(unit, at)->flags |= own;
        enum region inside =
            d->inside == NO_INDEX ? REGION_COMMON : unit->directives.items[d->inside].region;
        flags = inside == REGION_HIP ? TOKEN_HIP_SIDE : inside == REGION_CUDA ? TOKEN_CUDA_SIDE : 0;
    }
    for (; at < unit->tokens.list.count; ++at)
        unit_token(unit, at)->flags |= flags;
}

bool header_is_standard(const char *path, size_t len)
{
    static const char *const names[] = {
        "assert",  "complex", "ctype",  "errno",  "fenv",   "float",       "inttypes", "iso646",
        "limits",  "locale",  "math",   "setjmp", "signal", "stdalign",    "stdarg",   "stdatomic",
        "stdbool", "stddef",  "stdint", "stdio",  "stdlib", "stdnoreturn", "string",   "tgmath",
        "threads", "time",    "uchar",  "wchar",  "wctype", "unistd"};
    /* Those of C++ have no dot. */
    if ((!memchr(path, '.', len) && !memchr(path, '/', len)) ||
        (4 < len && !memcmp(path, "sys/", 4)))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i]) + 2 == len && !memcmp(path, names[i], len - 2) &&
            !memcmp(path + len - 2, ".h", 2))
            return true;
    return false;
}
