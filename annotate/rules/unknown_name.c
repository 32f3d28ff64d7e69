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
    if (*symbol->text != 'c' && *symbol->text != 'n')
        return false;
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
    return header_is_standard(path, len) || map_is_hip_header(a->map, path, len);
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

/* Whether the token may be such a name. */
static bool is_candidate(const struct token *token)
{
    return token->kind == TOK_IDENT && !token->symbol->api && !token->symbol->alias &&
           has_library_style(token->symbol);
}

void rule_unknown_name(struct annotation *a)
{
    const struct unit *unit = a->unit;
    uint32_t first = 0, end = (uint32_t)unit->tokens.list.count - 1;
    while (first < end && !is_candidate(unit_token(unit, first)))
        ++first;
    if (first == end || !is_closed_program(a))
        return;
    /* What is anything but called is declared somewhere. */
    for (uint32_t i = first; i < end; ++i)
        if (is_candidate(unit_token(unit, i)) &&
            !(is_called(unit, i) && unit_scope_at(unit, i) != NO_INDEX))
            unit_token(unit, i)->symbol->flags |= SYMBOL_OWN;
    for (uint32_t i = first; i < end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (is_candidate(token) && !(token->symbol->flags & SYMBOL_OWN) &&
            token_region(token) == REGION_COMMON)
            findings_add(a->findings, RULE_API_UNKNOWN_NAME, unit_token_span(unit, i),
                         token->symbol->text, NULL, NULL);
    }
}
