/* The islands of a CUDA source: directives, launches, argument lists and declaration heads.

   Assumptions: brackets are paired already, and a pair is one token here (PARENS, BRACKETS,
   BRACES, ANGLES) unless the island is about what lies inside. Types are not known: a name is a
   name. Heads are read as a flat list of items; which of them declares the function is decided
   by handle_declarator(). What the grammar does not accept stays opaque.  */

%define api.pure full
%define api.prefix {island_yy}
%define api.location.type {struct range}
%define parse.error simple
%locations
%expect 0
%param {struct island *island}

%code top {
#include <config.h>
}

%code requires {
#include "parser/island.h"
}

%code {
#include <string.h>

#include "base/xalloc.h"

#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
    ((current).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,                        \
     (current).end = YYRHSLOC(rhs, n).end)
#define YYMALLOC xmalloc
#define YYFREE free

static int island_yylex(ISLAND_YYSTYPE *value, struct range *where, struct island *island);
static void island_yyerror(const struct range *where, struct island *island, const char *text);

/* A node of a condition. */
static struct condition *new_condition(struct island *island, enum condition_kind kind,
                                       struct range where, struct condition *a,
                                       struct condition *b, struct condition *c);
static struct condition *new_operation(struct island *island, enum condition_kind kind,
                                       struct range operator, struct condition *a,
                                       struct condition *b, struct condition *c);
/* LIST with RANGE behind it. */
static struct range_list *append_range(struct island *island, struct range_list *list,
                                       struct range range);
/* The directive's name or header, and a macro's parameter list. */
static void handle_operand(struct island *island, struct range name);
static void handle_parameters(struct island *island, struct range parens);
static void handle_condition(struct island *island, struct condition *condition);
static void handle_defined_test(struct island *island, struct range name);
/* Items of a head. */
static void handle_type(struct island *island);
static void handle_name(struct island *island, struct range name);
static void handle_declarator(struct island *island, struct range name, struct range params);
static void handle_parens(struct island *island, struct range parens);
static void handle_bounds(struct island *island, struct range parens);
}

%union {
    struct range_list *list;
    struct condition *condition;
}

%token START_DIRECTIVE START_LAUNCH START_ARGUMENTS START_HEAD
%token IDENT "identifier" NUMBER "number" CHAR "character" HEADER "header name"
%token OTHER "token"
%token PARENS "(...)" BRACKETS "[...]" BRACES "{...}" ANGLES "<...>"
%token MACRO_PARENS "macro parameters"
%token PP_DEFINE "#define" PP_IF "#if" PP_IFDEF "#ifdef" PP_INCLUDE "#include" PP_OTHER "#"
%token GLOBAL "__global__" DEVICE "__device__" HOST "__host__"
%token SHARED "__shared__" CONSTANT "__constant__" MANAGED "__managed__" EXTERN "extern"
%token FRIEND "friend" TEMPLATE "template" LAUNCH_BOUNDS "__launch_bounds__"
%token ATTRIBUTE "attribute" TYPE "type" OPERATOR_NAME "operator name"
%token LAUNCH_OPEN "<<<" LAUNCH_CLOSE ">>>"
%token COLON_COLON "::" ARROW "->" DEFINED "defined"
%token OR_OR "||" AND_AND "&&" EQUAL "==" NOT_EQUAL "!=" LESS_EQUAL "<=" GREATER_EQUAL ">="
%token SHIFT_LEFT "<<" SHIFT_RIGHT ">>"

%right '?' ':'
%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%precedence ALONE
%precedence "(...)" "<...>" "::"

%type <condition> condition
%type <list> arguments argument_list

%%

island:
  START_DIRECTIVE directive
| START_LAUNCH launch
| START_ARGUMENTS '(' arguments ')'      { island->args = $arguments; }
| START_HEAD head
;

/* Directives: the word and its operand; the rest of the line is not read here. */

directive:
  "#"
| "#" "identifier"                       { handle_operand (island, @2); }
| "#include" "header name"               { handle_operand (island, @2); }
| "#include" "identifier"
| "#define" "identifier"                 { handle_operand (island, @2); }
| "#define" "identifier" "macro parameters"
                                         { handle_operand (island, @2); handle_parameters (island, @3); }
| "#ifdef" "identifier"                  { handle_defined_test (island, @2); }
| "#if" condition                        { handle_condition (island, $2); }
;

condition:
  "number"                               { $$ = new_condition (island, COND_NUMBER, @1, NULL, NULL, NULL); }
| "character"                            { $$ = new_condition (island, COND_OPAQUE, @1, NULL, NULL, NULL); }
| "identifier" %prec ALONE               { $$ = new_condition (island, COND_NAME, @1, NULL, NULL, NULL); }
| "identifier" "(...)"                   { $$ = new_condition (island, COND_CALL, @1, NULL, NULL, NULL); }
| "defined" "identifier"                 { $$ = new_condition (island, COND_DEFINED, @2, NULL, NULL, NULL); }
| "defined" '(' "identifier" ')'         { $$ = new_condition (island, COND_DEFINED, @3, NULL, NULL, NULL); }
| '(' condition ')'                      { $$ = $2; }
| '!' condition            %prec UNARY   { $$ = new_operation (island, COND_UNARY, @1, $2, NULL, NULL); }
| '-' condition            %prec UNARY   { $$ = new_operation (island, COND_UNARY, @1, $2, NULL, NULL); }
| '+' condition            %prec UNARY   { $$ = $2; }
| '~' condition            %prec UNARY   { $$ = new_operation (island, COND_UNARY, @1, $2, NULL, NULL); }
| condition "||" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition "&&" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '|' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '^' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '&' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition "==" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition "!=" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '<' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '>' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition "<=" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition ">=" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition "<<" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition ">>" condition               { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '+' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '-' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '*' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '/' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '%' condition                { $$ = new_operation (island, COND_BINARY, @2, $1, $3, NULL); }
| condition '?' condition ':' condition  { $$ = new_operation (island, COND_TERNARY, @2, $1, $3, $5); }
;

/* kernel<<<grid, block, shared, stream>>>(arguments) */

launch:
  callee "<<<" arguments[config] ">>>" '(' arguments[args] ')'
    {
      island->callee = @callee;
      island->config = $config;
      island->args = $args;
    }
;

callee:
  callee_name
| "(...)"
| callee "(...)"
| callee "[...]"
| callee '.' callee_name
| callee "->" callee_name
;

callee_name:
  name
| "template" name
;

arguments:
  %empty                                 { $$ = NULL; }
| argument_list
;

argument_list:
  argument                               { $$ = append_range (island, NULL, @1); }
| argument_list ',' argument             { $$ = append_range (island, $1, @3); }
;

argument:
  token
| argument token
;

token:
  "identifier" | "number" | "character" | "token" | "(...)" | "[...]" | "{...}" | "<...>"
| "::" | "->" | '.' | "template" | "type"
;

/* A declaration up to its body, initialiser or semicolon. */

head:
  %empty
| head item
;

item:
  "__global__"                           { island->function_flags |= FUNCTION_GLOBAL; }
| "__device__"                           { island->function_flags |= FUNCTION_DEVICE; }
| "__host__"                             { island->function_flags |= FUNCTION_HOST; }
| "__shared__"                           { island->variable_flags |= VARIABLE_SHARED; }
| "__constant__"                         { island->variable_flags |= VARIABLE_CONSTANT; }
| "__managed__"                          { island->variable_flags |= VARIABLE_MANAGED; }
| "extern"                               { island->variable_flags |= VARIABLE_EXTERN; }
| "friend"                               { island->function_flags |= FUNCTION_FRIEND; }
| "template" %prec ALONE                 { island->function_flags |= FUNCTION_TEMPLATE; }
| "template" "<...>"                     { island->function_flags |= FUNCTION_TEMPLATE; }
| "__launch_bounds__" %prec ALONE
| "__launch_bounds__" "(...)"            { handle_bounds (island, @2); }
| "attribute" %prec ALONE
| "attribute" "(...)"
| "type" %prec ALONE                     { handle_type (island); }
| "type" "(...)"                         { handle_type (island); }
| name %prec ALONE                       { handle_name (island, @1); }
| name "(...)"                           { handle_declarator (island, @1, @2); }
| "(...)"                                { handle_parens (island, @1); }
| "[...]"
| "{...}"
| "<...>"
| "token"
| "number"
| "character"
| "->"                                   { island->after_arrow = true; }
| '.'
| ','
;

name:
  "identifier" %prec ALONE
| "operator name"
| "identifier" "<...>"
| "::" "identifier" %prec ALONE
| "::" "identifier" "<...>"
| name "::" "identifier" %prec ALONE
| name "::" "identifier" "<...>"
| name "::" "template" "identifier" "<...>"
| name "::" "operator name"
| '~' "identifier"
| name "::" '~' "identifier"
;

%%

/* The stream. */

/* What the grammar calls a token of KIND outside directives. */
static int code_token(enum token_kind kind)
{
    switch (kind) {
    case TOK_IDENT:
        return IDENT;
    case TOK_NUMBER:
        return NUMBER;
    case TOK_CHAR:
        return CHAR;
    case TOK_GLOBAL:
        return GLOBAL;
    case TOK_DEVICE:
        return DEVICE;
    case TOK_HOST:
        return HOST;
    case TOK_SHARED:
        return SHARED;
    case TOK_CONSTANT:
        return CONSTANT;
    case TOK_MANAGED:
        return MANAGED;
    case TOK_EXTERN:
        return EXTERN;
    case TOK_FRIEND:
        return FRIEND;
    case TOK_TEMPLATE:
        return TEMPLATE;
    case TOK_LAUNCH_BOUNDS:
        return LAUNCH_BOUNDS;
    case TOK_ATTRIBUTE:
    case TOK_NOEXCEPT:
        return ATTRIBUTE;
    case TOK_TYPE:
    case TOK_DECLTYPE:
    case TOK_CLASS:
    case TOK_ENUM:
    case TOK_TYPENAME:
        return TYPE;
    case TOK_COLON_COLON:
        return COLON_COLON;
    case TOK_ARROW:
        return ARROW;
    case TOK_DOT:
        return '.';
    case TOK_COMMA:
        return ',';
    case TOK_TILDE:
        return '~';
    default:
        return OTHER;
    }
}

/* In argument lists only brackets, commas and what a callee is made of matter. */
static int argument_token(enum token_kind kind)
{
    int res = code_token(kind);
    switch (res) {
    case IDENT:
    case NUMBER:
    case CHAR:
    case TEMPLATE:
    case COLON_COLON:
    case ARROW:
    case '.':
    case ',':
        return res;
    default:
        return OTHER;
    }
}

static int condition_token(enum token_kind kind)
{
    switch (kind) {
    case TOK_NUMBER:
        return NUMBER;
    case TOK_CHAR:
        return CHAR;
    case TOK_BANG:
        return '!';
    case TOK_TILDE:
        return '~';
    case TOK_PLUS:
        return '+';
    case TOK_MINUS:
        return '-';
    case TOK_STAR:
        return '*';
    case TOK_SLASH:
        return '/';
    case TOK_PERCENT:
        return '%';
    case TOK_AMP:
        return '&';
    case TOK_PIPE:
        return '|';
    case TOK_CARET:
        return '^';
    case TOK_QUESTION:
        return '?';
    case TOK_COLON:
        return ':';
    case TOK_LESS:
        return '<';
    case TOK_GREATER:
        return '>';
    case TOK_OR_OR:
        return OR_OR;
    case TOK_AND_AND:
        return AND_AND;
    case TOK_EQUAL:
        return EQUAL;
    case TOK_NOT_EQUAL:
        return NOT_EQUAL;
    case TOK_LESS_EQUAL:
        return LESS_EQUAL;
    case TOK_GREATER_EQUAL:
        return GREATER_EQUAL;
    case TOK_SHIFT_LEFT:
        return SHIFT_LEFT;
    case TOK_SHIFT_RIGHT:
        return SHIFT_RIGHT;
    case TOK_LPAREN:
        return '(';
    case TOK_RPAREN:
        return ')';
    default:
        return OTHER;
    }
}

static bool is_word(const struct token *token)
{
    return token->symbol != NULL;
}

/* Behind the token at FIRST where that one opens a pair: the pair as one token. */
static int condensed(struct island *island, uint32_t first, int res)
{
    const struct token *token = unit_token(island->unit, first);
    if (token->partner == NO_TOKEN || token->partner < first || island->end <= token->partner)
        return OTHER;
    island->at = token->partner + 1;
    return res;
}

/* Whether an opening parenthesis behind TOKEN begins arguments: not behind #if, nor `and`. */
static bool is_operand(const struct token *token)
{
    return token->symbol && condition_token(token->kind) == OTHER &&
           !(TOK_PP_DEFINE <= token->kind && token->kind <= TOK_PP_WARNING);
}

static int directive_token(struct island *island, uint32_t first)
{
    const struct unit *unit = island->unit;
    const struct token *token = unit_token(unit, first);
    if (token->kind == TOK_HASH && island->condition_operands == 0) {
        /* "#" and its word are one token. */
        if (island->at == island->end)
            return PP_OTHER;
        enum token_kind kind = unit_token(unit, island->at)->kind;
        island->condition_operands = 1;
        switch (kind) {
        case TOK_PP_IF:
        case TOK_PP_ELIF:
            island->at++;
            return PP_IF;
        case TOK_PP_IFDEF:
        case TOK_PP_IFNDEF:
        case TOK_PP_ELIFDEF:
        case TOK_PP_ELIFNDEF:
            island->at++;
            island->end = island->at < island->end ? island->at + 1 : island->end;
            return PP_IFDEF;
        case TOK_PP_DEFINE:
            island->at++;
            island->condition_operands = 2;
            return PP_DEFINE;
        case TOK_PP_INCLUDE:
        case TOK_PP_INCLUDE_NEXT:
        case TOK_PP_IMPORT:
            island->at++;
            island->end = island->at < island->end ? island->at + 1 : island->end;
            return PP_INCLUDE;
        default:
            island->at++;
            /* One word of operand is enough for #undef and #pragma. */
            if (island->at < island->end && is_word(unit_token(unit, island->at)))
                island->end = island->at + 1;
            else
                island->end = island->at;
            return PP_OTHER;
        }
    }
    if (token->kind == TOK_HEADER)
        return HEADER;
    if (island->condition_operands == 2 && is_word(token)) {
        /* The macro's name; a parameter list only directly behind it. */
        const struct token *next = unit_token(unit, island->at);
        if (island->at < island->end && next->kind == TOK_LPAREN &&
            !(next->flags & TOKEN_SPACE_BEFORE) && next->partner != NO_TOKEN) {
            island->end = next->partner + 1;
            island->condition_operands = 3;
        } else {
            island->end = island->at;
        }
        return IDENT;
    }
    if (island->condition_operands == 3 && token->kind == TOK_LPAREN)
        return condensed(island, first, MACRO_PARENS);
    if (is_word(token)) {
        int res = condition_token(token->kind);
        if (res != OTHER)
            return res;
        if (token->symbol->len == 7 && !memcmp(token->symbol->text, "defined", 7)) {
            island->condition_operands = 4;
            return DEFINED;
        }
        /* A function-like macro's arguments are one token; those of defined() are not. */
        return IDENT;
    }
    if (token->kind == TOK_LPAREN && is_operand(unit_token(unit, first - 1)) &&
        island->condition_operands != 4)
        return condensed(island, first, PARENS);
    if (token->kind == TOK_LPAREN || token->kind == TOK_RPAREN)
        island->condition_operands = 1;
    return condition_token(token->kind);
}

static int island_yylex(ISLAND_YYSTYPE *value, struct range *where, struct island *island)
{
    (void)value;
    where->begin = where->end = island->at;
    if (!island->started) {
        island->started = true;
        switch (island->start) {
        case ISLAND_DIRECTIVE:
            return START_DIRECTIVE;
        case ISLAND_LAUNCH:
            return START_LAUNCH;
        case ISLAND_ARGUMENTS:
            return START_ARGUMENTS;
        case ISLAND_HEAD:
            return START_HEAD;
        }
    }
    const struct unit *unit = island->unit;
    /* Directives between the tokens of code are no part of it. */
    if (island->start != ISLAND_DIRECTIVE && island->at < island->end &&
        !(unit_token(unit, island->end - 1)->flags & TOKEN_DIRECTIVE))
        while (island->at < island->end && unit_token(unit, island->at)->flags & TOKEN_DIRECTIVE)
            island->at++;
    if (island->end <= island->at)
        return ISLAND_YYEOF;
    uint32_t first = where->begin = island->at++;
    const struct token *token = unit_token(unit, first);
    int res;
    if (island->start == ISLAND_DIRECTIVE) {
        res = directive_token(island, first);
    } else if (first == island->open[0] || first == island->open[1]) {
        res = token->kind == TOK_LAUNCH_OPEN ? LAUNCH_OPEN : '(';
    } else if ((island->open[0] != NO_TOKEN && first == unit_partner(unit, island->open[0])) ||
               (island->open[1] != NO_TOKEN && first == unit_partner(unit, island->open[1]))) {
        res = token->kind == TOK_LAUNCH_CLOSE ? LAUNCH_CLOSE : ')';
    } else {
        switch (token->kind) {
        case TOK_LPAREN:
            res = condensed(island, first, PARENS);
            break;
        case TOK_LBRACKET:
            res = condensed(island, first, BRACKETS);
            break;
        case TOK_LBRACE:
            res = condensed(island, first, BRACES);
            break;
        case TOK_LESS:
            res = condensed(island, first, ANGLES);
            break;
        case TOK_LAUNCH_OPEN:
            res = condensed(island, first, OTHER);
            break;
        case TOK_OPERATOR:
            /* operator(), operator[], operator+, operator bool: up to the parameter list. */
            if (island->start != ISLAND_HEAD) {
                res = OTHER;
                break;
            }
            while (island->at < island->end && unit_token(unit, island->at)->kind != TOK_LPAREN)
                island->at++;
            if (island->at == first + 1 && island->at + 1 < island->end &&
                unit_partner(unit, island->at) == island->at + 1)
                island->at += 2;
            res = OPERATOR_NAME;
            break;
        default:
            res = island->start == ISLAND_HEAD ? code_token(token->kind)
                                               : argument_token(token->kind);
            break;
        }
    }
    where->end = island->at;
    return res;
}

/* A syntax error means: this island stays opaque. */
static void island_yyerror(const struct range *where, struct island *island, const char *text)
{
    (void)where;
    (void)island;
    (void)text;
}

/* Actions. */

static long long number_value(const struct unit *unit, uint32_t index)
{
    const struct token *token = unit_token(unit, index);
    char digits[64];
    size_t n = 0;
    for (uint32_t i = 0; i < token->length && n + 1 < sizeof digits; ++i) {
        char c = unit->source->text[token->offset + i];
        if (c != '\'' && c != '\\' && c != '\n' && c != '\r')
            digits[n++] = c;
    }
    digits[n] = '\0';
    if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B'))
        return (long long)strtoull(digits + 2, NULL, 2);
    return (long long)strtoull(digits, NULL, 0);
}

static struct condition *new_condition(struct island *island, enum condition_kind kind,
                                       struct range where, struct condition *a,
                                       struct condition *b, struct condition *c)
{
    struct condition *res = arena_alloc(island->arena, sizeof *res);
    *res = (struct condition){.kind = kind, .token = where.begin, .arg = {a, b, c}};
    if (kind == COND_NUMBER)
        res->value = number_value(island->unit, where.begin);
    return res;
}

static struct condition *new_operation(struct island *island, enum condition_kind kind,
                                       struct range operator, struct condition *a,
                                       struct condition *b, struct condition *c)
{
    struct condition *res = new_condition(island, kind, operator, a, b, c);
    res->op = unit_token(island->unit, operator.begin)->kind;
    for (int i = 0; i < 3; ++i)
        if (res->arg[i] && res->depth <= res->arg[i]->depth)
            res->depth = res->arg[i]->depth + 1;
    return res;
}

static struct range_list *append_range(struct island *island, struct range_list *list,
                                       struct range range)
{
    struct range_list *res = arena_alloc(island->arena, sizeof *res);
    *res = (struct range_list){range, list, list ? list->count + 1 : 1};
    return res;
}

static void handle_operand(struct island *island, struct range name)
{
    island->name = name.begin;
}

static void handle_parameters(struct island *island, struct range parens)
{
    island->params = (struct range){parens.begin + 1, parens.end - 1};
    island->function_like = true;
}

static void handle_condition(struct island *island, struct condition *condition)
{
    /* Deeper than anybody writes: such a condition stays opaque, rather than the stack in danger. */
    enum { MAX_DEPTH = 1000 };
    if (condition->depth < MAX_DEPTH)
        island->condition = condition;
}

static void handle_defined_test(struct island *island, struct range name)
{
    handle_operand(island, name);
    island->condition = new_condition(island, COND_DEFINED, name, NULL, NULL, NULL);
}

static void handle_type(struct island *island)
{
    island->typed = HEAD_TYPED;
    island->after_declarator = false;
}

/* Behind NAME, only its last identifier declares something. */
static uint32_t last_identifier(const struct island *island, struct range name)
{
    uint32_t res = name.begin;
    for (uint32_t i = name.begin; i < name.end; ++i) {
        const struct token *token = unit_token(island->unit, i);
        if (token->kind == TOK_LESS && token->partner != NO_TOKEN && token->partner < name.end)
            i = token->partner;
        else if (token->kind == TOK_OPERATOR)
            return i;
        else if (token->kind == TOK_IDENT)
            res = i;
    }
    return res;
}

/* Capitals, digits and underscores only, as most macros are written. */
static bool is_upper_case(const struct symbol *name)
{
    bool capitals = false;
    for (const char *c = name ? name->text : ""; *c; ++c) {
        if ('a' <= *c && *c <= 'z')
            return false;
        capitals |= 'A' <= *c && *c <= 'Z';
    }
    return capitals;
}

/* Whether a macro called NAME makes device functions: the file says so, or its name does, as
   HOST_DEVICE, __host_device__ and HD do. */
static bool is_device_macro(const struct symbol *name)
{
    if (name->is_device_macro)
        return true;
    const char *text = name->text;
    if (!strncmp(text, "__", 2))
        return strstr(text, "device") || strstr(text, "DEVICE") || strstr(text, "hostdev");
    if (!is_upper_case(name))
        return false;
    return strstr(text, "DEVICE") || strstr(text, "HOSTDEV") ||
           (2 <= name->len && !strcmp(text + name->len - 2, "HD") &&
            (name->len == 2 || text[name->len - 3] == '_'));
}

static void handle_name(struct island *island, struct range name)
{
    island->after_declarator = false;
    island->last_name = last_identifier(island, name);
    struct symbol *symbol = unit_token(island->unit, island->last_name)->symbol;
    if (island->has_declarator && symbol &&
        (!strcmp(symbol->text, "override") || !strcmp(symbol->text, "final")))
        return;
    island->typed = HEAD_TYPED;
    if (name.begin + 1 == name.end && symbol && is_device_macro(symbol))
        island->function_flags |= FUNCTION_DEVICE_MACRO;
}

/* Whether NAME (...) at NAME, behind the declarator found, is rather it: more of a type stands
   before it, or what was found looks like a macro that takes arguments. */
static bool is_better_declarator(const struct island *island, struct range name)
{
    const struct unit *unit = island->unit;
    if (island->declarator.typed < island->typed)
        return true;
    return island->after_declarator &&
           is_upper_case(unit_token(unit, island->declarator.name.begin)->symbol) &&
           !is_upper_case(unit_token(unit, last_identifier(island, name))->symbol);
}

/* The first NAME (...) that has a type before it declares the function; one without (a macro, a
   constructor) only where no other comes. */
static void handle_declarator(struct island *island, struct range name, struct range params)
{
    if (!island->has_declarator || (!island->after_arrow && is_better_declarator(island, name))) {
        island->declarator = (struct declarator){
            {last_identifier(island, name), name.end}, params, island->typed};
        island->has_declarator = island->after_declarator = true;
    } else {
        island->after_declarator = false;
    }
    if (island->typed == HEAD_UNTYPED)
        island->typed = HEAD_CALLED;
}

/* NAME (...) (...): a macro makes the name, the second list is the parameters. */
static void handle_parens(struct island *island, struct range parens)
{
    if (island->after_declarator)
        island->declarator.params = parens;
    island->after_declarator = false;
}

static void handle_bounds(struct island *island, struct range parens)
{
    island->bounds = (struct range){parens.begin + 1, parens.end - 1};
}

bool island_parse(struct island *island)
{
    return island_yyparse(island) == 0;
}

struct range *range_list_array(const struct range_list *list, struct arena *arena)
{
    int count = list ? list->count : 0;
    struct range *res = arena_zalloc(arena, (size_t)count, sizeof *res);
    for (int i = count; list; list = list->before)
        res[--i] = list->range;
    return res;
}
