/* Every entry of the maps, translated where names of its kind stand, with what has the same name
   and must not change around it. What is expected comes from the entry and from a model of the
   argument changes that shares nothing with transform/: a call is a list of strings.

   One test for each map, one for the headers. All findings are compared as well, so that an
   entry that stays is also one that is reported, once and by the right rule. Of each map the first
   failures are shown, all of them with ENTRIES_ALL in the environment.  */
#include <config.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "maps/library.h"
#include "testsuite/unit/common.h"
#include "testsuite/unit/suite.h"

/* Longer than any call that a change is about. */
enum { MAX_ARGS = 64, MAX_RULES = 16, SHOWN = 8 };

struct group {
    const char *name; /* of the map; "headers" for all headers */
    VEC(const struct api *) entries;
};

/* A finding that must be there. */
struct mark {
    uint32_t offset;
    enum rule_id rule;
};

/* A source and what must become of it, written side by side. */
struct snippet {
    struct strbuf in, want;
    VEC(struct mark) marks;
    bool hungry; /* a name was removed: the blanks behind it go too */
};

/* What is asked of the translation. */
struct setting {
    version hip;
    enum library_names libraries;
    bool c; /* a source of C, which has other casts */
};

/* What must become of a name at one place. */
struct outcome {
    const char *name; /* to write; "": nothing */
    bool edited;      /* the arguments are */
    enum rule_id rules[MAX_RULES];
    int rule_count;
};

static struct map *facts;
static VEC(struct group) groups;
static struct arena arena;
static size_t failures;

/* Writing snippets. */

/* Text that stays as it is. */
static void both(struct snippet *s, const char *text)
{
    strbuf_adds(&s->in, text);
    if (s->hungry)
        text += strspn(text, " \t");
    s->hungry = false;
    strbuf_adds(&s->want, text);
}

static void mark(struct snippet *s, const struct outcome *res)
{
    for (int i = 0; i < res->rule_count; ++i)
        *vec_push(&s->marks) = (struct mark){(uint32_t)s->in.len, res->rules[i]};
}

/* The name TEXT, of which RES comes. */
static void word(struct snippet *s, const char *text, const struct outcome *res)
{
    mark(s, res);
    strbuf_adds(&s->in, text);
    s->hungry = false;
    strbuf_adds(&s->want, res->name);
    s->hungry = !*res->name;
}

/* The same text on both sides, with NAME for each @. */
static void pattern(struct snippet *s, const char *format, const char *name)
{
    for (const char *at = format; *at; ++at) {
        char c[2] = {*at};
        both(s, *at == '@' ? name : c);
    }
}

/* The same with what becomes of API, RES, for each @. */
static void uses(struct snippet *s, const char *format, const struct api *api,
                 const struct outcome *res)
{
    for (const char *at = format; *at; ++at) {
        char c[2] = {*at};
        if (*at == '@')
            word(s, api->cuda, res);
        else
            both(s, c);
    }
}

/* What the entries say. */

static void add_rule(struct outcome *res, enum rule_id rule)
{
    ck_assert(res->rule_count < MAX_RULES);
    res->rules[res->rule_count++] = rule;
}

static struct outcome stays(const struct api *api, enum rule_id rule)
{
    return (struct outcome){.name = api->cuda, .rules = {rule}, .rule_count = 1};
}

static bool is_native(const struct api *api, const struct setting *set)
{
    return set->libraries == NAMES_ROC && api->roc;
}

/* Whether all of the library is reported where its header is, instead of each of its names. */
static bool is_reported_whole(const char *name)
{
    const struct library *library = library_of_name(map_libraries(facts), name, strlen(name));
    return library && (library->state == LIBRARY_NONE || library->state == LIBRARY_PORT);
}

/* What becomes of API where it is called, with CHANGE if that is not NULL, or only named. */
static struct outcome expect(const struct api *api, const struct setting *set, bool called,
                             const struct arg_change *change)
{
    /* maps/README, "What is not stated here": what it stands for is decided elsewhere. */
    if (!strcmp(api->cuda, "__CUDA_ARCH__"))
        return stays(api, RULE_API_ARCH_COMPARE);
    if (change && change->op_count && change->ops[0].kind == ARG_WRITE)
        return (struct outcome){.name = api->cuda,
                                .edited = true,
                                .rules = {RULE_API_MEANING},
                                .rule_count = api->note != NULL};
    if (change && change->when.host)
        return stays(api, RULE_API_HOST_CALL);
    bool native = is_native(api, set), qualified = strstr(api->cuda, "::");
    const char *name = native ? api->roc : api->hip;
    if (!name) {
        /* A plain word that is not called is a variable. */
        bool variable = api->kind == API_DEVICE_FUNCTION && !called;
        bool silent = !qualified && (variable || is_reported_whole(api->cuda));
        struct outcome res = stays(api, RULE_API_NO_COUNTERPART);
        res.rule_count = !silent;
        return res;
    }
    struct outcome res = {.name = name};
    bool other_form = false;
    for (int i = 0; change && i < change->op_count; ++i) {
        const struct arg_op *op = &change->ops[i];
        if (op->kind == ARG_REPORT)
            return stays(api, RULE_API_ARGUMENTS);
        if (op->kind == ARG_NAME) {
            res.name = op->text;
            other_form = true;
        }
        if (op->kind == ARG_NOTE)
            add_rule(&res, RULE_API_MEANING);
    }
    if (!other_form && set->hip < (native ? api->hip_life.native : api->hip_life.added))
        return stays(api, RULE_API_NEWER_HIP);
    if (!other_form && api->hip_life.removed && api->hip_life.removed <= set->hip)
        return stays(api, RULE_API_REMOVED_HIP);
    if (api->note)
        add_rule(&res, RULE_API_MEANING);
    res.edited = change;
    return res;
}

/* The model of argument changes. */

struct argument {
    int original; /* -1: a new one */
    const char *text;
    bool dropped;
};

struct call {
    struct argument args[MAX_ARGS];
    int count;
    int given; /* so many arguments in the source */
};

/* Where the original argument N stands; the end for what would be the next one. */
static int place_of(const struct call *call, int n)
{
    for (int i = 0; i < call->count; ++i)
        if (call->args[i].original == n)
            return i;
    ck_assert_msg(n == call->given, "no argument %d", n);
    return call->count;
}

static void put(struct call *call, int at, struct argument arg)
{
    ck_assert(call->count < MAX_ARGS);
    for (int i = call->count++; at < i; --i)
        call->args[i] = call->args[i - 1];
    call->args[at] = arg;
}

static struct argument take(struct call *call, int at)
{
    struct argument res = call->args[at];
    --call->count;
    for (int i = at; i < call->count; ++i)
        call->args[i] = call->args[i + 1];
    return res;
}

static bool is_word(const char *text)
{
    return !text[strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789")];
}

static void apply(struct call *call, const struct arg_op *op, bool c)
{
    int at;
    struct argument *arg = NULL;
    switch (op->kind) {
    case ARG_NAME:
    case ARG_REPORT:
    case ARG_NOTE:
        return;
    case ARG_APPEND:
        put(call, call->count, (struct argument){-1, op->text, false});
        return;
    case ARG_INSERT:
        put(call, place_of(call, op->n), (struct argument){-1, op->text, false});
        return;
    default:
        at = place_of(call, op->n);
        ck_assert(at < call->count);
        arg = &call->args[at];
        break;
    }
    switch (op->kind) {
    case ARG_WRAP:
        arg->text = arena_printf(&arena, "%s(%s)", op->text, arg->text);
        break;
    case ARG_CAST:
        arg->text =
            arena_printf(&arena, c ? "(%s)(%s)" : "reinterpret_cast<%s>(%s)", op->text, arg->text);
        break;
    case ARG_ADDRESS:
        arg->text = arena_printf(&arena, is_word(arg->text) ? "&%s" : "&(%s)", arg->text);
        break;
    case ARG_SUFFIX:
        arg->text =
            arena_printf(&arena, is_word(arg->text) ? "%s%s" : "(%s)%s", arg->text, op->text);
        break;
    case ARG_REPLACE:
        arg->text = op->text;
        break;
    case ARG_DROP:
        arg->dropped = true;
        break;
    case ARG_MOVE: {
        struct argument moved = take(call, at);
        put(call, place_of(call, op->m), moved);
        break;
    }
    case ARG_REPEAT: {
        struct argument again = *arg;
        put(call, place_of(call, op->m), again);
        break;
    }
    case ARG_SWAP: {
        int other = place_of(call, op->m);
        struct argument kept = call->args[at];
        ck_assert(other < call->count);
        call->args[at] = call->args[other];
        call->args[other] = kept;
        break;
    }
    default:
        ck_abort_msg("an operation that the model does not know");
    }
}

/* The number of arguments that the operation names. */
static int arguments_named(const struct arg_op *op)
{
    switch (op->kind) {
    case ARG_NAME:
    case ARG_REPORT:
    case ARG_NOTE:
    case ARG_APPEND:
        return 0;
    case ARG_INSERT:
    case ARG_WRITE:
        return op->n;
    case ARG_MOVE:
    case ARG_REPEAT:
        return op->n + 1 < op->m ? op->m : op->n + 1;
    case ARG_SWAP:
        return (op->n < op->m ? op->m : op->n) + 1;
    default:
        return op->n + 1;
    }
}

/* A call as the conditions see it. */
struct form {
    int count;
    int typed; /* an argument that is of type TYPE, or -1 */
    const char *type;
    const char *assigned; /* the type of the variable that takes the result, or NULL */
    int change;           /* the alternative that asks for the types */
    bool complex;         /* its arguments are more than words */
    bool host;            /* it stands in a function for the host */
};

/* The alternative for a call of that form, or NULL where there is none. */
static const struct arg_change *choose(const struct api *api, const struct setting *set,
                                       const struct form *form)
{
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_condition *when = &api->changes[i].when;
        if (when->roc != is_native(api, set))
            continue;
        if (when->host && !form->host)
            continue;
        if (when->count != -1 && when->count != form->count)
            continue;
        if (when->before && when->before <= set->hip)
            continue;
        if (when->since && set->hip < when->since)
            continue;
        if (when->type && !(form->typed == when->arg && !strcmp(form->type, when->type)))
            continue;
        if (when->assigned && !(form->assigned && !strcmp(form->assigned, when->assigned)))
            continue;
        return &api->changes[i];
    }
    return NULL;
}

/* Whether a condition asks for what is written there, and not for a type: the text of a string or
   an enumerator, which NAME is then. */
static bool is_written(const char *name)
{
    const struct api *api = map_find(facts, name, strlen(name));
    return !strcmp(name, "string") || (api && api->kind == API_ENUMERATOR);
}

/* Arguments as people write them; the words alone are told from the others by some operations. */
static const char *argument_text(const struct form *form, int n)
{
    if (n == form->typed && is_written(form->type))
        return strcmp(form->type, "string") ? form->type : "\"text\"";
    if (n == form->typed)
        return arena_printf(&arena, "typed_%d", form->change);
    if (!form->complex)
        return arena_printf(&arena, "arg_%d", n);
    switch (n % 4) {
    case 0:
        return arena_printf(&arena, "&list[%d]", n);
    case 1:
        return arena_printf(&arena, "pick(%d, 'c', \"a, b)\")", n);
    case 2:
        return arena_printf(&arena, "left_%d * (right + 1)", n);
    default:
        return arena_printf(&arena, "where->field_%d", n);
    }
}

static void write_call(struct strbuf *out, const char *name, const struct call *call)
{
    strbuf_printf(out, "%s(", name);
    bool any = false;
    for (int i = 0; i < call->count; ++i) {
        if (call->args[i].dropped)
            continue;
        strbuf_printf(out, any ? ", %s" : "%s", call->args[i].text);
        any = true;
    }
    strbuf_addc(out, ')');
}

/* The whole call as `write` wants it; one that is no call itself is in parentheses. */
static void write_anew(struct strbuf *out, const char *text, const struct call *call)
{
    const char *open = strchr(text, '(');
    size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:");
    int depth = 0;
    for (const char *at = open; at && *at; ++at) {
        depth += (*at == '(') - (*at == ')');
        if (!depth && at[1])
            open = NULL;
    }
    bool alone = open == text + word;
    strbuf_adds(out, alone ? "" : "(");
    for (; *text; ++text)
        if (*text == '$')
            strbuf_adds(out, call->args[*++text - '0'].text);
        else
            strbuf_addc(out, *text);
    strbuf_adds(out, alone ? "" : ")");
}

static void add_call(struct snippet *s, const struct api *api, const struct setting *set,
                     const struct form *form)
{
    const struct arg_change *change = choose(api, set, form);
    bool anew = change && change->op_count && change->ops[0].kind == ARG_WRITE;
    if (anew && change->ops[0].n != form->count) {
        change = NULL;
        anew = false;
    }
    /* Where the condition does not hold the enumerator would be renamed as everywhere. */
    if (form->type && is_written(form->type) && change != &api->changes[form->change])
        return;
    for (int i = 0; change && i < change->op_count; ++i)
        if (form->count < arguments_named(&change->ops[i]))
            return; /* no call of this API has so few */
    struct outcome res = expect(api, set, true, change);
    struct call call = {.count = form->count, .given = form->count};
    for (int i = 0; i < form->count; ++i)
        call.args[i] = (struct argument){i, argument_text(form, i), false};
    both(s,
         form->assigned ? arena_printf(&arena, "    taker_%d = ", form->change) : "    result = ");
    mark(s, &res);
    write_call(&s->in, api->cuda, &call);
    if (anew) {
        write_anew(&s->want, change->ops[0].text, &call);
        both(s, ";\n");
        return;
    }
    for (int i = 0; res.edited && i < change->op_count; ++i)
        apply(&call, &change->ops[i], set->c);
    write_call(&s->want, res.name, &call);
    both(s, ";\n");
}

static int most_arguments(const struct api *api)
{
    int res = 3;
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_change *change = &api->changes[i];
        if (res < change->when.count)
            res = change->when.count;
        if (res < change->when.arg + 1 && change->when.type)
            res = change->when.arg + 1;
        for (int k = 0; k < change->op_count; ++k)
            if (res < arguments_named(&change->ops[k]))
                res = arguments_named(&change->ops[k]);
    }
    return res;
}

/* Snippets. */

/* The line that makes the HIP headers declare the name, if it is needed. */
static void add_define(struct snippet *s, const struct api *api, const struct setting *set)
{
    const char *before = api->define ? strstr(api->define, " before ") : NULL;
    version limit = 0;
    if (!before || !version_parse(before + 8, strlen(before + 8), &limit))
        return;
    if (api->hip_life.added <= set->hip && set->hip < limit)
        strbuf_printf(&s->want, "#define %.*s\n", (int)(before - api->define), api->define);
}

/* The line of a header that the name needs besides. */
static void add_needed(struct snippet *s, const struct api *api, const struct setting *set)
{
    if (api->needs && !is_native(api, set) && api->hip_life.added <= set->hip)
        strbuf_printf(&s->want, "#include <%s>\n", api->needs);
}

static void add_runtime(struct snippet *s)
{
    strbuf_adds(&s->in, "#include <cuda_runtime.h>\n");
    strbuf_adds(&s->want, "#include <hip/hip_runtime.h>\n");
}

/* Text in which NAME is no name of the API. */
static void add_bystanders(struct snippet *s, const char *name)
{
    pattern(s,
            "/* @ in a comment, @(1) */\n"
            "const char *text = \"@\", *call = \"@(a, b)\", *raw = R\"x(@(1))x\";\n"
            "int result; // @\n",
            name);
    if (strstr(name, "::"))
        return;
    pattern(s,
            "int my_@_zz, zz@, @_zz;\n"
            "void other(struct thing x, struct thing *y)\n"
            "{\n"
            "    x.@ = y->@;\n"
            "    y->@(1, x.@(2));\n"
            "}\n",
            name);
}

static void add_user_names(struct snippet *s, const char *declaration, const char *use,
                           const char *name)
{
    both(s, "namespace my {\n");
    pattern(s, declaration, name);
    both(s, "}\n");
    pattern(s, use, name);
}

static void add_calls(struct snippet *s, const struct api *api, const struct setting *set,
                      bool host)
{
    int most = most_arguments(api);
    for (int complex = 0; complex < 2; ++complex) {
        for (int count = complex; count <= most; ++count)
            add_call(s, api, set,
                     &(struct form){.count = count, .typed = -1, .complex = complex, .host = host});
        for (int i = 0; i < api->change_count; ++i) {
            const struct arg_condition *when = &api->changes[i].when;
            struct form form = {
                .count = 0 <= when->count ? when->count : most,
                .typed = when->type ? when->arg : -1,
                .type = when->type,
                .assigned = when->assigned,
                .change = i,
                .complex = complex,
                .host = host,
            };
            if (when->type || when->assigned)
                add_call(s, api, set, &form);
        }
    }
}

/* extern TYPE NAME; */
static void declare(struct snippet *s, const struct setting *set, const char *type,
                    const char *name)
{
    const struct api *entry = map_find(facts, type, strlen(type));
    ck_assert_msg(entry != NULL, "no entry for the type %s", type);
    struct outcome res = expect(entry, set, false, NULL);
    uses(s, "extern @ ", entry, &res);
    both(s, name);
    both(s, ";\n");
}

/* Declares the variables of the types that changes ask for. */
static void add_variables(struct snippet *s, const struct api *api, const struct setting *set)
{
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_condition *when = &api->changes[i].when;
        if (when->type && !is_written(when->type))
            declare(s, set, when->type, arena_printf(&arena, "typed_%d", i));
        if (when->assigned)
            declare(s, set, when->assigned, arena_printf(&arena, "taker_%d", i));
    }
}

static void make_function(struct snippet *s, const struct api *api, const struct setting *set)
{
    struct outcome named = expect(api, set, false, NULL);
    if (!strstr(api->cuda, "::"))
        add_user_names(s, "void @(int a);\nstruct has { int @(int b); };\n",
                       "void call_mine()\n{\n    my::@(1);\n}\n", api->cuda);
    add_variables(s, api, set);
    both(s, api->kind == API_DEVICE_FUNCTION ? "__global__ void kernel(int *list)\n{\n"
                                             : "void caller(int *list)\n{\n");
    add_calls(s, api, set, api->kind != API_DEVICE_FUNCTION);
    uses(s, "    take(@, 1);\n}\n", api, &named);
    for (int i = 0; i < api->change_count; ++i)
        if (api->changes[i].when.host) {
            both(s, "void on_the_host(int *list)\n{\n");
            add_calls(s, api, set, true);
            both(s, "}\n");
            return;
        }
}

static void make_type(struct snippet *s, const struct api *api, const struct setting *set)
{
    struct outcome res = expect(api, set, false, NULL);
    add_user_names(s, "struct @ { int member; };\n@ *inside;\n", "my::@ *mine;\n", api->cuda);
    uses(s,
         "extern @ one;\n"
         "@ *two(const @ &first, @ second[3]);\n"
         "typedef @ three;\n"
         "void caller(void *list)\n"
         "{\n"
         "    @ local;\n"
         "    (void)sizeof(@);\n"
         "    take((@ *)list, static_cast<const @ *>(list));\n"
         "    std::vector<@> many;\n"
         "}\n",
         api, &res);
    bool renamed = strcmp(res.name, api->cuda) != 0;
    /* The tag of a type need not be one in HIP. */
    if (api->kind == API_TYPE && renamed) {
        strbuf_adds(&s->in, "struct ");
        uses(s, "@ *tagged;\n", api, &res);
    } else if (api->kind == API_TYPE) {
        uses(s, "struct @ *tagged;\n", api, &res);
    }
}

static void make_enumerator(struct snippet *s, const struct api *api, const struct setting *set)
{
    struct outcome res = expect(api, set, false, NULL);
    add_user_names(s, "enum some { @, other_one };\n", "void call_mine()\n{\n    take(my::@);\n}\n",
                   api->cuda);
    uses(s,
         "void caller(int given)\n"
         "{\n"
         "    take(1, @);\n"
         "    take(@, given == @ ? 1 : 2);\n"
         "    switch (given) {\n",
         api, &res);
    bool absent = res.rule_count &&
                  (res.rules[0] == RULE_API_NO_COUNTERPART || res.rules[0] == RULE_API_NEWER_HIP ||
                   res.rules[0] == RULE_API_REMOVED_HIP);
    if (absent) {
        /* The label goes with its statement. */
        strbuf_adds(&s->in, "    case ");
        *vec_push(&s->marks) = (struct mark){(uint32_t)s->in.len, RULE_API_CASE_ABSENT};
        strbuf_printf(&s->in, "%s:\n        take((int)%s | 1);\n", api->cuda, api->cuda);
    } else {
        uses(s,
             "    case @:\n"
             "        take((int)@ | 1);\n",
             api, &res);
    }
    both(s, "    }\n}\n");
}

static void make_macro(struct snippet *s, const struct api *api, const struct setting *set)
{
    struct outcome res = expect(api, set, false, NULL);
    uses(s,
         "void caller(int given)\n"
         "{\n"
         "    given = @ ;\n"
         "    take(@);\n"
         "    given = 1 + @ + 2;\n"
         "}\n",
         api, &res);
    if (!api->change_count) {
        struct outcome called = expect(api, set, true, NULL);
        uses(s, "int from_macro = take(1, @ (3));\n", api, &called);
    }
}

/* NAME is a path; only its first part is known to be a namespace, and what is below counts. */
static void make_path(struct snippet *s, const struct api *api, const struct setting *set)
{
    struct outcome res = expect(api, set, false, NULL);
    if (api->kind == API_NAMESPACE) {
        uses(s,
             "using namespace @;\n"
             "namespace shorter = @;\n"
             "@::zz_unknown one;\n"
             "::@::zz_unknown<int> two(const @::zz_unknown *);\n",
             api, &res);
    } else {
        uses(s,
             "typedef @<int, 3> one;\n"
             "@ two(const @<float> &first);\n"
             "void caller()\n"
             "{\n"
             "    typename @<int>::TempStorage local;\n"
             "    take(@(), ::@<int>(1));\n"
             "}\n",
             api, &res);
    }
    pattern(s, "void call_mine()\n{\n    my::@ *mine;\n}\n", api->cuda);
}

/* A field of a variable, parameter or element of its struct; the user's own struct has its own. */
static void make_field(struct snippet *s, const struct api *api, const struct setting *set)
{
    const char *field = strrchr(api->cuda, ':') + 1;
    size_t len = (size_t)(strstr(api->cuda, "::") - api->cuda);
    const struct api *type = map_find(facts, api->cuda, len);
    ck_assert_msg(type && type->hip, "%s: no such struct", api->cuda);
    struct outcome own = expect(type, set, false, NULL), res = {.name = field};
    if (!api->hip)
        res = (struct outcome){field, .rules = {RULE_API_NO_COUNTERPART}, .rule_count = 1};
    else if (api->hip_life.added <= set->hip)
        res.name = api->hip;
    both(s, "int caller(");
    word(s, type->cuda, &own);
    both(s, " value, ");
    word(s, type->cuda, &own);
    both(s, " *list, other *mine)\n{\n    return value . ");
    word(s, field, &res);
    both(s, " + list->");
    word(s, field, &res);
    both(s, " + list[1].");
    word(s, field, &res);
    pattern(s, " + mine->@;\n}\n", field);
}

static struct outcome expect_header(const struct api *api, const struct setting *set,
                                    const char *path)
{
    if (api->action != HEADER_REPLACE)
        return (struct outcome){.name = api->action == HEADER_DROP ? "" : path};
    bool native = is_native(api, set);
    struct outcome res = {.name = path};
    if (!native && !api->hip) {
        add_rule(&res, RULE_API_NO_COUNTERPART);
        return res;
    }
    if (set->hip < (native ? api->hip_life.native : api->hip_life.added)) {
        add_rule(&res, RULE_API_NEWER_HIP);
        return res;
    }
    res.edited = true;
    res.name = native ? api->roc : api->hip;
    size_t len = strlen(res.name);
    if (3 < len && !strcmp(res.name + len - 4, "/..."))
        res.name =
            arena_printf(&arena, "%.*s%s", (int)len - 3, res.name, path + strlen(api->cuda) - 3);
    if (api->note)
        add_rule(&res, RULE_API_MEANING);
    return res;
}

/* #include of PATH between OPEN and CLOSE; nothing stays of the line where GONE says so. */
static void add_include(struct snippet *s, const char *path, const struct outcome *res,
                        const char *quotes, bool gone)
{
    strbuf_adds(&s->in, "#include ");
    mark(s, res);
    strbuf_printf(&s->in, "%c%s%c\n", quotes[0], path, quotes[1]);
    if (!gone)
        strbuf_printf(&s->want, "#include %c%s%c\n", quotes[0], res->name, quotes[1]);
}

static void make_header(struct snippet *s, const struct api *api, const struct setting *set,
                        bool covered)
{
    const char *path = api->cuda;
    size_t len = strlen(path);
    if (3 < len && !strcmp(path + len - 4, "/..."))
        path = arena_printf(&arena, "%.*szz_unknown/zz.h", (int)len - 3, path);
    ck_assert(map_find_header(facts, path, strlen(path)) == api);
    struct outcome res = expect_header(api, set, path);
    pattern(s, "// @ is a header\n", path);
    if (covered) {
        strbuf_printf(&s->in, "#include <%s>\n", api->covered_by);
        strbuf_printf(&s->want, "#include <%s>\n", api->covered_by);
    }
    bool dropped = !*res.name || (covered && res.edited);
    const char *runtime = "hip/hip_runtime.h";
    /* What the user's own header looks for comes from further down. */
    bool keeps = api->action == HEADER_KEEP;
    const char *first = (res.edited && !dropped) || keeps ? api->after : NULL;
    if (first)
        strbuf_printf(&s->want, "#include <%s>\n", first);
    add_include(s, path, &res, "<>", dropped);
    pattern(s, "const char *text = \"@\"; /* @ */\n", path);
    add_include(s, path, &res, "\"\"", dropped || res.edited);
    pattern(s, "#include \"my/@\"\n", path);
    strbuf_adds(&s->in, "#include <cuda_runtime.h>\n");
    bool there = (res.edited && !dropped && !strcmp(res.name, runtime)) ||
                 (covered && !strcmp(api->covered_by, runtime)) ||
                 (first && !strcmp(first, runtime));
    if (!there)
        strbuf_printf(&s->want, "#include <%s>\n", runtime);
}

static void make(struct snippet *s, const struct api *api, const struct setting *set)
{
    add_define(s, api, set);
    add_needed(s, api, set);
    add_runtime(s);
    add_bystanders(s, api->cuda);
    switch (api->kind) {
    case API_FUNCTION:
    case API_DEVICE_FUNCTION:
        make_function(s, api, set);
        break;
    case API_TYPE:
    case API_DEVICE_TYPE:
        if (strstr(api->cuda, "::"))
            make_path(s, api, set);
        else
            make_type(s, api, set);
        break;
    case API_ENUMERATOR:
        if (strstr(api->cuda, "::"))
            make_path(s, api, set);
        else
            make_enumerator(s, api, set);
        break;
    case API_MACRO:
        make_macro(s, api, set);
        break;
    case API_NAMESPACE:
    case API_CLASS:
    case API_VARIABLE:
        make_path(s, api, set);
        break;
    case API_FIELD:
        make_field(s, api, set);
        break;
    default:
        ck_abort_msg("%s: a kind without a test", api->cuda);
    }
}

/* Checking. */

/* Says of the line at GOT that it should be the one at WANT. */
static void complain(const struct api *api, const struct setting *set, const char *what,
                     const char *got, const char *want)
{
    char buf[VERSION_TEXT];
    if (SHOWN < ++failures && !getenv("ENTRIES_ALL"))
        return;
    printf("# %s (%s, HIP %s%s%s): %s\n#   got:  %.*s\n#   want: %.*s\n", api->cuda,
           api_kind_word(api->kind), version_format(set->hip, buf),
           set->libraries == NAMES_ROC ? ", roc" : "", set->c ? ", C" : "", what,
           (int)strcspn(got, "\n"), got, (int)strcspn(want, "\n"), want);
}

/* The beginning of the first line in which A and B differ, in A. */
static size_t first_difference(const char *a, const char *b)
{
    size_t line = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; ++i)
        if (a[i] == '\n')
            line = i + 1;
    return line;
}

static int compare_marks(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (int)x->rule - (int)y->rule;
}

static void check_findings(const struct api *api, const struct setting *set,
                           const struct translation *t, struct snippet *s)
{
    VEC(struct mark) got = {0};
    vec_each (const struct finding, finding, &t->findings.list)
        *vec_push(&got) = (struct mark){finding->span.begin, finding->rule};
    if (got.count)
        qsort(got.items, got.count, sizeof *got.items, compare_marks);
    if (s->marks.count)
        qsort(s->marks.items, s->marks.count, sizeof *s->marks.items, compare_marks);
    size_t i = 0;
    while (i < got.count && i < s->marks.count && !compare_marks(&got.items[i], &s->marks.items[i]))
        ++i;
    if (i < got.count || i < s->marks.count) {
        const struct mark none = {UINT32_MAX, 0};
        const struct mark *a = i < got.count ? &got.items[i] : &none;
        const struct mark *b = i < s->marks.count ? &s->marks.items[i] : &none;
        uint32_t offset = a->offset < b->offset ? a->offset : b->offset;
        while (offset && s->in.text[offset - 1] != '\n')
            --offset;
        complain(api, set,
                 arena_printf(&arena, "finding %s instead of %s in",
                              a->offset <= b->offset ? rule_get(a->rule)->name : "none",
                              b->offset <= a->offset ? rule_get(b->rule)->name : "none"),
                 s->in.text + offset, "");
    }
    vec_release(&got);
}

static void translate_text(struct translation *t, struct strbuf *out, const struct strbuf *in,
                           const struct setting *set)
{
    char *copy = xmalloc(in->len + SOURCE_PADDING);
    memcpy(copy, in->text, in->len);
    memset(copy + in->len, 0, SOURCE_PADDING);
    struct translate_options options = {
        .map = facts,
        .hip_version = set->hip,
        .libraries = set->libraries,
    };
    translate(t, set->c ? "entry.c" : "entry.cu", copy, in->len, &options);
    translation_text(t, out);
    strbuf_add(out, "", 0);
}

static void check_snippet(const struct api *api, const struct setting *set, struct snippet *s)
{
    struct translation t;
    struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
    translate_text(&t, &once, &s->in, set);
    if (once.len != s->want.len || strcmp(once.text, s->want.text)) {
        size_t at = first_difference(once.text, s->want.text);
        complain(api, set, "translated wrongly", once.text + at, s->want.text + at);
    }
    check_findings(api, set, &t, s);
    translation_release(&t);
    translate_text(&t, &twice, &once, set);
    if (once.len != twice.len || strcmp(once.text, twice.text)) {
        size_t at = first_difference(once.text, twice.text);
        complain(api, set, "a second run changes it", twice.text + at, once.text + at);
    }
    translation_release(&t);
    strbuf_release(&once);
    strbuf_release(&twice);
    strbuf_release(&s->in);
    strbuf_release(&s->want);
    vec_release(&s->marks);
}

static void check_setting(const struct api *api, const struct setting *set)
{
    struct snippet s = {0};
    if (api->kind != API_HEADER) {
        make(&s, api, set);
        check_snippet(api, set, &s);
    } else {
        make_header(&s, api, set, false);
        check_snippet(api, set, &s);
        if (api->covered_by) {
            struct snippet covered = {0};
            make_header(&covered, api, set, true);
            check_snippet(api, set, &covered);
        }
    }
    arena_release(&arena);
}

struct settings {
    VEC(struct setting) list;
};

static void add_setting(struct settings *settings, version hip, enum library_names libraries)
{
    vec_each (const struct setting, set, &settings->list)
        if (set->hip == hip && set->libraries == libraries && !set->c)
            return;
    *vec_push(&settings->list) = (struct setting){hip, libraries, false};
}

static bool has_cast(const struct api *api)
{
    for (int i = 0; i < api->change_count; ++i)
        for (int k = 0; k < api->changes[i].op_count; ++k)
            if (api->changes[i].ops[k].kind == ARG_CAST)
                return true;
    return false;
}

/* The newest HIP, and both sides of each version from which on something is otherwise. */
static void check_entry(const struct api *api)
{
    version newest = map_newest_hip(facts);
    struct settings settings = {0};
    for (int roc = 0, last = api->roc ? 1 : 0; roc <= last; ++roc) {
        enum library_names libraries = roc ? NAMES_ROC : NAMES_HIP;
        add_setting(&settings, newest, libraries);
        if (has_cast(api))
            *vec_push(&settings.list) = (struct setting){newest, libraries, true};
        version added = roc ? api->hip_life.native : api->hip_life.added;
        if (added) {
            add_setting(&settings, added, libraries);
            add_setting(&settings, added - 1, libraries);
        }
        if (api->hip_life.removed)
            add_setting(&settings, api->hip_life.removed - 1, libraries);
        for (int i = 0; i < api->change_count; ++i) {
            const struct arg_condition *when = &api->changes[i].when;
            if (when->before)
                add_setting(&settings, when->before - 1, libraries);
            if (when->since)
                add_setting(&settings, when->since, libraries);
        }
    }
    if (api->define)
        add_setting(&settings, VERSION(6, 4, 0), NAMES_HIP);
    vec_each (const struct setting, set, &settings.list)
        check_setting(api, set);
    vec_release(&settings.list);
}

START_TEST(test_entries)
{
    const struct group *group = &groups.items[_i];
    failures = 0;
    for (size_t i = 0; i < group->entries.count; ++i)
        check_entry(group->entries.items[i]);
    fflush(stdout);
    ck_assert_msg(!failures, "%s: %zu checks of %zu entries failed, see above", group->name,
                  failures, group->entries.count);
}
END_TEST

static void add_entry(const struct api *api, void *context)
{
    size_t *count = context;
    ++*count;
    const char *name = api->kind == API_HEADER ? "headers" : api->library;
    struct group *res = NULL;
    vec_each (struct group, group, &groups)
        if (!strcmp(group->name, name))
            res = group;
    if (!res) {
        res = vec_push(&groups);
        *res = (struct group){.name = name};
    }
    *vec_push(&res->entries) = api;
}

int main(void)
{
    facts = load_facts();
    size_t count = 0;
    map_lookup(facts, "", true, add_entry, &count);
    if (!count || count != map_count(facts)) {
        printf("Bail out! %zu of %zu entries are listed\n", count, map_count(facts));
        return 99;
    }
    Suite *suite = suite_create("entries");
    TCase *tcase = tcase_create("maps");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, test_entries, 0, (int)groups.count);
    suite_add_tcase(suite, tcase);
    int status = run_suite(suite);
    map_free(facts);
    vec_each (struct group, group, &groups)
        vec_release(&group->entries);
    vec_release(&groups);
    return status;
}
