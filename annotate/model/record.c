/* The layout of structs, classes and unions, by the rules of the Itanium C++ ABI, and enums.  */
#include <config.h>

#include <string.h>

#include "annotate/model/query_p.h"

struct layout {
    struct query *query;
    const struct frame *frame;
    bool is_union, packed, exact;
    uint64_t bits; /* used so far */
    uint64_t size; /* of a union: the largest member */
    uint64_t align;
    VEC(struct type_member) members;
};

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return align ? (value + align - 1) / align * align : value;
}

/* A place for SIZE bytes aligned to ALIGN: its offset. */
static uint64_t place(struct layout *layout, uint64_t size, uint64_t align)
{
    if (layout->align < align)
        layout->align = align;
    if (layout->is_union) {
        if (layout->size < size)
            layout->size = size;
        return 0;
    }
    uint64_t offset = round_up((layout->bits + 7) / 8, align);
    /* What nobody declares in earnest must not overflow. */
    if (UINT64_MAX / 64 < size || UINT64_MAX / 64 < offset) {
        layout->exact = false;
        return 0;
    }
    layout->bits = (offset + size) * 8;
    return offset;
}

static void add_member(struct layout *layout, const struct symbol *name, const struct type *type,
                       uint64_t align)
{
    if (!type->size || !type->exact)
        layout->exact = false;
    uint64_t natural = layout->packed ? 1 : type->align;
    if (natural < align)
        natural = align;
    struct type_member *member = vec_push(&layout->members);
    *member = (struct type_member){name, type, place(layout, type->size, natural ? natural : 1)};
}

/* A bit-field of WIDTH bits never crosses a boundary of its type. */
static void add_bits(struct layout *layout, const struct type *type, uint64_t width)
{
    if (!type->size || type->size * 8 < width) {
        layout->exact = false;
        return;
    }
    uint64_t unit = type->size * 8;
    if (layout->is_union) {
        place(layout, (width + 7) / 8, layout->packed ? 1 : type->align);
        return;
    }
    if (!width) {
        layout->bits = round_up(layout->bits, unit);
        return;
    }
    if (!layout->packed && layout->bits / unit != (layout->bits + width - 1) / unit)
        layout->bits = round_up(layout->bits, unit);
    layout->bits += width;
    if (!layout->packed && layout->align < type->align)
        layout->align = type->align;
}

/* The colon of a bit-field behind the name at TOKEN, or NO_TOKEN. */
static uint32_t bit_field_colon(const struct unit *unit, const struct decl *decl)
{
    uint32_t behind = decl->token + 1;
    return behind < decl->text.end && unit_kind(unit, behind) == TOK_COLON ? behind : NO_TOKEN;
}

static void layout_bits(struct layout *layout, struct decl *decl, uint32_t colon)
{
    struct query *q = layout->query;
    struct range range = {colon + 1, colon + 1};
    while (range.end < decl->text.end && unit_kind(q->unit, range.end) != TOK_COMMA &&
           unit_kind(q->unit, range.end) != TOK_ASSIGN &&
           unit_kind(q->unit, range.end) != TOK_LBRACE)
        ++range.end;
    struct node *width = tree_expression(&q->model->trees, range);
    struct values values;
    /* `unsigned a : 3, b : 5;`: the type is that of the first */
    uint32_t type_end = decl->text.begin;
    while (type_end < colon && !(unit_kind(q->unit, type_end + 1) == TOK_COLON &&
                                 unit_kind(q->unit, type_end) == TOK_IDENT))
        ++type_end;
    struct node *type = tree_type(&q->model->trees, (struct range){decl->text.begin, type_end});
    if (!width || !type || !query_values(q, width, layout->frame, &values) || values.count != 1 ||
        values.items[0].bits < 0) {
        layout->exact = false;
        return;
    }
    add_bits(layout, query_declared(q, type, NULL, layout->frame), (uint64_t)values.items[0].bits);
}

static void layout_member(struct layout *layout, struct decl *decl)
{
    struct query *q = layout->query;
    if (decl->kind != DECL_VARIABLE)
        return;
    if (decl->own != NO_INDEX) {
        /* An anonymous struct or union: its members are reached through it. */
        add_member(layout, NULL, query_record(q, decl->own, layout->frame), 0);
        return;
    }
    uint32_t colon = bit_field_colon(q->unit, decl);
    if (colon != NO_TOKEN) {
        layout_bits(layout, decl, colon);
        return;
    }
    const struct node *declaration, *declarator;
    if (!decl_nodes(q->model, decl, &declaration, &declarator)) {
        layout->exact = false;
        return;
    }
    if (declaration->kids->flags & TYPE_STATIC)
        return;
    const struct type *type = query_decl_type(q, decl, layout->frame);
    if (declarator->flags & DECLARATOR_REFERENCE || declaration->kids->flags & TYPE_REFERENCE) {
        place(layout, 8, 8);
        return;
    }
    add_member(layout, decl->symbol, type,
               query_alignment(q, (struct range){decl->text.begin, decl->token}, layout->frame));
}

/* Whether a member function of the class is virtual: it begins with a pointer then. */
static bool has_virtual(const struct unit *unit, const struct scope *scope)
{
    for (uint32_t i = scope->open + 1; i < scope->tokens.end - 1; ++i) {
        const struct token *token = unit_token(unit, i);
        if (token->kind == TOK_SPECIFIER && !strcmp(token->symbol->text, "virtual"))
            return true;
        if (token->kind == TOK_LBRACE && token->partner != NO_TOKEN && i < token->partner)
            i = token->partner;
    }
    return false;
}

static void layout_bases(struct layout *layout, const struct scope *scope)
{
    struct query *q = layout->query;
    const struct unit *unit = q->unit;
    uint32_t i = scope->tokens.begin;
    while (i < scope->open && unit_kind(unit, i) != TOK_COLON)
        ++i;
    bool virtual_base = false;
    for (; i < scope->open; ++i) {
        if (unit_kind(unit, i) == TOK_SPECIFIER)
            virtual_base = true;
        if (unit_kind(unit, i) != TOK_IDENT)
            continue;
        uint32_t begin = i;
        while (i < scope->open && unit_kind(unit, i) != TOK_COMMA) {
            uint32_t partner = unit_partner(unit, i);
            i = partner != NO_TOKEN && i < partner && partner < scope->open ? partner + 1 : i + 1;
        }
        struct node *type = tree_type(&q->model->trees, (struct range){begin, i});
        const struct type *base =
            type ? query_declared(q, type, NULL, layout->frame) : type_builtin("");
        if (base->kind == TYPE_RECORD && base->exact && base->size == 1 && !base->member_count)
            continue; /* an empty base takes no room */
        add_member(layout, NULL, base, 0);
        /* A member may lie in the padding at the end of a base. */
        layout->exact = false;
    }
    if (virtual_base)
        layout->exact = false;
}

static bool is_packed(const struct unit *unit, struct range range)
{
    for (uint32_t i = range.begin; i < range.end; ++i) {
        const struct symbol *symbol = unit_token(unit, i)->symbol;
        if (symbol && (!strcmp(symbol->text, "packed") || !strcmp(symbol->text, "__packed__")))
            return true;
    }
    return false;
}

static const struct type *layout_record(struct query *q, uint32_t own, const struct frame *frame)
{
    enum { MEMBERS_MAX = 1 << 16 };
    const struct unit *unit = q->unit;
    const struct scope *scope = &unit->scopes.items[own];
    struct layout layout = {.query = q, .frame = frame, .exact = true, .align = 1};
    for (uint32_t i = scope->tokens.begin; i < scope->open; ++i)
        if (unit_kind(unit, i) == TOK_CLASS && !strcmp(unit_token(unit, i)->symbol->text, "union"))
            layout.is_union = true;
    struct range head = {scope->tokens.begin, scope->open};
    struct range tail = {scope->tokens.end, scope->tokens.end};
    while (unit_kind(unit, tail.end) == TOK_ATTRIBUTE || unit_kind(unit, tail.end) == TOK_LPAREN) {
        uint32_t partner = unit_partner(unit, tail.end);
        tail.end = partner != NO_TOKEN && tail.end < partner ? partner + 1 : tail.end + 1;
    }
    layout.packed = is_packed(unit, head) || is_packed(unit, tail);
    layout_bases(&layout, scope);
    if (has_virtual(unit, scope) && !layout.members.count)
        place(&layout, 8, 8);
    size_t seen = 0;
    for (struct decl *decl = model_index(q->model)->members[own].first; decl; decl = decl->next) {
        if (MEMBERS_MAX < ++seen || QUERY_STEPS < q->steps) {
            layout.exact = false;
            break;
        }
        layout_member(&layout, decl);
    }
    uint64_t align = query_alignment(q, head, frame), after = query_alignment(q, tail, frame);
    if (align < after)
        align = after;
    if (layout.align < align)
        layout.align = align;
    struct type *res = arena_zalloc(q->model->arena, 1, sizeof *res);
    *res = (struct type){.kind = TYPE_RECORD,
                         .exact = layout.exact,
                         .align = layout.align,
                         .name = scope->name,
                         .member_count = (unsigned)layout.members.count};
    res->size = round_up(layout.is_union ? layout.size : (layout.bits + 7) / 8, layout.align);
    if (!res->size)
        res->size = layout.align; /* no object is of no size */
    struct type_member *members =
        arena_zalloc(q->model->arena, layout.members.count, sizeof *members);
    if (layout.members.count)
        memcpy(members, layout.members.items, layout.members.count * sizeof *members);
    res->members = members;
    vec_release(&layout.members);
    return res;
}

/* `enum E : type`, or int. */
static const struct type *enum_type(struct query *q, uint32_t own, const struct frame *frame)
{
    const struct unit *unit = q->unit;
    const struct scope *scope = &unit->scopes.items[own];
    for (uint32_t i = scope->tokens.begin; i < scope->open; ++i)
        if (unit_kind(unit, i) == TOK_COLON) {
            struct node *type = tree_type(&q->model->trees, (struct range){i + 1, scope->open});
            return type ? query_declared(q, type, NULL, frame) : type_builtin("int");
        }
    return type_builtin("int");
}

const struct type *query_record(struct query *query, uint32_t own, const struct frame *frame)
{
    struct decl *decl = model_index(query->model)->records[own];
    if (!decl || decl->busy) {
        query->cut |= decl && decl->busy;
        return type_builtin("");
    }
    if (!frame && decl->type)
        return decl->type;
    if (!query_enter(query)) {
        query_leave(query);
        return type_builtin("");
    }
    unsigned before = query->steps;
    decl->busy = true;
    const struct type *res = query->unit->scopes.items[own].kind == SCOPE_ENUM
                                 ? enum_type(query, own, frame)
                                 : layout_record(query, own, frame);
    decl->busy = false;
    query_leave(query);
    /* A record that takes so many steps itself is not worth laying out again. */
    bool too_large = before < QUERY_STEPS / 2 && QUERY_STEPS <= query->steps;
    if (!frame && (!query->cut || too_large))
        decl->type = res;
    return res;
}
