/* Conditions of #if: which compilers get into which branch.

   A condition is evaluated twice, with what each vendor's compiler defines; whatever else it
   names is unknown. Where the outcome can differ between the vendors somebody has decided
   already, and both sides stay as they are; where it cannot (`defined(__CUDACC__) ||
   defined(__HIPCC__)`), the conditional guards ordinary code.

   Once more, for the rules, with what is known of the program's own macros, and without the
   vendors': a branch that is dead then is read by nobody.  */
#include <config.h>

#include <string.h>

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
    const char *beside; /* it tells the vendors apart in a file that also has this name */
};

static const struct vendor_macro vendor_macros[] = {
    {"CUDART_VERSION", false, {FALSE, TRUE, FALSE}, NULL},
    {"CUDA_VERSION", false, {FALSE, TRUE, FALSE}, NULL},
    /* TensorFlow's, of whose kernels most are for both: GOOGLE_CUDA || TENSORFLOW_USE_ROCM. */
    {"GOOGLE_CUDA", false, {FALSE, TRUE, UNKNOWN}, "TENSORFLOW_USE_ROCM"},
    {"HIP_VERSION", true, {TRUE, FALSE, TRUE}, NULL},
    {"HIP_VERSION_MAJOR", true, {TRUE, FALSE, TRUE}, NULL},
    {"TORCH_HIP_VERSION", true, {TRUE, FALSE, TRUE}, NULL},
    {"__AMDGCN__", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__AMDGCN_WAVEFRONT_SIZE", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__AMDGCN_WAVEFRONT_SIZE__", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__AMDGPU__", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__CUDACC_RTC__", false, {FALSE, UNKNOWN, UNKNOWN}, NULL},
    {"__CUDACC_VER_MAJOR__", false, {FALSE, TRUE, FALSE}, NULL},
    {"__CUDACC_VER_MINOR__", false, {FALSE, TRUE, FALSE}, NULL},
    {"__CUDACC__", false, {FALSE, TRUE, TRUE}, NULL},
    {"__CUDA_ARCH_LIST__", false, {FALSE, TRUE, FALSE}, NULL},
    {"__CUDA_ARCH__", false, {FALSE, UNKNOWN, UNKNOWN}, NULL},
    {"__CUDA__", false, {FALSE, UNKNOWN, TRUE}, NULL}, /* of clang alone */
    {"__HCC__", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__HIPCC_RTC__", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__HIPCC__", true, {TRUE, FALSE, TRUE}, NULL},
    {"__HIP_DEVICE_COMPILE__", true, {UNKNOWN, FALSE, UNKNOWN}, NULL},
    {"__HIP_PLATFORM_AMD__", true, {TRUE, FALSE, TRUE}, NULL},
    {"__HIP_PLATFORM_HCC__", true, {TRUE, FALSE, TRUE}, NULL},
    {"__HIP_PLATFORM_NVCC__", true, {FALSE, UNKNOWN, FALSE}, NULL},
    {"__HIP_PLATFORM_NVIDIA__", true, {FALSE, UNKNOWN, FALSE}, NULL},
    {"__HIP__", true, {TRUE, FALSE, TRUE}, NULL},
    {"__NVCC__", false, {FALSE, TRUE, TRUE}, NULL},
    {"__NVPTX__", false, {FALSE, UNKNOWN, FALSE}, NULL},
    {"__PTX__", false, {FALSE, UNKNOWN, FALSE}, NULL},
};

/* USE_ROCM, USE_HIP, GGML_USE_HIP, AMREX_USE_HIP, KOKKOS_ENABLE_HIP, __gfx90a__, ...: projects
   spell it in many ways, with one of these words between underscores. */
static const struct vendor_macro any_hip = {"", true, {TRUE, FALSE, TRUE}, NULL};
/* USE_CUDA, AMREX_USE_CUDA, KOKKOS_ENABLE_CUDA, ..., where another branch of the group is for HIP:
   elsewhere it may well be defined for both. */
static const struct vendor_macro any_cuda = {"", false, {FALSE, TRUE, FALSE}, NULL};
static const struct vendor_macro hip_at_times = {"", true, {UNKNOWN, FALSE, UNKNOWN}, NULL};

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

/* Who reads a condition. */
struct reading {
    enum vendor vendor;
    macro_lookup lookup; /* not NULL: whoever it is, with these macros */
    void *context;
};

static struct value evaluate(const struct condition *c, const struct reading *by);

/* An operand whose value counts, not only whether it is 0: that of __CUDA_ARCH__ is not
   translated, and 0 for an AMD compiler. */
static struct value evaluate_operand(const struct condition *c, const struct reading *by)
{
    const struct vendor_macro *macro = c->macro;
    if (c->kind == COND_NAME && macro && !by->lookup && by->vendor == AMD_TRANSLATED &&
        macro->defined[AMD] == FALSE && macro->defined[AMD_TRANSLATED] == UNKNOWN)
        return known(0);
    return evaluate(c, by);
}

static struct value evaluate_binary(const struct condition *c, const struct reading *by)
{
    bool logical = c->op == TOK_AND_AND || c->op == TOK_OR_OR;
    struct value a = logical ? evaluate(c->arg[0], by) : evaluate_operand(c->arg[0], by);
    struct value b = logical ? evaluate(c->arg[1], by) : evaluate_operand(c->arg[1], by);
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

/* A macro's value, or whether it is defined, for VENDOR. */
static struct value evaluate_vendor(const struct condition *c, enum vendor vendor)
{
    enum { NEWEST_ARCH = 1000000 };
    const struct vendor_macro *macro = c->macro;
    enum truth defined = macro ? macro->defined[vendor == NEWEST ? NVIDIA : vendor] : UNKNOWN;
    if (macro && vendor == NEWEST && !strcmp(macro->name, "__CUDA_ARCH__"))
        return known(c->kind == COND_NAME ? NEWEST_ARCH : 1);
    if (defined == UNKNOWN)
        return unknown;
    if (c->kind == COND_DEFINED || defined == FALSE)
        return known(defined);
    /* An undefined macro is 0; a defined one has some value, and USE_HIP or __HIP__ one that is not
       0. */
    return macro == &any_hip || !strstr(macro->name, "VERSION") ? known(1) : unknown;
}

/* The same with the program's macros. */
static struct value evaluate_own(const struct condition *c, const struct reading *by)
{
    struct macro_known macro;
    if (c->macro || !by->lookup(by->context, c->token, &macro))
        return unknown;
    if (c->kind == COND_DEFINED)
        return known(1);
    return macro.has_value ? known(macro.value) : unknown;
}

static struct value evaluate(const struct condition *c, const struct reading *by)
{
    switch (c->kind) {
    case COND_NUMBER:
        return known(c->value);
    case COND_DEFINED:
    case COND_NAME:
        return by->lookup ? evaluate_own(c, by) : evaluate_vendor(c, by->vendor);
    case COND_UNARY: {
        struct value a = evaluate(c->arg[0], by);
        if (a.known == UNKNOWN)
            return unknown;
        return c->op == TOK_BANG    ? known(!a.value)
               : c->op == TOK_TILDE ? known(~a.value)
                                    : known((long long)(0 - (unsigned long long)a.value));
    }
    case COND_BINARY:
        return evaluate_binary(c, by);
    case COND_TERNARY:
        switch (truth_of(evaluate(c->arg[0], by))) {
        case TRUE:
            return evaluate(c->arg[1], by);
        case FALSE:
            return evaluate(c->arg[2], by);
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
        const struct vendor_macro *macro = c->macro = find_macro(condition_name(unit, c));
        res = macro && (macro->hip || (macro->beside && symbol_find(unit->symbols, macro->beside)));
    }
    for (int i = 0; i < 3; ++i)
        res |= find_macros(unit, c->arg[i]);
    return res;
}

/* Whether C names HIP, as find_macros() said. */
static bool names_hip(const struct condition *c)
{
    return c && ((c->macro && c->macro->hip) || names_hip(c->arg[0]) || names_hip(c->arg[1]) ||
                 names_hip(c->arg[2]));
}

/* C is the condition of a branch beside one for HIP: a macro that ends in CUDA is NVIDIA's. */
static void find_cuda_macros(const struct unit *unit, struct condition *c)
{
    static const char word[] = "CUDA";
    if (!c)
        return;
    if ((c->kind == COND_NAME || c->kind == COND_DEFINED) && !c->macro) {
        const struct symbol *name = condition_name(unit, c);
        size_t len = sizeof word - 1;
        const char *at = name->text + (len < name->len ? name->len - len : 0);
        if (!strcmp(at, word) && (at == name->text || at[-1] == '_'))
            c->macro = &any_cuda;
    }
    for (int i = 0; i < 3; ++i)
        find_cuda_macros(unit, c->arg[i]);
}

/* Finds the macros of the group at FIRST; true where one of them names HIP. */
static bool find_group_macros(struct unit *unit, uint32_t first)
{
    struct directive *list = unit->directives.items;
    bool res = false;
    for (uint32_t i = first; i != NO_INDEX; i = list[i].next)
        res |= find_macros(unit, list[i].condition);
    for (uint32_t i = first; res && i != NO_INDEX; i = list[i].next)
        if (!names_hip(list[i].condition))
            find_cuda_macros(unit, list[i].condition);
    return res;
}

/* Whether C is surely the same for an AMD compiler and for the newest NVIDIA GPUs. */
static bool is_as_newest(const struct condition *c)
{
    enum truth amd = truth_of(evaluate(c, &(struct reading){AMD, NULL, NULL}));
    return amd != UNKNOWN && amd == truth_of(evaluate(c, &(struct reading){NEWEST, NULL, NULL}));
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

/* Whether the reader gets into the branch that D, an #if, #elif or #else, opens if nobody got into
   those before. */
static enum truth enters(const struct directive *d, const struct reading *by)
{
    struct value v = d->condition             ? evaluate(d->condition, by)
                     : d->kind == TOK_PP_ELSE ? known(1)
                                              : unknown;
    enum truth res = truth_of(v);
    if (is_negated(d->kind) && res != UNKNOWN)
        res = res == TRUE ? FALSE : TRUE;
    return res;
}

void condition_decide_group(struct unit *unit, uint32_t first)
{
    struct directive *list = unit->directives.items;
    bool split = find_group_macros(unit, first), differ = false;
    bool reach[VENDORS] = {true, true, true};
    list[first].names_hip = split;
    for (uint32_t i = first; i != NO_INDEX && list[i].kind != TOK_PP_ENDIF; i = list[i].next) {
        bool may[VENDORS];
        for (int vendor = 0; vendor < VENDORS; ++vendor) {
            enum vendor as =
                vendor == AMD_TRANSLATED ? amd_side(unit, list[i].condition) : (enum vendor)vendor;
            enum truth t = enters(&list[i], &(struct reading){as, NULL, NULL});
            may[vendor] = reach[vendor] && t != FALSE;
            reach[vendor] = reach[vendor] && t != TRUE;
        }
        list[i].newest = list[i].condition && is_as_newest(list[i].condition);
        list[i].hidden = !may[split ? AMD : AMD_TRANSLATED];
        /* What neither sees is left alone, beside what one of them does. */
        list[i].region = may[AMD] && may[NVIDIA] ? REGION_COMMON
                         : may[AMD]              ? REGION_HIP
                                                 : REGION_CUDA;
        differ |= may[AMD] != may[NVIDIA];
    }
    if (!split || !differ)
        for (uint32_t i = first; i != NO_INDEX; i = list[i].next)
            list[i].region = REGION_COMMON;
}

/* Says of each branch of the group at FIRST whether it is dead. */
static void find_dead(struct unit *unit, uint32_t first, const struct reading *by)
{
    struct directive *list = unit->directives.items;
    bool reach = true;
    for (uint32_t i = first; i != NO_INDEX && list[i].kind != TOK_PP_ENDIF; i = list[i].next) {
        enum truth t = enters(&list[i], by);
        list[i].dead = !reach || t == FALSE;
        reach = reach && t != TRUE;
    }
}

static void hide(struct token *token, bool dead)
{
    if (dead)
        token->flags = (uint16_t)((token->flags & ~TOKEN_HIP_SIDE) | TOKEN_CUDA_SIDE);
}

bool unit_hide_dead(struct unit *unit, macro_lookup lookup, void *context)
{
    const struct reading by = {.lookup = lookup, .context = context};
    struct directive *list = unit->directives.items;
    bool res = false, dead = false; /* dead: the tokens at AT are */
    uint32_t at = 0;
    for (uint32_t i = 0; i < unit->directives.count; ++i) {
        for (; at < list[i].tokens.begin; ++at)
            hide(unit_token(unit, at), dead);
        if (list[i].first == i && !list[i].guard)
            find_dead(unit, i, &by);
        dead = list[i].parent != NO_INDEX && list[list[i].parent].dead;
        for (; at < list[i].tokens.end; ++at)
            hide(unit_token(unit, at), dead);
        list[i].dead |= dead;
        if (list[i].dead)
            list[i].region = REGION_CUDA;
        res |= list[i].dead;
        dead = list[i].inside != NO_INDEX && list[list[i].inside].dead;
    }
    for (; at < unit->tokens.list.count; ++at)
        hide(unit_token(unit, at), dead);
    return res;
}
