/* api-unknown-name

   Finds: calls of a function in the style of CUDA's libraries (cudaCamelCase, cublasCamelCase) that
   no map knows, in a program that has nothing else to declare it: the file defines main, includes
   only headers of the language, the system, CUDA and HIP, and does not declare the name itself.
   Why: such a name is CUDA's, newer than the maps or gone long since, or misspelt. Everywhere else
   it is nearly always a helper of the user's (cudaCheckError), so nothing is said.

   Before: cudaBrandNewCall(&x);
   After:  what HIP has for it

   Fix: none.
   Silent: in files that include headers of the user's, or are included themselves.  */
#include <config.h>

#include "annotate/annotate_p.h"

#include <string.h>

/* Whether NAME is PREFIX and a word that begins with a capital, as the libraries spell theirs. */
static bool has_library_style(const struct symbol *symbol)
{
    static const char *const prefixes[] = {"cuda",     "cu",       "cublas", "cublasLt", "cufft",
                                           "cufftXt",  "curand",   "cudnn",  "nccl",     "nvrtc",
                                           "cusparse", "cusolver", "nvml"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
        size_t len = strlen(prefixes[i]);
        if (len + 1 < symbol->len && !memcmp(symbol->text, prefixes[i], len) &&
            'A' <= symbol->text[len] && symbol->text[len] <= 'Z' && 'a' <= symbol->text[len + 1] &&
            symbol->text[len + 1] <= 'z')
            return true;
    }
    return false;
}

/* Headers that declare nothing of the kind. */
static bool is_plain_header(const struct annotation *a, const char *path, size_t len)
{
    const struct api *api = map_find_header(a->map, path, len);
    if (api)
        return api->action != HEADER_KEEP;
    return map_is_hip_header(a->map, path, len) || header_is_standard(path, len) ||
           !strncmp(path, "sys/", 4);
}

/* Whether the file is a program of which every include is known. */
static bool is_closed_program(const struct annotation *a)
{
    const struct unit *unit = a->unit;
    bool program = false;
    vec_each (const struct function, fn, &unit->functions)
        program |= fn->scope == NO_INDEX && fn->body.begin < fn->body.end &&
                   unit_kind(unit, fn->name) == TOK_IDENT &&
                   !strcmp(unit_token(unit, fn->name)->symbol->text, "main");
    if (!program)
        return false;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_INCLUDE && d->kind != TOK_PP_IMPORT && d->kind != TOK_PP_INCLUDE_NEXT)
            continue;
        const struct token *header = d->name == NO_TOKEN ? NULL : unit_token(unit, d->name);
        const char *text = header ? unit->source->text + header->offset : "";
        if (*text != '<' || !is_plain_header(a, text + 1, header->length - 2))
            return false;
    }
    return true;
}

/* Whether the name at INDEX is called there as a statement or in an expression: not declared, not
   somebody's member. */
static bool is_called(const struct unit *unit, uint32_t index)
{
    const struct token *token = unit_token(unit, index);
    if (!token_is_code(token) || unit_token(unit, index + 1)->kind != TOK_LPAREN)
        return false;
    switch (unit_kind(unit, unit_prev(unit, index))) {
    case TOK_SEMICOLON:
    case TOK_LBRACE:
    case TOK_RBRACE:
    case TOK_LPAREN:
    case TOK_RPAREN:
    case TOK_ASSIGN:
    case TOK_STATEMENT:
    case TOK_BANG:
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
    case TOK_AND_AND:
    case TOK_OR_OR:
        return true;
    default:
        return false;
    }
}

void rule_unknown_name(struct annotation *a)
{
    const struct unit *unit = a->unit;
    if (!is_closed_program(a))
        return;
    /* One pass for what is anything but called, one for the calls of the rest. */
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i + 1 < unit->tokens.list.count; ++i) {
            struct token *token = unit_token(unit, i);
            if (token->kind != TOK_IDENT || token->symbol->api || token->symbol->alias ||
                token->symbol->flags & SYMBOL_OWN || !has_library_style(token->symbol))
                continue;
            bool called = is_called(unit, i) && unit_scope_at(unit, i) != NO_INDEX;
            if (!pass && !called)
                token->symbol->flags |= SYMBOL_OWN;
            if (pass && called && token_region(token) == REGION_COMMON)
                findings_add(a->findings, RULE_API_UNKNOWN_NAME,
                             unit_span(unit, (struct range){i, i + 1}), token->symbol->text, NULL,
                             NULL);
        }
}
