/* Calls whose arguments change: the map says how, in a vocabulary of argument edits. */
#include <config.h>

#include "transform/transform_p.h"

#include <string.h>

enum known { NO, YES, UNKNOWN };

/* Whether the variable at INDEX is a parameter of the function around that is declared with TYPE
   (HIP: its name in HIP, or NULL). UNKNOWN if it is none of its parameters. */
static enum known is_parameter(const struct unit *unit, uint32_t index, const char *type,
                               const char *hip)
{
    const struct function *fn = side_function(unit, index);
    if (!fn)
        return UNKNOWN;
    const struct symbol *variable = unit_token(unit, index)->symbol;
    bool named = false;
    /* The limit keeps many calls in a function of many parameters linear. */
    uint32_t end = fn->params.end - fn->params.begin < 200 ? fn->params.end : fn->params.begin;
    for (uint32_t i = fn->params.begin; i < end; ++i) {
        const struct token *token = unit_token(unit, i);
        const struct symbol *symbol = token->symbol;
        if (token->kind == TOK_COMMA)
            named = false;
        else if (symbol && symbol == variable)
            return named ? YES : NO;
        else if (symbol && (!strcmp(symbol->text, type) || (hip && !strcmp(symbol->text, hip))))
            named = true;
    }
    return UNKNOWN;
}

/* Whether ARG is of the CUDA type TYPE, as far as the file shows: it begins with the type's name (a
   constructor, a cast, or an enumerator of that name), is a string where TYPE is "string", or ends
   in a variable, member or function that is declared with it, or an element of one. */
static bool is_of_type(const struct transform *tr, struct range arg, const char *type)
{
    const struct unit *unit = tr->unit;
    const struct api *api = map_find(tr->options->map, type, strlen(type));
    const char *hip = api ? api->hip : NULL;
    uint32_t first = arg.begin, last = arg.end - 1;
    while (first < last && (unit_token(unit, first)->kind == TOK_LPAREN ||
                            unit_token(unit, first)->kind == TOK_CLASS))
        ++first;
    if (!strcmp(type, "string"))
        return unit_token(unit, first)->kind == TOK_STRING;
    const struct symbol *symbol = unit_token(unit, first)->symbol;
    if (symbol && (!strcmp(symbol->text, type) || (hip && !strcmp(symbol->text, hip))))
        return true;
    const struct token *token = unit_token(unit, last);
    for (int steps = 0;
         steps < 8 && (token->kind == TOK_RPAREN || token->kind == TOK_RBRACKET) &&
         token->partner != NO_TOKEN && arg.begin < token->partner && token->partner < last;
         ++steps) {
        last = token->partner - 1;
        token = unit_token(unit, last);
    }
    if (token->kind != TOK_IDENT)
        return false;
    /* Parameters of overloads have the same name and other types. */
    uint32_t before = unit_prev(unit, last);
    bool member = before != NO_TOKEN && (unit_token(unit, before)->kind == TOK_DOT ||
                                         unit_token(unit, before)->kind == TOK_ARROW);
    enum known parameter = member ? UNKNOWN : is_parameter(unit, last, type, hip);
    if (parameter != UNKNOWN)
        return parameter == YES;
    return token->symbol->type && !strcmp(token->symbol->type->cuda, type);
}

/* Whether the result of the call at INDEX is assigned to a variable of the CUDA type TYPE. */
static bool is_assigned_to(const struct unit *unit, uint32_t index, const char *type)
{
    uint32_t assign = unit_prev(unit, index);
    if (assign == NO_TOKEN || unit_token(unit, assign)->kind != TOK_ASSIGN)
        return false;
    uint32_t variable = unit_prev(unit, assign);
    const struct symbol *symbol = variable == NO_TOKEN ? NULL : unit_token(unit, variable)->symbol;
    /* Declared here, it is of that type whatever another function declares by its name. */
    uint32_t type_name = variable == NO_TOKEN ? NO_TOKEN : unit_prev(unit, variable);
    if (unit_kind(unit, type_name) == TOK_IDENT && unit_token(unit, type_name)->symbol->api)
        return !strcmp(unit_token(unit, type_name)->symbol->text, type);
    return symbol && symbol->type && !strcmp(symbol->type->cuda, type);
}

static const struct arg_change *choose(const struct transform *tr, const struct api *api,
                                       uint32_t index, const struct arguments *args)
{
    int count = args->first_unknown < 0 ? args->count : -1;
    version hip = tr->options->hip_version;
    for (int i = 0; i < api->change_count; ++i) {
        const struct arg_condition *when = &api->changes[i].when;
        if (when->roc == takes_native_name(tr, api) &&
            (!when->host || side_at(tr->unit, index) == SIDE_HOST) &&
            (when->count < 0 || when->count == count) && (!when->before || hip < when->before) &&
            (!when->since || when->since <= hip) &&
            (!when->assigned || is_assigned_to(tr->unit, index, when->assigned)) &&
            (!when->type ||
             (when->arg < count && is_of_type(tr, args->items[when->arg], when->type))))
            return &api->changes[i];
    }
    return NULL;
}

/* Whether ARG is already cast to a pointer to void, so that another cast adds nothing. */
static bool is_void_cast(const struct unit *unit, struct range arg)
{
    uint32_t at = arg.begin;
    const struct token *token = unit_token(unit, at);
    uint32_t open = token->kind == TOK_CAST ? unit_next(unit, at) : at;
    const struct token *bracket = unit_token(unit, open);
    if (bracket->partner == NO_TOKEN || bracket->partner < open || arg.end <= bracket->partner ||
        (bracket->kind != TOK_LPAREN && bracket->kind != TOK_LESS))
        return false;
    bool is_void = false, pointer = false;
    for (uint32_t i = open + 1; i < bracket->partner; ++i) {
        const struct token *t = unit_token(unit, i);
        if (t->kind == TOK_TYPE && !strcmp(t->symbol->text, "void"))
            is_void = true;
        else if (t->kind == TOK_STAR)
            pointer = true;
        else if (t->kind != TOK_SPECIFIER)
            return false;
    }
    return is_void && pointer;
}

static bool is_c_source(const struct transform *tr)
{
    const char *name = tr->t->source.name;
    size_t len = strlen(name);
    return 2 < len && !strcmp(name + len - 2, ".c");
}

/* Whether ARG is already TEXT (...), or a cast where TEXT is one. */
static bool is_wrapped(const struct unit *unit, struct range arg, const char *text)
{
    if (*text == '(' && strstr(text, "void"))
        return is_void_cast(unit, arg);
    uint32_t at = arg.begin;
    for (; *text && at < arg.end; ++at) {
        const struct token *token = unit_token(unit, at);
        if (strncmp(text, unit->source->text + token->offset, token->length))
            return false;
        text += token->length;
        text += strspn(text, " ");
    }
    /* Behind it one token, or parentheses up to the end. */
    return !*text && at < arg.end && (at + 1 == arg.end || unit_partner(unit, at) == arg.end - 1);
}

static struct slot *find_slot(struct slot *slots, int count, int original)
{
    for (int i = 0; i < count; ++i)
        if (slots[i].original == original)
            return &slots[i];
    return NULL;
}

static void insert_slot(struct slot *slots, int *count, int at, struct slot slot)
{
    memmove(&slots[at + 1], &slots[at], (size_t)(*count - at) * sizeof *slots);
    slots[at] = slot;
    ++*count;
}

static void remove_slot(struct slot *slots, int *count, int at)
{
    memmove(&slots[at], &slots[at + 1], (size_t)(*count - at - 1) * sizeof *slots);
    --*count;
}

static void surround(struct transform *tr, struct slot *slot, const char *before,
                     const char *behind)
{
    slot->before = arena_printf(tr->arena, "%s%s", before, slot->before);
    slot->behind = arena_printf(tr->arena, "%s%s", slot->behind, behind);
}

static void apply_op(struct transform *tr, const struct arg_op *op, const struct arguments *args,
                     struct slot *slots, int *count)
{
    const struct unit *unit = tr->unit;
    struct slot *slot = find_slot(slots, *count, op->n);
    int known = args->first_unknown < 0 ? args->count : args->first_unknown;
    bool original = slot && 0 <= op->n && op->n < known;
    bool alone = original && args->items[op->n].begin + 1 == args->items[op->n].end;
    switch (op->kind) {
    case ARG_WRAP:
        if (original && !is_wrapped(unit, args->items[op->n], op->text)) {
            bool comma = has_bare_comma(unit, args->items[op->n]);
            surround(tr, slot, arena_printf(tr->arena, comma ? "%s((" : "%s(", op->text),
                     comma ? "))" : ")");
        }
        break;
    case ARG_CAST:
        if (original && !(strstr(op->text, "void") && is_void_cast(unit, args->items[op->n]))) {
            if (is_c_source(tr))
                surround(tr, slot, arena_printf(tr->arena, "(%s)(", op->text), ")");
            else
                surround(tr, slot, arena_printf(tr->arena, "reinterpret_cast<%s>(", op->text), ")");
        }
        break;
    case ARG_ADDRESS:
        if (original)
            surround(tr, slot, alone ? "&" : "&(", alone ? "" : ")");
        break;
    case ARG_SUFFIX:
        if (original)
            surround(tr, slot, alone ? "" : "(",
                     arena_printf(tr->arena, alone ? "%s" : ")%s", op->text));
        break;
    case ARG_REPLACE:
        if (original)
            slot->text = op->text;
        break;
    case ARG_DROP:
        if (original)
            remove_slot(slots, count, (int)(slot - slots));
        break;
    case ARG_INSERT:
        if (args->first_unknown < 0 || op->n < known)
            insert_slot(slots, count, slot ? (int)(slot - slots) : *count,
                        (struct slot){-1, op->text, "", ""});
        break;
    case ARG_APPEND:
        if (args->first_unknown < 0)
            insert_slot(slots, count, *count, (struct slot){-1, op->text, "", ""});
        break;
    case ARG_MOVE:
        if (original) {
            struct slot moved = *slot;
            remove_slot(slots, count, (int)(slot - slots));
            struct slot *target = find_slot(slots, *count, op->m);
            insert_slot(slots, count, target ? (int)(target - slots) : *count, moved);
        }
        break;
    case ARG_REPEAT:
        if (original) {
            struct slot again = *slot;
            struct slot *target = find_slot(slots, *count, op->m);
            insert_slot(slots, count, target ? (int)(target - slots) : *count, again);
        }
        break;
    case ARG_SWAP: {
        struct slot *other = find_slot(slots, *count, op->m);
        if (original && other) {
            struct slot kept = *slot;
            *slot = *other;
            *other = kept;
        }
        break;
    }
    case ARG_NAME:
    case ARG_REPORT:
    case ARG_NOTE:
    case ARG_WRITE:
        break;
    }
}

static bool has_comment(const struct unit *unit, size_t begin, size_t end)
{
    size_t i = unit_comment_from(unit, begin);
    return i < unit->tokens.comments.count && unit->tokens.comments.items[i].offset < end;
}

/* Behind the comment I; that of a line comment lies before its line's end. */
static uint32_t comment_end(const struct unit *unit, size_t i)
{
    const struct comment *comment = &unit->tokens.comments.items[i];
    uint32_t end = comment->offset + comment->length;
    return unit->source->text[end - 1] == '\r' ? end - 1 : end;
}

/* The comments of the argument I: those before it, and those behind it up to the comma, or at the
   end of the line on which the comma stands. */
struct remarks {
    size_t begin, middle, end; /* indices: [begin, middle) stand before it, [middle, end) behind */
};

/* Behind the comments that follow the comma at COMMA and end its line, else the comma. */
static size_t line_remarks_end(const struct unit *unit, uint32_t comma)
{
    const struct source *source = unit->source;
    size_t at = unit_token(unit, comma)->offset + 1, i = unit_comment_from(unit, at);
    const struct comment *list = unit->tokens.comments.items;
    for (; i < unit->tokens.comments.count; ++i) {
        size_t next = at + strspn(source->text + at, " \t");
        if (list[i].offset != next)
            break;
        at = comment_end(unit, i);
    }
    size_t end = at + strspn(source->text + at, " \t\r");
    return source->text[end] == '\n' ? at : unit_token(unit, comma)->offset + 1;
}

static struct remarks remarks_of(const struct unit *unit, const struct arguments *args, int i)
{
    struct span span = unit_span(unit, args->items[i]);
    uint32_t before = unit_prev(unit, args->items[i].begin);
    uint32_t behind = unit_next(unit, args->items[i].end - 1);
    size_t begin = i ? line_remarks_end(unit, before) : unit_token(unit, before)->offset + 1;
    size_t end =
        i + 1 < args->count ? line_remarks_end(unit, behind) : unit_token(unit, behind)->offset;
    return (struct remarks){unit_comment_from(unit, begin), unit_comment_from(unit, span.begin),
                            unit_comment_from(unit, end)};
}

/* The bytes of argument I with its comments. */
static struct span commented_span(const struct unit *unit, const struct arguments *args, int i)
{
    struct span res = unit_span(unit, args->items[i]);
    struct remarks remarks = remarks_of(unit, args, i);
    const struct comment *list = unit->tokens.comments.items;
    if (remarks.begin < remarks.middle)
        res.begin = list[remarks.begin].offset;
    if (remarks.begin < remarks.end && res.end <= list[remarks.end - 1].offset)
        res.end = comment_end(unit, remarks.end - 1);
    return res;
}

/* Removes argument I, where the last one before it that stays is KEPT, or -1, with a comma and the
   comments that speak of it. */
static void drop_argument(struct transform *tr, const struct arguments *args, int i, int kept)
{
    const struct unit *unit = tr->unit;
    size_t open = unit_token(unit, args->tokens.begin)->offset;
    size_t close = unit_token(unit, args->tokens.end - 1)->offset;
    bool last = i + 1 == args->count;
    if (!has_comment(unit, open, close)) {
        struct span span = unit_span(unit, args->items[i]);
        size_t begin = 0 <= kept && i ? unit_span(unit, args->items[i - 1]).end : span.begin;
        size_t end = begin == span.begin && !last
                         ? unit_token(unit, args->items[i + 1].begin)->offset
                         : span.end;
        edit_add(&tr->t->edits, begin, end - begin, "", EDIT_ARGUMENT);
        return;
    }
    struct span span = commented_span(unit, args, i);
    size_t end = last ? span.end : commented_span(unit, args, i + 1).begin;
    if (last && 0 <= kept)
        replace_token(tr, unit_next(unit, args->items[kept].end - 1), "", EDIT_ARGUMENT);
    edit_add(&tr->t->edits, span.begin, end - span.begin, "", EDIT_ARGUMENT);
}

/* The edits that turn the original arguments into SLOTS. Arguments that stay in place keep their
   bytes and everything between them; only where the order changes are they moved, as whole
   tokens' ranges. */
static void write_slots(struct transform *tr, const struct arguments *args,
                        const struct slot *slots, int count)
{
    const struct unit *unit = tr->unit;
    bool ordered = true;
    for (int i = 0, last = -1; i < count; ++i)
        if (0 <= slots[i].original) {
            ordered &= last < slots[i].original;
            last = slots[i].original;
        }
    uint32_t lparen = args->tokens.begin, rparen = args->tokens.end - 1;
    if (!ordered) {
        /* Written when all edits inside the arguments are known: calls_finish(). */
        struct slot *kept = arena_alloc(tr->arena, (size_t)count * sizeof *kept);
        memcpy(kept, slots, (size_t)count * sizeof *kept);
        *vec_push(&tr->reorders) = (struct reorder){
            .begin = unit_token(unit, lparen)->offset + 1,
            .end = unit_token(unit, rparen)->offset,
            .args = *args,
            .slots = kept,
            .slot_count = count,
        };
        return;
    }
    /* In order: what is missing is dropped with the comma before it (the first with the one
       behind), what is new is inserted. */
    bool kept_any = false;
    int s = 0, kept = -1; /* the last original argument that stays */
    for (int i = 0; i <= args->count; ++i) {
        /* New arguments before the original I. */
        for (; s < count && slots[s].original < 0; ++s) {
            bool last = i == args->count;
            const char *text = slots[s].text;
            if (!last) {
                insert_before(tr, args->items[i].begin, arena_printf(tr->arena, "%s, ", text),
                              EDIT_ARGUMENT);
            } else if (args->count == 0 || !kept_any) {
                insert_before(tr, rparen, kept_any ? arena_printf(tr->arena, ", %s", text) : text,
                              EDIT_ARGUMENT);
                kept_any = true;
            } else if (unit_token(unit, rparen - 1)->kind == TOK_END_DIRECTIVE ||
                       kept + 1 < args->count) {
                /* The last argument ends in a branch, where behind #endif serves all of them; or it
                   is dropped with what stands behind it. */
                insert_before(tr, rparen, arena_printf(tr->arena, ", %s", text), EDIT_ARGUMENT);
            } else {
                insert_behind(tr, args->items[args->count - 1].end - 1,
                              arena_printf(tr->arena, ", %s", text), EDIT_ARGUMENT);
            }
        }
        if (i == args->count)
            break;
        struct range arg = args->items[i];
        if (s < count && slots[s].original == i) {
            struct span span = unit_span(unit, arg);
            if (slots[s].text)
                edit_add(&tr->t->edits, span.begin, span.end - span.begin, slots[s].text,
                         EDIT_ARGUMENT);
            else {
                if (*slots[s].before)
                    insert_before(tr, arg.begin, slots[s].before, EDIT_ARGUMENT);
                if (*slots[s].behind)
                    insert_behind(tr, arg.end - 1, slots[s].behind, EDIT_ARGUMENT);
            }
            kept_any = true;
            kept = i;
            ++s;
            continue;
        }
        drop_argument(tr, args, i, kept);
    }
}

/* Whether a bracket in the call has no partner: then nobody knows where its arguments end. Only
   asked in files with such brackets, and then not over more than LONGEST tokens, so that the whole
   stays linear. */
static bool is_damaged(const struct unit *unit, const struct arguments *args)
{
    enum { LONGEST = 10000 };
    if (!unit->unpaired)
        return false;
    if (LONGEST < args->tokens.end - args->tokens.begin)
        return true;
    for (uint32_t i = args->tokens.begin; i < args->tokens.end; ++i) {
        const struct token *token = unit_token(unit, i);
        switch (token->kind) {
        case TOK_LPAREN:
        case TOK_RPAREN:
        case TOK_LBRACKET:
        case TOK_RBRACKET:
        case TOK_LBRACE:
        case TOK_RBRACE:
            if (token->partner == NO_TOKEN || token->partner < args->tokens.begin ||
                args->tokens.end <= token->partner)
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

/* Whether TEXT is the call of one function, and so needs no parentheses around. */
static bool is_call(const char *text)
{
    text += strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:");
    int depth = 0;
    for (; *text; ++text) {
        depth += (*text == '(') - (*text == ')');
        if (!depth)
            break;
    }
    return *text == ')' && !text[1];
}

/* Puts TEXT in the place of the punctuator at INDEX and of the blanks behind it. */
static void replace_with_blanks(struct transform *tr, uint32_t index, const char *text)
{
    const struct token *token = unit_token(tr->unit, index);
    const char *source = tr->unit->source->text;
    uint32_t end = token->offset + token->length;
    while (source[end] == ' ')
        ++end;
    edit_add(&tr->t->edits, token->offset, end - token->offset, text, EDIT_ARGUMENT);
}

/* The arguments stay where they are; name, parentheses and commas become what stands between them
   in TEXT. */
static void write_call(struct transform *tr, const char *text, uint32_t index,
                       const struct arguments *args)
{
    const struct unit *unit = tr->unit;
    bool call = is_call(text);
    for (int i = 0; i <= args->count; ++i) {
        const char *place = strchr(text, '$');
        size_t len = place ? (size_t)(place - text) : strlen(text);
        const char *piece = arena_strndup(tr->arena, text, len);
        if (i == 0) {
            if (!call)
                piece = arena_printf(tr->arena, "(%s", piece);
            replace_token(tr, index, piece, EDIT_RENAME);
            replace_with_blanks(tr, args->tokens.begin, "");
        } else if (i < args->count) {
            replace_with_blanks(tr, args->items[i - 1].end, piece);
        } else {
            replace_token(tr, args->tokens.end - 1,
                          call ? piece : arena_printf(tr->arena, "%s)", piece), EDIT_ARGUMENT);
        }
        text += len + 2;
    }
    uint32_t colons = unit_prev(unit, index);
    if (colons != NO_TOKEN && unit_token(unit, colons)->kind == TOK_COLON_COLON)
        replace_token(tr, colons, "", EDIT_RENAME);
}

/* Whether name, parentheses and commas of the call at INDEX can be replaced one by one. */
static bool is_writable(const struct unit *unit, uint32_t index, const struct arguments *args,
                        int count)
{
    if (0 <= args->first_unknown || args->count != count)
        return false;
    for (int i = 0; i + 1 < count; ++i)
        if (unit_token(unit, args->items[i].end)->kind != TOK_COMMA)
            return false;
    uint32_t colons = unit_prev(unit, index);
    if (colons == NO_TOKEN || unit_token(unit, colons)->kind != TOK_COLON_COLON)
        return true;
    enum token_kind left = unit_kind(unit, unit_prev(unit, colons));
    return left != TOK_IDENT && left != TOK_GREATER;
}

/* TEXT of `write` for people: *($0) = ($1) is *(a) = (b). */
static const char *readable(struct transform *tr, const char *text)
{
    struct strbuf out = STRBUF_INIT;
    for (; *text; ++text)
        strbuf_addc(&out, *text == '$' ? (char)('a' + (*++text - '0')) : *text);
    const char *res = arena_strndup(tr->arena, out.text, out.len);
    strbuf_release(&out);
    return res;
}

bool call_write(struct transform *tr, const struct api *api, uint32_t index, uint32_t lparen)
{
    struct arguments args;
    if (!unit_arguments(tr->unit, lparen, tr->arena, &args) || is_damaged(tr->unit, &args))
        return false;
    const struct arg_change *change = choose(tr, api, index, &args);
    const struct arg_op *op = change && change->op_count ? change->ops : NULL;
    if (op && op->kind == ARG_REPORT && change->when.host) {
        struct finding *finding =
            report(tr, RULE_API_HOST_CALL, one_token(index), api->cuda, NULL, NULL);
        finding->advice = op->text;
        return true;
    }
    if (!op || op->kind != ARG_WRITE || !is_writable(tr->unit, index, &args, op->n))
        return false;
    if (api->note)
        report(tr, RULE_API_MEANING, one_token(index), api->cuda, readable(tr, op->text),
               api->note);
    write_call(tr, op->text, index, &args);
    return true;
}

void call_rewrite(struct transform *tr, const struct api *api, uint32_t index, uint32_t lparen,
                  const char **name)
{
    struct arguments args;
    /* In a HIP file a name of both is HIP's, and called as its author meant. */
    if (tr->t->hip && api->hip && !strcmp(api->cuda, api->hip))
        return;
    if (!unit_arguments(tr->unit, lparen, tr->arena, &args) || is_damaged(tr->unit, &args))
        return;
    const struct arg_change *change = choose(tr, api, index, &args);
    if (!change)
        return;
    /* A name that stays keeps its arguments, unless this form has another name. */
    bool renamed = false;
    for (int i = 0; i < change->op_count; ++i)
        renamed |= change->ops[i].kind == ARG_NAME || change->ops[i].kind == ARG_REPORT;
    if (!renamed && (tr->options->hip_version < counterpart_added(tr, api) || is_removed(tr, api)))
        return;
    /* In HIP's own source such a call is already one of HIP's. */
    if (!renamed && tr->t->hip && *name && !strcmp(*name, api->cuda))
        return;
    int inserted = 0;
    for (int i = 0; i < change->op_count; ++i) {
        const struct arg_op *op = &change->ops[i];
        inserted += op->kind == ARG_INSERT || op->kind == ARG_APPEND || op->kind == ARG_REPEAT;
        if (op->kind == ARG_NAME)
            *name = op->text;
        if (op->kind == ARG_NOTE)
            report(tr, RULE_API_MEANING, one_token(index), api->cuda, *name, op->text);
        /* {type, id} has no name for its type, so no member of it can be asked for. */
        bool braces = op->kind == ARG_SUFFIX && op->n < args.count &&
                      unit_kind(tr->unit, args.items[op->n].begin) == TOK_LBRACE;
        if (op->kind == ARG_REPORT || braces) {
            report(tr, RULE_API_ARGUMENTS, one_token(index), api->cuda,
                   braces ? "an argument in braces must become its last member" : op->text, NULL);
            *name = NULL;
            return;
        }
    }
    for (int i = 0; i < change->op_count; ++i) {
        const struct arg_op *op = &change->ops[i];
        if ((op->kind == ARG_DROP || op->kind == ARG_REPLACE) && op->n < args.count)
            for (uint32_t t = args.items[op->n].begin; t < args.items[op->n].end; ++t)
                unit_token(tr->unit, t)->flags |= TOKEN_DROPPED;
    }
    struct slot *slots =
        arena_zalloc(tr->arena, (size_t)(args.count + inserted) + 1, sizeof *slots);
    int count = args.count;
    for (int i = 0; i < count; ++i)
        slots[i] = (struct slot){i, NULL, "", ""};
    for (int i = 0; i < change->op_count; ++i)
        apply_op(tr, &change->ops[i], &args, slots, &count);
    write_slots(tr, &args, slots, count);
}

/* Reordered calls. Their arguments are written with all edits that lie inside; a reordered call
   inside another one is written where its argument is. */

struct rendering {
    struct transform *tr;
    const struct edits *edits; /* sorted */
    int depth;
};

enum { MAX_NESTED = 50 };

/* The index of the first edit at or behind OFFSET. */
static size_t first_edit(const struct edits *edits, uint32_t offset)
{
    size_t low;
    vec_search(low, edits->list.count, edits->list.items[low].offset < offset);
    return low;
}

/* The index of the first reordered call whose arguments begin at or behind OFFSET. */
static size_t first_reorder(const struct transform *tr, uint32_t offset)
{
    size_t low;
    vec_search(low, tr->reorders.count, tr->reorders.items[low].begin < offset);
    return low;
}

static void render_reorder(struct rendering *r, const struct reorder *reorder, struct strbuf *out);

/* Appends the source's bytes from BEGIN to END, edited. */
static void render(struct rendering *r, uint32_t begin, uint32_t end, struct strbuf *out)
{
    const struct transform *tr = r->tr;
    const char *source = tr->unit->source->text;
    size_t e = first_edit(r->edits, begin), n = first_reorder(tr, begin);
    uint32_t at = begin;
    while (at < end) {
        const struct edit *edit = e < r->edits->list.count ? &r->edits->list.items[e] : NULL;
        const struct reorder *inner =
            n < tr->reorders.count && r->depth < MAX_NESTED ? &tr->reorders.items[n] : NULL;
        if (inner && inner->begin < at) {
            ++n;
            continue;
        }
        if (inner && end < inner->end)
            inner = NULL;
        if (inner && (!edit || inner->begin <= edit->offset)) {
            strbuf_add(out, source + at, inner->begin - at);
            r->depth++;
            render_reorder(r, inner, out);
            r->depth--;
            at = inner->end;
            e = first_edit(r->edits, at);
            n = first_reorder(tr, at);
            continue;
        }
        if (!edit || end < edit->offset + edit->length || (edit->offset == end && edit->length))
            break;
        if (edit->offset < at) {
            ++e;
            continue;
        }
        strbuf_add(out, source + at, edit->offset - at);
        strbuf_add(out, edit->text, edit->text_len);
        at = edit->offset + edit->length;
        ++e;
    }
    if (at < end)
        strbuf_add(out, source + at, end - at);
}

static bool is_line_comment(const struct unit *unit, size_t i)
{
    return unit->source->text[unit->tokens.comments.items[i].offset + 1] == '/';
}

/* Appends the comment I; a line comment with the line's end and the blanks that follow. */
static void add_comment(const struct unit *unit, size_t i, struct strbuf *out)
{
    const char *begin = unit->source->text + unit->tokens.comments.items[i].offset;
    const char *end = unit->source->text + comment_end(unit, i);
    strbuf_add(out, begin, (size_t)(end - begin));
    if (!is_line_comment(unit, i))
        return;
    strbuf_adds(out, source_newline(unit->source));
    end += strcspn(end, "\n");
    if (*end)
        strbuf_add(out, end + 1, strspn(end + 1, " \t"));
}

/* Appends the argument in SLOT with its comments, and a comma unless it is the LAST: before a line
   comment, behind others. */
static void render_slot(struct rendering *r, const struct arguments *args, const struct slot *slot,
                        bool last, struct strbuf *out)
{
    const struct unit *unit = r->tr->unit;
    if (slot->original < 0) {
        strbuf_printf(out, "%s%s", slot->text, last ? "" : ", ");
        return;
    }
    struct remarks remarks = remarks_of(unit, args, slot->original);
    for (size_t k = remarks.begin; k < remarks.middle; ++k) {
        add_comment(unit, k, out);
        if (!is_line_comment(unit, k))
            strbuf_adds(out, " ");
    }
    struct span span = unit_span(unit, args->items[slot->original]);
    strbuf_adds(out, slot->before);
    if (slot->text)
        strbuf_adds(out, slot->text);
    else
        render(r, span.begin, span.end, out);
    strbuf_adds(out, slot->behind);
    const char *comma = last ? "" : ",", *blank = last ? "" : " ";
    for (size_t k = unit_comment_from(unit, span.end); k < remarks.end; ++k) {
        bool line = is_line_comment(unit, k);
        strbuf_printf(out, "%s ", line ? comma : "");
        add_comment(unit, k, out);
        if (line)
            comma = blank = "";
    }
    strbuf_printf(out, "%s%s", comma, blank);
}

static void render_reorder(struct rendering *r, const struct reorder *reorder, struct strbuf *out)
{
    for (int i = 0; i < reorder->slot_count; ++i)
        render_slot(r, &reorder->args, &reorder->slots[i], i + 1 == reorder->slot_count, out);
}

void calls_finish(struct transform *tr)
{
    if (!tr->reorders.count)
        return;
    struct edits *edits = &tr->t->edits, res = {0};
    edits_finish(edits);
    struct rendering r = {.tr = tr, .edits = edits};
    size_t e = 0;
    uint32_t done = 0;
    vec_each (const struct reorder, reorder, &tr->reorders) {
        if (reorder->begin < done)
            continue; /* inside the one before */
        for (; e < edits->list.count && edits->list.items[e].offset < reorder->begin; ++e)
            *vec_push(&res.list) = edits->list.items[e];
        while (e < edits->list.count && edits->list.items[e].offset < reorder->end)
            ++e;
        struct strbuf text = STRBUF_INIT;
        render_reorder(&r, reorder, &text);
        edit_add_bytes(&res, reorder->begin, reorder->end - reorder->begin,
                       arena_strndup(tr->arena, text.text ? text.text : "", text.len), text.len,
                       EDIT_ARGUMENT);
        strbuf_release(&text);
        done = reorder->end;
    }
    for (; e < edits->list.count; ++e)
        *vec_push(&res.list) = edits->list.items[e];
    edits_release(edits);
    *edits = res;
}
