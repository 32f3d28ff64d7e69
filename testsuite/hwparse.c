/* The parser alone: prints what it found in each file, one line an island.

   usage: hwparse [--trees|--opaque|--opaque-all|--constants|--launches|--launches-headers|
                   --asserts] FILE...

   --trees   the trees of all bodies
   --opaque  what is not understood in device code, and how much of it is;
             --opaque-all: in all functions
   --constants  the values of macros, constants, enumerators and template parameters, the types
             of shared objects, and how many of their dimensions are known
   --launches   the launches with what the model knows of them, and for how many of them it knows
             the block; --launches-headers: with the values of names in the headers that a file
             includes by #include "..."
   --asserts  what the model knows of the file's structs and constants as static_asserts, which a
             compiler can be asked about  */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/model/facts.h"
#include "annotate/model/launch.h"
#include "annotate/model/query_p.h"
#include "base/xalloc.h"
#include "parser/measure.h"
#include "parser/tree.h"
#include "parser/unit.h"

/* The tokens of RANGE with a blank between them. */
static void print_range(const struct unit *unit, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_END_DIRECTIVE)
            continue;
        if (i != range.begin)
            putchar(' ');
        if (token->symbol)
            fputs(token->symbol->text, stdout);
        else
            fwrite(unit->source->text + token->offset, 1, token->length, stdout);
    }
}

static void print_field(const struct unit *unit, const char *name, struct range range)
{
    if (range.begin >= range.end)
        return;
    printf(" %s[", name);
    print_range(unit, range);
    putchar(']');
}

static void print_condition(const struct unit *unit, const struct condition *c)
{
    switch (c->kind) {
    case COND_OPAQUE:
        fputs("opaque", stdout);
        break;
    case COND_NUMBER:
        printf("%lld", c->value);
        break;
    case COND_NAME:
        fputs(unit_token(unit, c->token)->symbol->text, stdout);
        break;
    case COND_DEFINED:
        printf("defined:%s", unit_token(unit, c->token)->symbol->text);
        break;
    case COND_CALL:
        printf("call:%s", unit_token(unit, c->token)->symbol->text);
        break;
    case COND_UNARY:
    case COND_BINARY:
    case COND_TERNARY:
        printf("(%s", token_kind_name(c->op));
        for (int i = 0; i < 3 && c->arg[i]; ++i) {
            putchar(' ');
            print_condition(unit, c->arg[i]);
        }
        putchar(')');
        break;
    }
}

static unsigned line_of(struct source *source, const struct unit *unit, uint32_t token)
{
    return source_location(source, unit_token(unit, token)->offset).line;
}

static void print_unit(struct source *source, const struct unit *unit)
{
    static const char *const regions[] = {"", " hip-side", " cuda-side"};
    static const char *const scopes[] = {"namespace", "class", "enum", "function"};
    static const char *const function_flags[] = {"global",   "device", "host",        "template",
                                                 "in-macro", "friend", "device-macro"};
    static const char *const variable_flags[] = {"shared", "constant", "device", "managed",
                                                 "extern"};
    vec_each (const struct directive, d, &unit->directives) {
        printf("%u directive %s", line_of(source, unit, d->tokens.begin), token_kind_name(d->kind));
        if (d->name != NO_TOKEN) {
            putchar(' ');
            print_range(unit, (struct range){d->name, d->name + 1});
        }
        if (d->function_like)
            fputs(" function-like", stdout);
        print_field(unit, "params", d->params);
        print_field(unit, "body", d->body);
        if (d->condition) {
            fputs(" if ", stdout);
            print_condition(unit, d->condition);
        }
        printf("%s%s\n", regions[d->region], d->guard ? " guard" : "");
    }
    vec_each (const struct scope, scope, &unit->scopes) {
        printf("%u scope %s %s", line_of(source, unit, scope->tokens.begin), scopes[scope->kind],
               scope->name ? scope->name->text : "-");
        printf(" to %u", line_of(source, unit, scope->tokens.end - 1));
        if (scope->parent != NO_INDEX)
            printf(" in %s", unit->scopes.items[scope->parent].name
                                 ? unit->scopes.items[scope->parent].name->text
                                 : "-");
        putchar('\n');
    }
    vec_each (const struct function, fn, &unit->functions) {
        printf("%u function %s", line_of(source, unit, fn->name),
               unit_token(unit, fn->name)->symbol->text);
        for (int i = 0; i < 7; ++i)
            if (fn->flags & 1u << i)
                printf(" %s", function_flags[i]);
        print_field(unit, "bounds", fn->bounds);
        print_field(unit, "params", fn->params);
        if (fn->body.begin < fn->body.end)
            printf(" body to %u", line_of(source, unit, fn->body.end - 1));
        putchar('\n');
    }
    vec_each (const struct variable, variable, &unit->variables) {
        printf("%u variable %s", line_of(source, unit, variable->name),
               unit_token(unit, variable->name)->symbol->text);
        for (int i = 0; i < 5; ++i)
            if (variable->flags & 1u << i)
                printf(" %s", variable_flags[i]);
        putchar('\n');
    }
    vec_each (const struct launch, launch, &unit->launches) {
        printf("%u launch", line_of(source, unit, launch->open));
        print_field(unit, "callee", launch->callee);
        for (int i = 0; i < launch->config_count; ++i)
            print_field(unit, "config", launch->config[i]);
        printf(" args %d", launch->arg_count);
        for (int i = 0; i < launch->arg_count; ++i)
            print_field(unit, "arg", launch->args[i]);
        putchar('\n');
    }
}

static void print_tree(const struct unit *unit, const struct node *node)
{
    printf("(%s", node_kind_name(node->kind));
    if (node->op)
        printf(" %s", token_kind_name(node->op));
    for (unsigned i = 0; i < node->stars; ++i)
        fputs(" *", stdout);
    if (node->flags)
        printf(" flags=%x", node->flags);
    if (node->kind == NODE_NAME || node->kind == NODE_TYPE || node->kind == NODE_OPAQUE ||
        node->kind == NODE_NUMBER)
        print_field(unit, "", node->tokens);
    else if ((node->kind == NODE_DECLARATOR || node->kind == NODE_MEMBER ||
              node->kind == NODE_FIELD) &&
             node->token != NO_TOKEN)
        print_field(unit, "", (struct range){node->token, node->token + 1});
    tree_each (kid, node) {
        putchar(' ');
        print_tree(unit, kid);
    }
    putchar(')');
}

static void print_opaque(struct source *source, const struct unit *unit, const struct node *node)
{
    if (node->kind == NODE_OPAQUE) {
        printf("%s:%u: opaque %u at %s", source->name, line_of(source, unit, node->tokens.begin),
               node->tokens.end - node->tokens.begin,
               token_kind_name(unit_kind(unit, node->token)));
        printf(" `%s'\n", unit_quote(unit, node->tokens));
    }
    tree_each (kid, node)
        print_opaque(source, unit, kid);
}

enum mode {
    MODE_ISLANDS,
    MODE_TREES,
    MODE_CONSTANTS,
    MODE_LAUNCHES,
    MODE_ASSERTS,
    MODE_LAUNCHES_HEADERS,
    MODE_OPAQUE,
    MODE_OPAQUE_ALL
};

/* Of all files. */
static uint64_t all_tokens, all_opaque;

static void print_bodies(struct source *source, const struct unit *unit, enum mode mode)
{
    struct arena arena = ARENA_INIT;
    struct trees trees;
    trees_init(&trees, unit, &arena);
    struct measure measure;
    measure_init(&measure, unit);
    vec_each (const struct function, fn, &unit->functions) {
        if (fn->body.begin >= fn->body.end)
            continue;
        if (mode == MODE_OPAQUE && !function_on_device(fn))
            continue;
        const struct node *tree = tree_body(&trees, fn->body);
        measure_add(&measure, fn->body, tree);
        if (mode != MODE_TREES) {
            print_opaque(source, unit, tree);
            continue;
        }
        printf("%u %s ", line_of(source, unit, fn->name), unit_token(unit, fn->name)->symbol->text);
        print_tree(unit, tree);
        putchar('\n');
    }
    all_tokens += measure.tokens;
    all_opaque += measure.opaque;
    measure_release(&measure);
    arena_release(&arena);
}

/* Dimensions of shared arrays in all files, and those whose values are known. */
static uint64_t all_dimensions, known_dimensions;

static void print_constant(const struct constant *c)
{
    for (unsigned i = 0; i < c->count; ++i)
        printf("%s%lld", i ? ", " : " = ", (long long)c->values[i]);
}

static void print_type(const struct type *type)
{
    static const char *const kinds[] = {"unknown", "void",   "bool",    "integer", "floating",
                                        "vector",  "record", "pointer", "array"};
    printf(" %s", kinds[type->kind]);
    if (type->size)
        printf(" %llu/%llu", (unsigned long long)type->size, (unsigned long long)type->align);
    if (!type->exact)
        putchar('?');
    if (type->kind == TYPE_ARRAY) {
        printf(" [%llu] of", (unsigned long long)type->count);
        print_type(type->element);
    }
}

static void print_dimensions(struct model *model, struct source *source,
                             const struct shared_object *object)
{
    tree_each (kid, object->declarator) {
        struct constant c;
        if (kid->kind != NODE_DIMENSION || !kid->kids)
            continue;
        ++all_dimensions;
        if (constant_of(model, kid->kids, &c)) {
            ++known_dimensions;
            continue;
        }
        printf("%s:%u: unknown dimension", source->name, line_of(source, model->unit, kid->token));
        print_field(model->unit, "", kid->tokens);
        putchar('\n');
    }
}

static void print_model(struct source *source, const struct unit *unit)
{
    static const char *const kinds[] = {"macro",          "variable",      "local",     "parameter",
                                        "template value", "template type", "enumerator"};
    struct arena arena = ARENA_INIT;
    struct model model;
    model_init(&model, unit, &arena, NULL);
    const struct model_names *names = model_index(&model);
    const struct decl_table *const tables[] = {&names->macros, &names->decls};
    for (int t = 0; t < 2; ++t)
        vec_each (struct decl *, item, &tables[t]->list) {
            struct decl *decl = *item;
            struct constant c;
            if (DECL_ENUMERATOR < decl->kind ||
                !constant_of_name(&model, decl->symbol, decl->begin, &c))
                continue;
            printf("%u %s %s", line_of(source, unit, decl->token), kinds[decl->kind],
                   decl->symbol->text);
            print_constant(&c);
            putchar('\n');
        }
    size_t count;
    const struct shared_object *objects = model_shared_objects(&model, &count);
    for (size_t i = 0; i < count; ++i) {
        const struct symbol *name = tree_symbol(unit, objects[i].declarator);
        printf("%u shared %s%s", line_of(source, unit, objects[i].declarator->tokens.begin),
               name ? name->text : "-", objects[i].dynamic ? " dynamic" : "");
        print_type(objects[i].type);
        putchar('\n');
        print_dimensions(&model, source, &objects[i]);
    }
    model_release(&model);
    arena_release(&arena);
}

/* Of all files. */
static uint64_t all_launches, known_launches;

static void print_set(const struct constant *c)
{
    if (!c->count)
        putchar('?');
    for (unsigned i = 0; i < c->count; ++i)
        printf("%s%lld", i ? "|" : "", (long long)c->values[i]);
}

static void print_dims(const struct unit *unit, const char *name, const struct launch_dim dims[3])
{
    printf(" %s(", name);
    for (int i = 0; i < 3; ++i) {
        if (i)
            putchar(',');
        print_set(&dims[i].value);
    }
    putchar(')');
    for (int i = 0; i < 3; ++i)
        if (dims[i].expression && !dims[i].value.count)
            print_field(unit, "", dims[i].expression->tokens);
}

/* A header that a file includes, with all that lives as long. */
struct header {
    char *path;
    struct arena arena;
    struct source source;
    struct symbol_table symbols;
    struct unit unit;
    struct model model;
    struct model_options options;
    struct model_facts facts;
};

typedef VEC(struct header *) header_list;
typedef VEC(const struct model_facts *) facts_list;

static bool read_source(struct source *source, const char *path);

static void parse(struct source *source, struct symbol_table *symbols, struct arena *arena,
                  struct unit *unit);

static void read_includes(const struct unit *unit, const char *path, unsigned depth,
                          header_list *seen, facts_list *facts);

/* The facts of the file at PATH, and before them those of what it includes, become part of FACTS.
 */
static void read_header(char *path, unsigned depth, header_list *seen, facts_list *facts)
{
    enum { DEPTH = 8 };
    vec_each (struct header *, other, seen)
        if (!strcmp((*other)->path, path)) {
            free(path);
            return;
        }
    struct header *header = xmalloc(sizeof *header);
    *header = (struct header){.path = path, .arena = ARENA_INIT};
    if (DEPTH < depth || !read_source(&header->source, path)) {
        free(path);
        free(header);
        return;
    }
    *vec_push(seen) = header;
    parse(&header->source, &header->symbols, &header->arena, &header->unit);
    read_includes(&header->unit, path, depth + 1, seen, facts);
    /* The list moves while it grows; a model keeps a copy. */
    const struct model_facts **own =
        arena_zalloc(&header->arena, facts->count, sizeof(const struct model_facts *));
    if (facts->count)
        memcpy(own, facts->items, facts->count * sizeof *own);
    header->options.facts = own;
    header->options.fact_count = facts->count;
    model_init(&header->model, &header->unit, &header->arena, &header->options);
    model_facts_read(&header->facts, &header->model, &header->arena);
    *vec_push(facts) = &header->facts;
}

/* What UNIT, the file at PATH, includes by #include "...". */
static void read_includes(const struct unit *unit, const char *path, unsigned depth,
                          header_list *seen, facts_list *facts)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
    vec_each (const struct directive, d, &unit->directives) {
        if (d->kind != TOK_PP_INCLUDE || d->name == NO_TOKEN)
            continue;
        const struct token *token = unit_token(unit, d->name);
        const char *text = unit->source->text + token->offset;
        if (token->kind != TOK_HEADER || token->length < 3 || *text != '"')
            continue;
        char *name = xmalloc(folder + token->length);
        memcpy(name, path, folder);
        memcpy(name + folder, text + 1, token->length - 2);
        name[folder + token->length - 2] = '\0';
        read_header(name, depth, seen, facts);
    }
}

static void release_headers(header_list *seen)
{
    vec_each (struct header *, item, seen) {
        struct header *header = *item;
        model_release(&header->model);
        unit_release(&header->unit);
        symbol_table_release(&header->symbols);
        arena_release(&header->arena);
        source_release(&header->source);
        free(header->path);
        free(header);
    }
    vec_release(seen);
}

static void print_launches(struct source *source, const struct unit *unit, bool headers)
{
    struct arena arena = ARENA_INIT;
    struct model model;
    size_t count;
    header_list seen = {0};
    facts_list facts = {0};
    if (headers)
        read_includes(unit, source->name, 0, &seen, &facts);
    const struct model_options options = {.facts = facts.items, .fact_count = facts.count};
    model_init(&model, unit, &arena, &options);
    const struct launch_site *sites = model_launches(&model, &count);
    for (const struct launch_site *site = sites; site != sites + count; ++site) {
        printf("%s:%u: %s%s", source->name, line_of(source, unit, site->token),
               site->kernel ? site->kernel->text : "-",
               site->function == NO_INDEX ? " elsewhere" : "");
        print_field(unit, "<>", site->template_arguments);
        print_dims(unit, "grid", site->grid);
        print_dims(unit, "block", site->block);
        if (site->shared) {
            fputs(" shared ", stdout);
            print_set(&site->shared_bytes);
            if (!site->shared_bytes.count)
                print_field(unit, "", site->shared->tokens);
        }
        if (site->stream)
            print_field(unit, "stream", site->stream->tokens);
        if (site->cooperative)
            fputs(" cooperative", stdout);
        if (site->open)
            fputs(" open", stdout);
        if (site->block_known)
            puts(" known");
        else if (site->unknown_at == NO_TOKEN)
            puts(" unknown");
        else {
            printf(" unknown for line %u", line_of(source, unit, site->unknown_at));
            print_field(unit, "", (struct range){site->unknown_at, site->unknown_at + 1});
            putchar('\n');
        }
        known_launches += site->block_known;
    }
    all_launches += count;
    model_release(&model);
    arena_release(&arena);
    release_headers(&seen);
    vec_release(&facts);
}

static bool read_source(struct source *source, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    struct strbuf text = STRBUF_INIT;
    char chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file));)
        strbuf_add(&text, chunk, got);
    fclose(file);
    size_t len = text.len;
    strbuf_add(&text, "\0\0", SOURCE_PADDING);
    source_init(source, path, text.text, len);
    return true;
}

static void parse(struct source *source, struct symbol_table *symbols, struct arena *arena,
                  struct unit *unit)
{
    struct diag diag = DIAG_INIT;
    symbol_table_init(symbols, arena, lexer_on_new, NULL);
    unit_parse(unit, source, symbols, arena, &diag);
    diag_release(&diag);
}

static void assert_record(const char *name, const struct type *type)
{
    printf("static_assert(sizeof(%s) == %llu && alignof(%s) == %llu, \"\");\n", name,
           (unsigned long long)type->size, name, (unsigned long long)type->align);
    for (unsigned i = 0; i < type->member_count; ++i)
        if (type->members[i].name)
            printf("static_assert(__builtin_offsetof(%s, %s) == %llu, \"\");\n", name,
                   type->members[i].name->text, (unsigned long long)type->members[i].offset);
}

static void assert_constant(const char *name, const struct constant *c, const struct type *type)
{
    if (!constant_single(c))
        return;
    printf("static_assert(%s == (decltype(%s))%lluull, \"\");\n", name, name,
           (unsigned long long)c->values[0]);
    if (type->kind == TYPE_INTEGER)
        printf("static_assert(sizeof(%s) == %llu && ((decltype(%s))-1 < 0) == %d, \"\");\n", name,
               (unsigned long long)type->size, name, type->is_signed);
}

static void print_asserts(const struct unit *unit)
{
    struct arena arena = ARENA_INIT;
    struct model model;
    model_init(&model, unit, &arena, NULL);
    const struct model_names *names = model_index(&model);
    for (struct decl *decl = names->members[unit->scopes.count].first; decl; decl = decl->next) {
        struct query query;
        struct constant c;
        query_init(&query, &model);
        if (!decl->symbol)
            continue;
        if (decl->kind == DECL_RECORD) {
            const struct type *type = query_record(&query, decl->own, NULL);
            if (type->exact)
                assert_record(decl->symbol->text, type);
        } else if (decl->kind == DECL_VARIABLE &&
                   constant_of_name(&model, decl->symbol, decl->begin, &c)) {
            assert_constant(decl->symbol->text, &c, query_decl_type(&query, decl, NULL));
        }
    }
    model_release(&model);
    arena_release(&arena);
}

int main(int argc, char **argv)
{
    int status = 0, first = 1;
    enum mode mode = MODE_ISLANDS;
    if (argc > 1 && !strcmp(argv[1], "--trees"))
        mode = MODE_TREES;
    else if (argc > 1 && !strcmp(argv[1], "--opaque"))
        mode = MODE_OPAQUE;
    else if (argc > 1 && !strcmp(argv[1], "--opaque-all"))
        mode = MODE_OPAQUE_ALL;
    else if (argc > 1 && !strcmp(argv[1], "--constants"))
        mode = MODE_CONSTANTS;
    else if (argc > 1 && !strcmp(argv[1], "--launches"))
        mode = MODE_LAUNCHES;
    else if (argc > 1 && !strcmp(argv[1], "--asserts"))
        mode = MODE_ASSERTS;
    else if (argc > 1 && !strcmp(argv[1], "--launches-headers"))
        mode = MODE_LAUNCHES_HEADERS;
    first += mode != MODE_ISLANDS;
    for (int i = first; i < argc; ++i) {
        struct source source;
        if (!read_source(&source, argv[i])) {
            perror(argv[i]);
            status = 2;
            continue;
        }
        struct arena arena = ARENA_INIT;
        struct symbol_table symbols;
        symbol_table_init(&symbols, &arena, lexer_on_new, NULL);
        struct diag diag = DIAG_INIT;
        struct unit unit;
        unit_parse(&unit, &source, &symbols, &arena, &diag);
        if (mode == MODE_ISLANDS)
            print_unit(&source, &unit);
        else if (mode == MODE_LAUNCHES || mode == MODE_LAUNCHES_HEADERS)
            print_launches(&source, &unit, mode == MODE_LAUNCHES_HEADERS);
        else if (mode == MODE_CONSTANTS)
            print_model(&source, &unit);
        else if (mode == MODE_ASSERTS)
            print_asserts(&unit);
        else
            print_bodies(&source, &unit, mode);
        diag_flush(&diag, stdout);
        diag_release(&diag);
        unit_release(&unit);
        symbol_table_release(&symbols);
        arena_release(&arena);
        source_release(&source);
    }
    if (mode == MODE_CONSTANTS)
        printf("%llu of %llu shared dimensions are known\n", (unsigned long long)known_dimensions,
               (unsigned long long)all_dimensions);
    if (all_launches)
        printf("the block of %llu of %llu launches is known, %.1f %%\n",
               (unsigned long long)known_launches, (unsigned long long)all_launches,
               100.0 * (double)known_launches / (double)all_launches);
    if (MODE_OPAQUE <= mode) {
        unsigned share = measure_share(all_tokens, all_opaque);
        printf("%llu of %llu tokens are opaque, %u.%02u %% are not\n",
               (unsigned long long)all_opaque, (unsigned long long)all_tokens, share / 100,
               share % 100);
    }
    return status;
}
