/* ptx-module, ptx-architecture: see their pages in annotate/pages/. */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* What the names of functions begin with that load code, or compile it. */
static const char *const loaders[] = {"cuModuleLoad",   "hipModuleLoad", "cuLinkAdd",
                                      "hipLinkAdd",     "cuLibraryLoad", "cudaLibraryLoad",
                                      "hipLibraryLoad", "hiprtcLinkAdd"};
static const char *const compilers[] = {"nvrtcCompileProgram", "hiprtcCompileProgram"};

static bool names_any(const struct unit *unit, const char *const *names, size_t count)
{
    for (const struct symbol *s = symbol_first(unit->symbols); s; s = symbol_next(s)) {
        if (*s->text != 'c' && *s->text != 'h' && *s->text != 'n')
            continue;
        for (size_t i = 0; i < count; ++i)
            if (!strncmp(s->text, names[i], strlen(names[i])))
                return true;
    }
    return false;
}

/* Where the LEN bytes at TEXT have WORD, or NULL. */
static const char *find(const char *text, size_t len, const char *word)
{
    size_t word_len = strlen(word);
    for (size_t i = 0; i + word_len <= len; ++i)
        if (text[i] == *word && !memcmp(text + i, word, word_len))
            return text + i;
    return NULL;
}

static bool ends_in(const char *text, size_t len, const char *ending)
{
    size_t ending_len = strlen(ending);
    return ending_len < len && !memcmp(text + len - ending_len, ending, ending_len);
}

/* Whether the literal is the name of a file with code for NVIDIA GPUs, or holds such code. */
static bool is_module(const char *text, size_t len)
{
    return ends_in(text, len, ".ptx\"") || ends_in(text, len, ".cubin\"") ||
           ends_in(text, len, ".fatbin\"") || find(text, len, ".target sm_") ||
           find(text, len, ".visible .entry");
}

/* Whether the literal is an option for an NVIDIA architecture: --gpu-architecture=compute_70. */
static bool is_architecture(const char *text, size_t len)
{
    const char *option = find(text, len, "-arch");
    if (!option)
        option = find(text, len, "--gpu-architecture");
    if (!option)
        return false;
    size_t rest = len - (size_t)(option - text);
    return find(option, rest, "=compute_") || find(option, rest, "=sm_");
}

void rule_jit(struct annotation *a)
{
    const struct unit *unit = a->unit;
    bool loads = names_any(unit, loaders, sizeof loaders / sizeof *loaders);
    bool compiles = names_any(unit, compilers, sizeof compilers / sizeof *compilers);
    if (!loads && !compiles)
        return;
    for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i) {
        const struct token *token = unit_token(unit, i);
        const char *text = unit->source->text + token->offset;
        if (token->kind != TOK_STRING || token_region(token) == REGION_CUDA ||
            !token_is_code(token))
            continue;
        if (loads && is_module(text, token->length))
            annotation_add(a, RULE_PTX_MODULE, (struct range){i, i + 1});
        else if (compiles && is_architecture(text, token->length))
            annotation_add(a, RULE_PTX_ARCHITECTURE, (struct range){i, i + 1});
    }
}
