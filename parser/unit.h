/* The unit: what the parser found in one file.

   The parser never fails a file. It pairs brackets and #if branches in one linear walk, then
   reads islands: directives, scopes (namespaces, classes, functions), declarations with CUDA
   attributes, kernel launches. Everything else is a balanced run of tokens. Assumptions, as a
   translator that sees one file must make them: includes may be missing, macros are not
   expanded, templates are not resolved, both sides of every #if are read; when unsure the text
   is left alone.

   All positions are indices into `tokens`; `end` is the index behind the last token.  */
#ifndef PARSER_UNIT_H
#define PARSER_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/finding.h"
#include "base/quote.h"
#include "base/source.h"
#include "base/symbol.h"
#include "base/vec.h"
#include "lexer/lexer.h"

struct range {
    uint32_t begin;
    uint32_t end;
};

#define NO_INDEX UINT32_MAX

/* How an #if condition reads a name or decides between vendors. */
enum condition_kind {
    COND_OPAQUE, /* not understood */
    COND_NUMBER,
    COND_NAME,    /* a macro's value */
    COND_DEFINED, /* defined(NAME) */
    COND_CALL,    /* NAME(...): a function-like macro, __has_include and so on */
    COND_UNARY,
    COND_BINARY,
    COND_TERNARY,
};

struct vendor_macro;

struct condition {
    enum condition_kind kind;
    uint16_t op;    /* enum token_kind of the operator */
    uint32_t token; /* of the name or the operator */
    unsigned depth; /* of the tree below; bounded, so it may be walked by recursion */
    long long value;
    struct condition *arg[3];
    const struct vendor_macro *macro; /* pass 2: what is known of the name, or NULL */
};

/* What the compiler of each vendor sees of a branch. */
enum region {
    REGION_COMMON, /* ordinary code */
    REGION_HIP,    /* the HIP side of a conditional that names HIP: checked, not translated */
    REGION_CUDA,   /* its CUDA side: neither translated nor checked; likewise what is dead */
};

struct directive {
    uint16_t kind;       /* enum token_kind of the word behind #, TOK_IDENT for an unknown one */
    struct range tokens; /* # .. behind the end of the directive */
    uint32_t name;       /* the macro's name, the header's token, the word; or NO_TOKEN */
    struct range params; /* #define: between the parentheses; empty where there are none */
    bool function_like;  /* #define NAME( */
    struct range body;   /* #define, #pragma, #error: what follows */
    struct condition *condition; /* #if, #elif, #ifdef, #ifndef */
    uint32_t parent;             /* the directive that opens the branch it lies in, or NO_INDEX; for
                                    #elif, #else, #endif: that of their #if */
    uint32_t next;      /* #if, #elif, #else: the next directive of the group, or NO_INDEX */
    uint32_t first;     /* #if, #elif, #else, #endif: the #if of the group */
    uint32_t inside;    /* the directive that opens the branch behind this line, or NO_INDEX */
    enum region region; /* of the branch that this #if, #elif or #else opens */
    bool hidden;        /* no AMD compiler gets into that branch, the translation of the condition
                           granted */
    bool dead;          /* nobody gets into that branch (unit_hide_dead()) */
    bool newest;        /* an AMD compiler decides this condition as that of the newest NVIDIA GPUs
                           does */
    bool names_hip;     /* #if: a condition of the group names a macro of HIP's */
    bool guard;         /* #ifndef: it is the header guard of the file */
};

enum scope_kind {
    SCOPE_NAMESPACE,
    SCOPE_CLASS,
    SCOPE_ENUM,
    SCOPE_FUNCTION,
};

struct scope {
    enum scope_kind kind;
    struct range tokens;  /* from the head's first token to behind the closing brace */
    uint32_t open;        /* the opening brace */
    struct symbol *name;  /* NULL: anonymous */
    struct symbol *owner; /* of a function OWNER::NAME: the class or namespace; else NULL */
    uint32_t parent;      /* index of the scope around it, or NO_INDEX */
    uint32_t home;        /* where what it declares is visible: itself, or for an enum or anonymous
                             namespace that of the scope around it; NO_INDEX: the file */
};

/* From TOKEN on, up to the next mark, SCOPE is the innermost scope. */
struct scope_mark {
    uint32_t token;
    uint32_t scope;
};

enum function_flag {
    FUNCTION_GLOBAL = 1 << 0,
    FUNCTION_DEVICE = 1 << 1,
    FUNCTION_HOST = 1 << 2,
    FUNCTION_TEMPLATE = 1 << 3,
    FUNCTION_IN_MACRO = 1 << 4,
    FUNCTION_FRIEND = 1 << 5,
    FUNCTION_DEVICE_MACRO = 1 << 6, /* a macro that stands for __device__ is among its words */
};

/* A function's declaration or definition. */
struct function {
    uint32_t name;       /* the last identifier of its name */
    struct range head;   /* the declaration up to the body or the semicolon */
    struct range params; /* between the parentheses */
    struct range bounds; /* between the parentheses of __launch_bounds__; empty without */
    struct range body;   /* braces included; empty for a declaration */
    unsigned flags;      /* enum function_flag */
    uint32_t scope;      /* the scope it stands in, or NO_INDEX */
};

/* Whether FN is code of the device, as far as the file shows. */
static inline bool function_on_device(const struct function *fn)
{
    return fn->flags & (FUNCTION_GLOBAL | FUNCTION_DEVICE | FUNCTION_DEVICE_MACRO);
}

enum variable_flag {
    VARIABLE_SHARED = 1 << 0,
    VARIABLE_CONSTANT = 1 << 1,
    VARIABLE_DEVICE = 1 << 2,
    VARIABLE_MANAGED = 1 << 3,
    VARIABLE_EXTERN = 1 << 4,
};

/* A variable declared with a CUDA attribute. */
struct variable {
    uint32_t name;
    struct range declaration; /* up to its semicolon or initialiser */
    unsigned flags;           /* enum variable_flag */
};

enum { LAUNCH_CONFIG = 4 };

/* CALLEE<<<CONFIG>>>(ARGUMENTS) */
struct launch {
    struct range callee;
    uint32_t open;  /* <<< */
    uint32_t close; /* >>> */
    uint32_t lparen, rparen;
    struct range config[LAUNCH_CONFIG]; /* grid, block, shared bytes, stream */
    int config_count;
    struct range *args; /* arg_count of them, in the unit's arena */
    int arg_count;
};

/* The arguments of a call, split at the commas of depth 0. */
struct arguments {
    struct range *items; /* in the arena given */
    int count;
    struct range tokens; /* the parentheses included */
    int first_unknown;   /* from this one on nobody knows which is which, as behind __VA_ARGS__ or a
                            pack; -1: all are known */
};

struct unit {
    struct arena *arena;
    const struct source *source;
    struct symbol_table *symbols;
    struct tokens tokens;
    VEC(struct directive) directives;
    VEC(struct scope) scopes; /* in the order of their opening braces */
    VEC(struct scope_mark) scope_marks;
    VEC(struct function) functions;
    VEC(struct variable) variables;
    VEC(struct launch) launches;
    bool has_chevrons; /* some <<< has its >>> */
    size_t unpaired;   /* brackets without partner, those in branches and directives included */
};

/* Parses SOURCE, whose names are interned in SYMBOLS; UNIT's data lives in ARENA and its own
   vectors. What is wrong with the file itself (brackets without partner, #if without #endif) goes
   to DIAG as warnings. */
void unit_parse(struct unit *unit, const struct source *source, struct symbol_table *symbols,
                struct arena *arena, struct diag *diag);
void unit_release(struct unit *unit);

/* Tokens. */

static inline struct token *unit_token(const struct unit *unit, uint32_t index)
{
    return &unit->tokens.list.items[index];
}

/* Whether the file is one that others include, by its name. */
bool unit_is_header(const struct unit *unit);

/* The token behind INDEX (before it), or TOK_EOF's index (NO_TOKEN) at the end (start). Inside a
   directive they stay inside it; outside, directives are stepped over. */
uint32_t unit_next(const struct unit *unit, uint32_t index);
uint32_t unit_prev(const struct unit *unit, uint32_t index);

/* The closing bracket of the one at INDEX, or NO_TOKEN; for an opening angle bracket of a template
   argument list too. A `>>` or `>>>` may be the partner of several. */
static inline uint32_t unit_partner(const struct unit *unit, uint32_t index)
{
    return unit_token(unit, index)->partner;
}

/* The kind of the token at INDEX; TOK_EOF for NO_TOKEN, which is what lies before the first. */
static inline enum token_kind unit_kind(const struct unit *unit, uint32_t index)
{
    return index == NO_TOKEN ? TOK_EOF : (enum token_kind)unit_token(unit, index)->kind;
}

/* Whether the name at INDEX is that of a member: a dot or an arrow stands before it. */
bool unit_is_member(const struct unit *unit, uint32_t index);

/* The bytes of the source that RANGE covers, from its first to behind its last token. */
struct span unit_span(const struct unit *unit, struct range range);

/* Those of the token at INDEX. */
static inline struct span unit_token_span(const struct unit *unit, uint32_t index)
{
    return unit_span(unit, (struct range){index, index + 1});
}

/* Whether the tokens of A and those of B are written alike. */
bool unit_same_text(const struct unit *unit, struct range a, struct range b);

/* The last use of macro NAME in condition C, which may be NULL, whose value counts, and not only
   whether it is 0; or NO_TOKEN. BOOLEAN: of C as a whole only that matters, as of an #if. */
uint32_t condition_compared(const struct unit *unit, const struct condition *c, const char *name,
                            bool boolean);

/* What is known of a macro that is defined. */
struct macro_known {
    bool has_value; /* as a condition reads it */
    long long value;
};

/* Whether the macro that is named at TOKEN, in a condition, is defined there for certain; then RES
   says more. */
typedef bool (*macro_lookup)(void *context, uint32_t token, struct macro_known *res);

/* Gives branches that no compiler gets into, whatever the vendor, as LOOKUP knows the program's own
   macros, to REGION_CUDA, tokens and all; an #if 0 is one. Whether there are any. To be called once
   the file is translated: what follows does not read them. */
bool unit_hide_dead(struct unit *unit, macro_lookup lookup, void *context);

/* The number of the first comment at or behind OFFSET. */
size_t unit_comment_from(const struct unit *unit, size_t offset);

/* Appends the source's bytes from BEGIN to END to QUOTE, without comments. */
void unit_add_quote(const struct unit *unit, struct quote *quote, size_t begin, size_t end);

/* The source's bytes of RANGE on one line for a message, as base/quote.h says, without comments; in
   the unit's arena. */
const char *unit_quote(const struct unit *unit, struct range range);

/* Islands that are asked for. */

/* Splits the argument list that opens at LPAREN. False where it has no partner. */
bool unit_arguments(const struct unit *unit, uint32_t lparen, struct arena *arena,
                    struct arguments *res);

/* The last function whose head begins at token INDEX or before it, or NO_INDEX. */
uint32_t unit_function_before(const struct unit *unit, uint32_t index);

/* The innermost scope around token INDEX, or NO_INDEX. */
uint32_t unit_scope_at(const struct unit *unit, uint32_t index);

/* The directive that opens the innermost branch around token INDEX, or NO_INDEX. */
uint32_t unit_branch_at(const struct unit *unit, uint32_t index);

/* Whether a conditional keeps compilers for AMD GPUs from token INDEX. */
bool unit_is_hidden(const struct unit *unit, uint32_t index);

/* The region a token lies in. */
static inline enum region token_region(const struct token *token)
{
    return token->flags & TOKEN_HIP_SIDE    ? REGION_HIP
           : token->flags & TOKEN_CUDA_SIDE ? REGION_CUDA
                                            : REGION_COMMON;
}

/* Whether a compiler reads TOKEN as code: outside directives, or in the text of a macro. */
static inline bool token_is_code(const struct token *token)
{
    return !(token->flags & TOKEN_DIRECTIVE) || token->flags & TOKEN_MACRO_BODY;
}

/* The directive that token INDEX (flag TOKEN_DIRECTIVE) belongs to. */
const struct directive *unit_directive_at(const struct unit *unit, uint32_t index);

/* Whether PATH (LEN bytes) is a header of C, C++ or POSIX: <vector>, <stdio.h>. */
bool header_is_standard(const char *path, size_t len);

#endif
