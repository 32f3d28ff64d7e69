/* The bodies of functions: statements, expressions, declarations.

   C++ is ambiguous where types are not known, so it is decided (glance.c, feed.c) before the grammar
   sees anything: a declaration begins with "type" (its specifiers and its type's name in one
   token), a cast is "cast", a name with its qualification and template arguments is one
   "name", braces are those of a block or of a list. What is left is LALR(1), read in linear time.
   A statement that the grammar does not accept becomes opaque: the feeder gives the rest of it as
   "rest", and the next statement begins behind it.  */

%define api.pure full
%define api.prefix {body_yy}
%define api.location.type {struct range}
%define parse.error simple
%locations
%expect 0
%param {struct body *body}

%code top {
#include <config.h>
}

%code requires {
#include "parser/body.h"
}

%code {
#include <string.h>

#include "base/xalloc.h"

#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
    ((current).begin = (n) ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,                        \
     (current).end = YYRHSLOC(rhs, n).end)
#define YYMALLOC xmalloc
#define YYFREE free

static void body_yyerror(const struct range *where, struct body *body, const char *text);

/* A node over WHERE whose token is TOKEN, with up to three kids; a kid may be NULL. */
static struct node *new_node(struct body *body, enum node_kind kind, struct range where,
                             uint32_t token, struct node *a, struct node *b, struct node *c);
/* Likewise, with the kids of LIST behind A. */
static struct node *new_list(struct body *body, enum node_kind kind, struct range where,
                             uint32_t token, struct node *a, struct node_list list);
static struct node *new_operator(struct body *body, enum node_kind kind, struct range where,
                                 struct range op, struct node *a, struct node *b);
static struct node *new_name(struct body *body, struct range where);
static struct node *new_type(struct body *body, struct range where);
static struct node *new_cast(struct body *body, struct range where, struct range type,
                             struct node *operand);
static struct node *new_empty(struct body *body, struct range where);
/* A statement that is not understood; TOKEN is where the grammar stopped. */
static struct node *new_opaque(struct body *body, struct range where, uint32_t token);
static struct node *new_lambda(struct body *body, struct range where);
/* The call of the macro NAME, whose parentheses are CALL. */
static struct node *new_macro_call(struct body *body, struct range name, struct range call,
                                   struct node_list arguments);
/* An argument with statements and LAST, which no semicolon ends. */
static struct node *new_mixed(struct body *body, struct range where, struct node_list statements,
                              struct node *last);
static struct node *new_declarator(struct body *body, struct range where, struct range name);
/* DECLARATOR = VALUE, where OP is the sign; DECLARATOR (VALUES) or {VALUES}, which OP opens. */
static struct node *with_value(struct body *body, struct node *declarator, struct range op,
                               struct node *value);
static struct node *with_values(struct body *body, struct node *declarator, struct range where,
                                struct range op, struct node_list values);
/* The same for the declarator of a DECLARATION. */
static struct node *with_declared_value(struct body *body, struct node *declaration,
                                        struct range where, struct range op, struct node *value);
/* DECLARATOR over WHERE, with POINTERS in front; with FLAGS and further kids. */
static struct node *with_pointers(struct node *declarator, struct range where,
                                  struct pointers pointers);
static struct node *with_kids(struct body *body, struct node *declarator, struct range where,
                              unsigned flags, struct node_list kids);
static struct node *new_for(struct body *body, struct range where, struct range word,
                            struct node *start, struct node *condition, struct node *step,
                            struct node *statement);
static struct node *new_member(struct body *body, struct range where, struct node *object,
                               struct range op, struct range name);
/* NODE, which reaches over WHERE. */
static struct node *reaching(struct node *node, struct range where);
static struct node_list append(struct body *body, struct node_list list, struct node *node);
static void add_kid(struct node *node, struct node *kid);
static void add_kids(struct node *node, struct node_list list);
static void finish(struct body *body, struct node *node);
}

%code provides {
/* The next token, from feed.c. */
int body_yylex(BODY_YYSTYPE *value, struct range *where, struct body *body);
}

%code requires {
/* A list of nodes under construction, linked by `next`. */
struct node_list {
    struct node *first;
    struct node *last;
};

#define NO_LIST ((struct node_list){NULL, NULL})

/* The name of a declarator that has none. */
#define NO_NAME ((struct range){NO_TOKEN, NO_TOKEN})

/* Of a declarator: pointers and references in front of the name. */
struct pointers {
    unsigned stars;
    bool reference;
};
}

%union {
    struct node *node;
    struct node_list list;
    struct pointers pointers;
}

%token START_STATEMENTS START_EXPRESSION START_DECLARATION START_TYPE
%token NAME "name" NUMBER "number" CHARACTER "character" STRINGS "strings" LAMBDA "lambda"
%token SOME "operand" OTHER "token" REST "rest"
%token TYPE "type" CAST "cast" TYPE_OPERAND "type in parentheses" TYPE_ARGUMENT "type argument"
%token TYPE_NAME "type name" NAMED_CAST "named cast" QUALIFIER "qualifier"
%token STATEMENTS_OPEN "( of statements" STATEMENTS_CLOSE ") of statements"
%token MIXED_OPEN "( of arguments with statements" SEPARATOR "comma between arguments"
%token BLOCK_OPEN "{" BLOCK_CLOSE "}" LIST_OPEN "{ of a list" LIST_CLOSE "} of a list"
%token IF "if" ELSE "else" FOR "for" WHILE "while" DO "do" SWITCH "switch" CASE "case"
%token DEFAULT "default" LABEL "label" BREAK "break" CONTINUE "continue" GOTO "goto"
%token RETURN "return" TRY "try" CATCH "catch (...)" ASM "asm" ALIAS "alias"
%token MACRO_CALL "macro" MACRO_LOOP "macro loop"
%token NEW "new" DELETE "delete" THROW "throw" SIZEOF "sizeof" LAUNCH "<<<...>>>" ELLIPSIS "..."
%token ASSIGN "assignment" ARROW "->" DOT_STAR ".*" STEP "++ or --"
%token OR_OR "||" AND_AND "&&" EQUAL "==" RELATION "<" SHIFT "<<"

%precedence THEN
%precedence "else" "while"
/* `*` `(` begins (*f), not an initialiser of something without a name. */
%precedence ABSTRACT
%precedence '('

%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "=="
%left "<"
%left "<<"
%left '+' '-'
%left '*' '/' '%'
%left ".*"

%type <node> statement block condition declaration init_declarator declarator direct initializer
%type <node> list item expression assignment choice binary unary postfix primary argument
%type <node> whole dimension
%type <node> for_start optional typed_declaration statement_argument mixed_argument
%type <list> statements init_declarators items arguments argument_list names dimensions
%type <list> call mixed handlers
%type <pointers> pointers pointer

%%

island:
  START_STATEMENTS block                 { body->result = $2; }
| START_EXPRESSION expression            { body->result = $2; }
| START_DECLARATION declaration          { body->result = $2; }
| START_DECLARATION declaration ';'      { body->result = $2; }
| START_TYPE "type argument"             { body->result = new_type (body, @2); }
;

/* Statements. */

block:
  "{" statements "}"                     { $$ = new_list (body, NODE_BLOCK, @$, @1.begin, NULL, $2); }
;

statements:
  %empty                                 { $$ = NO_LIST; }
| statements statement                   { $$ = append (body, $1, $2); }
;

statement:
  block
| ';'                                    { $$ = new_empty (body, @1); }
| expression ';'                         { $$ = new_node (body, NODE_EXPRESSION, @$, @1.begin, $1, NULL, NULL); }
| declaration ';'                        { $$ = reaching ($1, @$); }
| "if" '(' condition ')' statement %prec THEN
                                         { $$ = new_node (body, NODE_IF, @$, @1.begin, $3, $5, new_empty (body, @5)); }
| "if" '(' condition ')' statement "else" statement
                                         { $$ = new_node (body, NODE_IF, @$, @1.begin, $3, $5, $7); }
| "else" statement                       { $$ = new_node (body, NODE_ELSE, @$, @1.begin, $2, NULL, NULL); }
| "for" '(' for_start optional ';' optional ')' statement
                                         { $$ = new_for (body, @$, @1, $3, $4, $6, $8); }
| "for" '(' typed_declaration ':' initializer ')' statement
                                         { $$ = new_node (body, NODE_RANGE_FOR, @$, @1.begin, $3, $5, $7); }
| "while" '(' condition ')' statement    { $$ = new_node (body, NODE_WHILE, @$, @1.begin, $3, $5, NULL); }
| "do" statement "while" '(' expression ')' ';'
                                         { $$ = new_node (body, NODE_DO, @$, @1.begin, $2, $5, NULL); }
| "do" statement %prec THEN               { $$ = new_opaque (body, @$, @1.begin); /* damaged */ }
| "switch" '(' condition ')' statement   { $$ = new_node (body, NODE_SWITCH, @$, @1.begin, $3, $5, NULL); }
| "case" expression ':'                  { $$ = new_node (body, NODE_CASE, @$, @1.begin, $2, NULL, NULL); }
| "case" expression "..." expression ':'  { $$ = new_node (body, NODE_CASE, @$, @1.begin, $2, $4, NULL); }
| "default" ':'                          { $$ = new_node (body, NODE_DEFAULT, @$, @1.begin, NULL, NULL, NULL); }
| "label"                                { $$ = new_node (body, NODE_LABEL, @$, @1.begin, NULL, NULL, NULL); }
| "break" ';'                            { $$ = new_node (body, NODE_BREAK, @$, @1.begin, NULL, NULL, NULL); }
| "continue" ';'                         { $$ = new_node (body, NODE_CONTINUE, @$, @1.begin, NULL, NULL, NULL); }
| "goto" "name" ';'                      { $$ = new_node (body, NODE_GOTO, @$, @2.begin, NULL, NULL, NULL); }
| "return" ';'                           { $$ = new_node (body, NODE_RETURN, @$, @1.begin, NULL, NULL, NULL); }
| "return" expression ';'                { $$ = new_node (body, NODE_RETURN, @$, @1.begin, $2, NULL, NULL); }
| "return" list ';'                      { $$ = new_node (body, NODE_RETURN, @$, @1.begin, $2, NULL, NULL); }
| "asm" ';'                              { $$ = new_node (body, NODE_ASM, @$, @1.begin, NULL, NULL, NULL); }
| "alias"                                { $$ = new_node (body, NODE_ALIAS, @$, @1.begin, NULL, NULL, NULL); }
| "try" block handlers                   { $$ = new_list (body, NODE_TRY, @$, @1.begin, $2, $3); }
| "macro" call                           { $$ = new_node (body, NODE_MACRO, @$, @1.begin, new_macro_call (body, @1, @2, $2), NULL, NULL); }
| "macro loop" call statement %prec THEN
                                         { $$ = new_node (body, NODE_MACRO_LOOP, @$, @1.begin, new_macro_call (body, @1, @2, $2), $3, NULL); }
| "macro loop" call statement "else" statement
                                         { $$ = new_node (body, NODE_MACRO_LOOP, @$, @1.begin, new_macro_call (body, @1, @2, $2), $3, $5); }
| error "rest"                           { yyerrok; $$ = new_opaque (body, @$, body->stopped); }
;

handlers:
  "catch (...)" block                    { $$ = append (body, NO_LIST, $2); }
| handlers "catch (...)" block           { $$ = append (body, $1, $3); }
;

condition:
  expression
| declaration
| for_start expression                   { $$ = new_node (body, NODE_WITH, @$, @1.begin, $1, $2, NULL); }
| for_start declaration                  { $$ = new_node (body, NODE_WITH, @$, @1.begin, $1, $2, NULL); }
;

for_start:
  ';'                                    { $$ = new_empty (body, @1); }
| expression ';'                         { $$ = new_node (body, NODE_EXPRESSION, @$, @1.begin, $1, NULL, NULL); }
| declaration ';'                        { $$ = reaching ($1, @$); }
;

optional:
  %empty                                 { $$ = new_empty (body, @$); }
| expression
;

/* Declarations. */

declaration:
  "type"                                 { $$ = new_node (body, NODE_DECLARATION, @$, @1.begin, new_type (body, @1), NULL, NULL); }
| "type" init_declarators                { $$ = new_list (body, NODE_DECLARATION, @$, @1.begin, new_type (body, @1), $2); }
;

/* Of a for over a range, or a condition. */
typed_declaration:
  "type" declarator                      { $$ = new_node (body, NODE_DECLARATION, @$, @1.begin, new_type (body, @1), $2, NULL); }
;

init_declarators:
  init_declarator                        { $$ = append (body, NO_LIST, $1); }
| init_declarators ',' init_declarator   { $$ = append (body, $1, $3); }
;

init_declarator:
  declarator
| declarator '=' initializer             { $$ = with_value (body, $1, @2, $3); }
| declarator '(' arguments ')'           { $$ = with_values (body, $1, @$, @2, $3); }
| declarator '(' arguments ')' '=' initializer
                                         { $$ = with_value (body, $1, @5, $6); }
| declarator list                        { $$ = with_values (body, $1, @$, @2, (struct node_list){$2->kids, NULL}); }
;

declarator:
  direct
| pointers direct                        { $$ = with_pointers ($2, @$, $1); }
| pointers %prec ABSTRACT                { $$ = with_pointers (new_declarator (body, @$, NO_NAME), @$, $1); }
;

pointers:
  pointer
| pointers pointer                       { $$ = (struct pointers){$1.stars + $2.stars, $1.reference || $2.reference}; }
;

pointer:
  '*'                                    { $$ = (struct pointers){1, false}; }
| '&'                                    { $$ = (struct pointers){0, true}; }
| "&&"                                   { $$ = (struct pointers){0, true}; }
| "qualifier"                            { $$ = (struct pointers){0, false}; }
;

direct:
  whole
| whole dimensions                       { $$ = with_kids (body, $1, @$, 0, $2); }
;

whole:
  "name"                                 { $$ = new_declarator (body, @1, @1); }
| '(' declarator ')'                     { $$ = with_kids (body, $2, @$, DECLARATOR_NESTED, NO_LIST); }
| '[' names ']'                          { $$ = with_kids (body, new_declarator (body, @$, NO_NAME), @$, DECLARATOR_BINDING, $2); }
;

names:
  "name"                                 { $$ = append (body, NO_LIST, new_name (body, @1)); }
| names ',' "name"                       { $$ = append (body, $1, new_name (body, @3)); }
;

initializer:
  assignment
| list
;

list:
  "{ of a list" "} of a list"            { $$ = new_node (body, NODE_LIST, @$, @1.begin, NULL, NULL, NULL); }
| "{ of a list" items "} of a list"      { $$ = new_list (body, NODE_LIST, @$, @1.begin, NULL, $2); }
| "{ of a list" items ',' "} of a list"  { $$ = new_list (body, NODE_LIST, @$, @1.begin, NULL, $2); }
;

items:
  item                                   { $$ = append (body, NO_LIST, $1); }
| items ',' item                         { $$ = append (body, $1, $3); }
;

item:
  initializer
| assignment "..."                       { $$ = new_node (body, NODE_PACK, @$, @2.begin, $1, NULL, NULL); }
| '.' "name" list                        { $$ = new_node (body, NODE_FIELD, @$, @2.begin, $3, NULL, NULL); }
| '[' expression ']' '=' initializer     { $$ = new_node (body, NODE_ELEMENT, @$, @1.begin, $2, $5, NULL); }
| '.' "name" '=' initializer             { $$ = new_node (body, NODE_FIELD, @$, @2.begin, $4, NULL, NULL); }
;

/* Expressions. */

expression:
  assignment
| expression ',' assignment              { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
;

assignment:
  choice
| "throw"                                { $$ = new_node (body, NODE_THROW, @$, @1.begin, NULL, NULL, NULL); }
| "throw" assignment                     { $$ = new_node (body, NODE_THROW, @$, @1.begin, $2, NULL, NULL); }
| binary '=' assignment                  { $$ = new_operator (body, NODE_ASSIGN, @$, @2, $1, $3); }
| binary '=' list                        { $$ = new_operator (body, NODE_ASSIGN, @$, @2, $1, $3); }
| binary "assignment" assignment         { $$ = new_operator (body, NODE_ASSIGN, @$, @2, $1, $3); }
;

choice:
  binary
| binary '?' expression ':' assignment   { $$ = new_node (body, NODE_CHOICE, @$, @2.begin, $1, $3, $5); }
;

binary:
  unary
| binary "||" binary                     { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary "&&" binary                     { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '|' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '^' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '&' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary "==" binary                     { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary "<" binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary "<<" binary                     { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '+' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '-' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '*' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '/' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary '%' binary                      { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
| binary ".*" binary                     { $$ = new_operator (body, NODE_BINARY, @$, @2, $1, $3); }
;

unary:
  postfix
| '+' unary                              { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| '-' unary                              { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| '*' unary                              { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| '&' unary                              { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| '!' unary                              { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| '~' unary                              { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| "++ or --" unary                       { $$ = new_operator (body, NODE_UNARY, @$, @1, $2, NULL); }
| "delete" unary                         { $$ = new_node (body, NODE_DELETE, @$, @1.begin, $2, NULL, NULL); }
| "cast" unary                           { $$ = new_cast (body, @$, @1, $2); }
| "cast" list                            { $$ = new_cast (body, @$, @1, $2); }
| "sizeof" unary                         { $$ = new_operator (body, NODE_SIZEOF, @$, @1, $2, NULL); }
| "sizeof" "type in parentheses"         { $$ = new_operator (body, NODE_SIZEOF, @$, @1, new_type (body, (struct range){@2.begin + 1, @2.end - 1}), NULL); }
| "new" "type name"                      { $$ = new_operator (body, NODE_NEW, @$, @1, new_type (body, @2), NULL); }
| "new" "type name" '(' arguments ')'    { $$ = new_list (body, NODE_NEW, @$, @1.begin, new_type (body, @2), $4); }
| "new" "type name" list                 { $$ = new_operator (body, NODE_NEW, @$, @1, new_type (body, @2), $3); }
| "new" "type name" dimensions           { $$ = new_list (body, NODE_NEW, @$, @1.begin, new_type (body, @2), $3); }
| "new" "type name" dimensions '(' ')'   { $$ = new_list (body, NODE_NEW, @$, @1.begin, new_type (body, @2), $3); }
| "new" "type name" dimensions list      { $$ = new_list (body, NODE_NEW, @$, @1.begin, new_type (body, @2), append (body, $3, $4)); }
;

dimensions:
  dimension                              { $$ = append (body, NO_LIST, $1); }
| dimensions dimension                   { $$ = append (body, $1, $2); }
;

dimension:
  '[' ']'                                { $$ = new_node (body, NODE_DIMENSION, @$, @1.begin, NULL, NULL, NULL); }
| '[' expression ']'                     { $$ = new_node (body, NODE_DIMENSION, @$, @1.begin, $2, NULL, NULL); }
;

postfix:
  primary
| postfix '[' expression ']'             { $$ = new_operator (body, NODE_INDEX, @$, @2, $1, $3); }
| postfix call                           { $$ = new_list (body, NODE_CALL, @$, @2.begin, $1, $2); }
| postfix "<<<...>>>" '(' arguments ')'  { $$ = new_list (body, NODE_LAUNCH, @$, @2.begin, $1, $4); }
| postfix '.' "name"                     { $$ = new_member (body, @$, $1, @2, @3); }
| postfix "->" "name"                    { $$ = new_member (body, @$, $1, @2, @3); }
| postfix "strings"                      { $$ = new_node (body, NODE_STRING, @$, @1.begin, $1, NULL, NULL); }
| postfix "++ or --"                     { $$ = new_operator (body, NODE_POSTFIX, @$, @2, $1, NULL); }
| "name" list                            { $$ = new_list (body, NODE_CONSTRUCT, @$, @2.begin, new_type (body, @1), (struct node_list){$2->kids, NULL}); }
| "type name" '(' arguments ')'          { $$ = new_list (body, NODE_CONSTRUCT, @$, @2.begin, new_type (body, @1), $3); }
| "type name" list                       { $$ = new_list (body, NODE_CONSTRUCT, @$, @2.begin, new_type (body, @1), (struct node_list){$2->kids, NULL}); }
| "named cast" '(' expression ')'        { $$ = new_cast (body, @$, @1, $3); }
;

primary:
  "name"                                 { $$ = new_name (body, @1); }
| "number"                               { $$ = new_node (body, NODE_NUMBER, @$, @1.begin, NULL, NULL, NULL); }
| "character"                            { $$ = new_node (body, NODE_CHARACTER, @$, @1.begin, NULL, NULL, NULL); }
| "strings"                              { $$ = new_node (body, NODE_STRING, @$, @1.begin, NULL, NULL, NULL); }
| "lambda"                               { $$ = new_lambda (body, @1); }
| "operand"                              { $$ = new_node (body, NODE_SOME, @$, @1.begin, NULL, NULL, NULL); }
| '(' expression ')'                     { $$ = $2; }
| '(' block ')'                          { $$ = new_node (body, NODE_STATEMENTS, @$, @1.begin, $2, NULL, NULL); }
;

call:
  '(' arguments ')'                      { $$ = $2; }
| "( of arguments with statements" mixed ") of statements"
                                         { $$ = $2; }
;

/* Arguments of a macro, at least one of them statements. */
mixed:
  mixed_argument                         { $$ = append (body, NO_LIST, $1); }
| mixed "comma between arguments" mixed_argument
                                         { $$ = append (body, $1, $3); }
;

mixed_argument:
  statements                             { $$ = $1.first ? new_list (body, NODE_BLOCK, @$, @1.begin, NULL, $1) : new_empty (body, @1); }
| statements assignment                  { $$ = new_mixed (body, @$, $1, $2); }
| statements declaration                 { $$ = new_mixed (body, @$, $1, $2); }
| statements statement_argument          { $$ = new_mixed (body, @$, $1, $2); }
;

statement_argument:
  "( of statements" statements ") of statements"
                                         { $$ = new_list (body, NODE_BLOCK, @$, @1.begin, NULL, $2); }
;

arguments:
  %empty                                 { $$ = NO_LIST; }
| argument_list
;

argument_list:
  argument                               { $$ = append (body, NO_LIST, $1); }
| argument_list ',' argument             { $$ = append (body, $1, $3); }
;

argument:
  assignment
| list
| statement_argument
| block
| "type argument"                        { $$ = new_type (body, @1); }
| typed_declaration
| typed_declaration '=' initializer      { $$ = with_declared_value (body, $1, @$, @2, $3); }
| assignment "..."                       { $$ = new_node (body, NODE_PACK, @$, @2.begin, $1, NULL, NULL); }
;

%%

/* Nodes. */

static void finish(struct body *body, struct node *node)
{
    (void)body;
    uint32_t depth = 0;
    tree_each (kid, node)
        if (depth <= kid->depth)
            depth = kid->depth + 1;
    node->depth = depth;
    if (TREE_MAX_DEPTH < depth) {
        /* Deeper than anybody writes: nobody looks into it, rather than the stack in danger. */
        node->kind = NODE_OPAQUE;
        node->flags = OPAQUE_DEEP;
        node->kids = NULL;
        node->depth = 0;
    }
}

static struct node *new_node(struct body *body, enum node_kind kind, struct range where,
                             uint32_t token, struct node *a, struct node *b, struct node *c)
{
    struct node *node = arena_alloc(body->trees->arena, sizeof *node);
    *node = (struct node){.kind = (uint8_t)kind,
                          .token = token,
                          .tokens = where,
                          .id = body->trees->nodes++};
    struct node *const kids[] = {a, b, c};
    struct node **tail = &node->kids;
    for (int i = 0; i < 3; ++i)
        if (kids[i]) {
            *tail = kids[i];
            tail = &kids[i]->next;
        }
    finish(body, node);
    return node;
}

static struct node *new_list(struct body *body, enum node_kind kind, struct range where,
                             uint32_t token, struct node *a, struct node_list list)
{
    struct node *node = new_node(body, kind, where, token, a, NULL, NULL);
    add_kids(node, list);
    finish(body, node);
    return node;
}

static struct node *new_operator(struct body *body, enum node_kind kind, struct range where,
                                 struct range op, struct node *a, struct node *b)
{
    struct node *node = new_node(body, kind, where, op.begin, a, b, NULL);
    node->op = (uint8_t)unit_token(body->unit, op.begin)->kind;
    return node;
}

static struct node *new_empty(struct body *body, struct range where)
{
    return new_node(body, NODE_EMPTY, (struct range){where.end, where.end}, where.end, NULL, NULL,
                    NULL);
}

/* The last identifier of a name with its qualification and template arguments. */
static uint32_t last_identifier(const struct unit *unit, struct range name)
{
    uint32_t res = name.begin;
    for (uint32_t i = name.begin; i < name.end; i = unit_next(unit, i)) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_LESS && token->partner != NO_TOKEN && token->partner < name.end)
            i = token->partner;
        else if (token->kind == TOK_OPERATOR)
            return i;
        else if (token->symbol)
            res = i;
    }
    return res;
}

static struct node *new_name(struct body *body, struct range where)
{
    uint32_t token = last_identifier(body->unit, where);
    struct node *node = new_node(body, NODE_NAME, where, token, NULL, NULL, NULL);
    if (unit_kind(body->unit, where.end - 1) != TOK_IDENT && token + 1 < where.end)
        node->flags |= NAME_TEMPLATE;
    if (token != where.begin)
        node->flags |= NAME_QUALIFIED;
    return node;
}

static void type_word(const struct unit *unit, struct node *type, uint32_t index)
{
    switch (unit_kind(unit, index)) {
    case TOK_SHARED:
        type->flags |= TYPE_SHARED;
        break;
    case TOK_CONSTANT:
        type->flags |= TYPE_CONSTANT;
        break;
    case TOK_EXTERN:
        type->flags |= TYPE_EXTERN;
        break;
    case TOK_STAR:
        type->stars = (uint8_t)(type->stars + (type->stars < 255));
        break;
    case TOK_AMP:
    case TOK_AND_AND:
        type->flags |= TYPE_REFERENCE;
        break;
    case TOK_SPECIFIER: {
        const char *word = unit_token(unit, index)->symbol->text;
        if (!strncmp(word, "const", 5))
            type->flags |= TYPE_CONST;
        else if (!strcmp(word, "static"))
            type->flags |= TYPE_STATIC;
        else if (!strcmp(word, "volatile"))
            type->flags |= TYPE_VOLATILE;
        break;
    }
    case TOK_TYPE:
        if (!strcmp(unit_token(unit, index)->symbol->text, "auto"))
            type->flags |= TYPE_AUTO;
        type->token = index;
        break;
    case TOK_IDENT:
    case TOK_DECLTYPE:
        type->token = index;
        break;
    default:
        break;
    }
}

/* A type's words; what its brackets of any kind hold is not its own. */
static struct node *new_type(struct body *body, struct range where)
{
    const struct unit *unit = body->unit;
    struct node *type = new_node(body, NODE_TYPE, where, where.begin, NULL, NULL, NULL);
    for (uint32_t i = where.begin; i < where.end; i = unit_next(unit, i)) {
        const struct token *token = unit_token(unit, i);
        type_word(unit, type, i);
        if (token->partner != NO_TOKEN && i < token->partner && token->partner < where.end)
            i = token->partner;
    }
    return type;
}

/* TYPE is `(type)`, or `static_cast<type>`. */
static struct node *new_cast(struct body *body, struct range where, struct range type,
                             struct node *operand)
{
    const struct unit *unit = body->unit;
    uint32_t open = type.begin;
    if (unit_kind(unit, open) == TOK_CAST)
        ++open;
    struct node *node =
        new_node(body, NODE_CAST, where, type.begin,
                 new_type(body, (struct range){open + 1, type.end - 1}), operand, NULL);
    node->op = (uint8_t)unit_kind(unit, type.begin);
    return node;
}

static struct node *new_macro_call(struct body *body, struct range name, struct range call,
                                   struct node_list arguments)
{
    return new_list(body, NODE_CALL, (struct range){name.begin, call.end}, call.begin,
                    new_name(body, name), arguments);
}

static struct node *new_mixed(struct body *body, struct range where, struct node_list statements,
                              struct node *last)
{
    if (!statements.first)
        return last;
    return new_list(body, NODE_BLOCK, where, where.begin, NULL, append(body, statements, last));
}

static struct node *reaching(struct node *node, struct range where)
{
    node->tokens = where;
    return node;
}

static struct node *with_value(struct body *body, struct node *declarator, struct range op,
                               struct node *value)
{
    struct range where = {op.begin, value->tokens.end};
    add_kid(declarator, new_node(body, NODE_INITIALIZER, where, op.begin, value, NULL, NULL));
    declarator->tokens.end = where.end;
    finish(body, declarator);
    return declarator;
}

static struct node *with_values(struct body *body, struct node *declarator, struct range where,
                                struct range op, struct node_list values)
{
    struct range inside = {op.begin, where.end};
    add_kid(declarator, new_list(body, NODE_INITIALIZER, inside, op.begin, NULL, values));
    finish(body, declarator);
    return reaching(declarator, where);
}

static struct node *with_declared_value(struct body *body, struct node *declaration,
                                        struct range where, struct range op, struct node *value)
{
    with_value(body, tree_kid(declaration, 1), op, value);
    finish(body, declaration);
    return reaching(declaration, where);
}

static struct node *with_pointers(struct node *declarator, struct range where,
                                  struct pointers pointers)
{
    declarator->stars = (uint8_t)(pointers.stars < 255 ? pointers.stars : 255);
    if (pointers.reference)
        declarator->flags |= DECLARATOR_REFERENCE;
    return reaching(declarator, where);
}

static struct node *with_kids(struct body *body, struct node *declarator, struct range where,
                              unsigned flags, struct node_list kids)
{
    declarator->flags |= (uint8_t)flags;
    add_kids(declarator, kids);
    finish(body, declarator);
    return reaching(declarator, where);
}

static struct node *new_for(struct body *body, struct range where, struct range word,
                            struct node *start, struct node *condition, struct node *step,
                            struct node *statement)
{
    struct node *node = new_node(body, NODE_FOR, where, word.begin, start, condition, step);
    add_kid(node, statement);
    finish(body, node);
    return node;
}

static struct node *new_member(struct body *body, struct range where, struct node *object,
                               struct range op, struct range name)
{
    struct node *node =
        new_node(body, NODE_MEMBER, where, new_name(body, name)->token, object, NULL, NULL);
    node->op = (uint8_t)unit_kind(body->unit, op.begin);
    return node;
}

static struct node *new_declarator(struct body *body, struct range where, struct range name)
{
    uint32_t token = name.begin == NO_TOKEN ? NO_TOKEN : last_identifier(body->unit, name);
    return new_node(body, NODE_DECLARATOR, where, token, NULL, NULL, NULL);
}


static struct node *new_opaque(struct body *body, struct range where, uint32_t token)
{
    return new_node(body, NODE_OPAQUE, where, token, NULL, NULL, NULL);
}

/* WHERE ends with the lambda's body. */
static struct node *new_lambda(struct body *body, struct range where)
{
    uint32_t open = unit_partner(body->unit, where.end - 1);
    struct node *block = tree_body(body->trees, (struct range){open, where.end});
    return new_node(body, NODE_LAMBDA, where, where.begin, block, NULL, NULL);
}

static struct node_list append(struct body *body, struct node_list list, struct node *node)
{
    (void)body;
    if (list.last)
        list.last->next = node;
    else
        list.first = node;
    list.last = node;
    return list;
}

static void add_kids(struct node *node, struct node_list list)
{
    struct node **tail = &node->kids;
    while (*tail)
        tail = &(*tail)->next;
    *tail = list.first;
}

static void add_kid(struct node *node, struct node *kid)
{
    add_kids(node, (struct node_list){kid, kid});
}

static void body_yyerror(const struct range *where, struct body *body, const char *text)
{
    (void)where;
    (void)text;
    body_feed_failed(body);
}
