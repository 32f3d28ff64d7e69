/* The tokens of a body as the grammar (bodies.y) wants them: each is asked what it is (glance.h),
   and told apart by what came before it. */
#include <config.h>

#include "parser/feed_p.h"

void body_feed_init(struct body *body, struct trees *trees, enum body_start start,
                    struct range range)
{
    *body = (struct body){
        .trees = trees,
        .unit = trees->unit,
        .start = start,
        .at = range.begin,
        .end = range.end,
        .place = start == BODY_STATEMENTS ? PLACE_STATEMENT : PLACE_INSIDE,
        .rest_at = NO_TOKEN,
    };
    *vec_push(&body->open) = (struct body_bracket){.token = NO_TOKEN, .partner = NO_TOKEN};
}

void body_feed_release(struct body *body)
{
    vec_release(&body->open);
}

struct body_bracket *feed_open(struct body *body, uint32_t index)
{
    struct body_bracket *res = vec_push(&body->open);
    *res = (struct body_bracket){.token = index, .partner = unit_partner(body->unit, index)};
    return res;
}

void body_feed_failed(struct body *body)
{
    body->failed = true;
    body->stopped = body->last;
    /* A bracket that the last token closed stays open for the search; one that it opened is none.
     */
    body->open.count = body->last_open;
}

/* Behind the statement that AT lies in, directly in the block that closes at CLOSE. */
static uint32_t statement_end(const struct unit *unit, uint32_t at, uint32_t close)
{
    while (at < close) {
        enum token_kind kind = unit_kind(unit, at);
        if (kind == TOK_SEMICOLON)
            return body_step(unit, at);
        bool block = kind == TOK_LBRACE && body_opens_pair(unit, at, close);
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE)
            at = body_opens_pair(unit, at, close) ? body_step_pair(unit, at) : body_step(unit, at);
        else
            at = body_step(unit, at);
        if (!block)
            continue;
        switch (unit_kind(unit, at)) {
        case TOK_SEMICOLON:
        case TOK_COMMA:
        case TOK_RPAREN:
        case TOK_LPAREN:
        case TOK_DOT:
        case TOK_ASSIGN:
            break;
        default:
            return at;
        }
    }
    return close;
}

/* The rest of the statement that the grammar did not accept. */
static int feed_rest(struct body *body, struct range *where)
{
    const struct unit *unit = body->unit;
    size_t block = body->open.count;
    while (0 < block && !body->open.items[block - 1].block)
        --block;
    /* An island that is no list of statements has nothing to go on with, and the same token twice
       would be one time after the other. */
    if (block == 0 || body->rest_at == body->last)
        return BODY_YYEOF;
    body->rest_at = body->last;
    uint32_t close = body->open.items[block - 1].partner;
    uint32_t at = body->last;
    if (block < body->open.count) {
        const struct body_bracket *outer = &body->open.items[block];
        if (outer->partner != NO_TOKEN && outer->partner < close)
            at = body_step(unit, outer->partner);
    }
    body->open.count = block;
    body->failed = false;
    body->place = PLACE_STATEMENT;
    body->operand = body->declarator = body->argument = body->member = false;
    body->type_next = body->label = false;
    body->parenthesis = PLACE_INSIDE;
    body->open.items[block - 1].choices = 0;
    body->open.items[block - 1].declares = false;
    body->at = statement_end(unit, at, close);
    where->begin = body->last;
    where->end = body_end_before(unit, body->last, body->at);
    return REST;
}

int feed_open_brace(struct body *body, uint32_t first, bool block)
{
    if (!body_opens_pair(body->unit, first, body->end))
        return operator_to(body, body_step(body->unit, first), OTHER);
    feed_open(body, first)->block = block;
    uint32_t next = body_step(body->unit, first);
    return block ? statement_behind(body, next, BLOCK_OPEN) : operator_to(body, next, LIST_OPEN);
}

/* Whether what AT is goes on with the operand before it, as in `sizeof (a)[0]`. */
static bool goes_on(const struct unit *unit, uint32_t at)
{
    enum token_kind kind = unit_kind(unit, at);
    return kind == TOK_LBRACKET || kind == TOK_DOT || kind == TOK_ARROW || kind == TOK_LPAREN;
}

static int feed_open_parenthesis(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    bool after_sizeof = unit_kind(unit, body->last) == TOK_SIZEOF && !body->operand;
    enum body_place inside = body->parenthesis;
    body->parenthesis = PLACE_INSIDE;
    if (!body_opens_pair(unit, first, body->end))
        return operator_to(body, body_step(unit, first), OTHER);
    uint32_t inner = body_step(unit, first);
    bool plain =
        !body->operand && !inside && !body->declarator && unit_kind(unit, body->last) != TOK_CAST;
    if (plain && after_sizeof && !goes_on(unit, body_step_pair(unit, first)) &&
        inner != unit_partner(unit, first) &&
        body_whole_type_end(unit, inner, unit_partner(unit, first)) == unit_partner(unit, first))
        return operand_to(body, body_step_pair(unit, first), TYPE_OPERAND);
    if (plain && !after_sizeof && body_is_cast(unit, first, body->end))
        return operator_to(body, body_step_pair(unit, first), CAST);
    if (plain && unit_kind(unit, inner) == TOK_LBRACE) { /* ({ ... }) */
        feed_open(body, first);
        return statement_behind(body, inner, '(');
    }
    struct body_bracket *bracket = feed_open(body, first);
    bracket->control = inside != PLACE_INSIDE;
    bracket->call = body->operand || inside == PLACE_STATEMENT;
    if (bracket->call && feed_has_statements(unit, first)) {
        bracket->mixed = bracket->block = true;
        return statement_behind(body, inner, MIXED_OPEN);
    }
    body->argument = bracket->call;
    if (inside == PLACE_FOR || inside == PLACE_CONDITION)
        body->place = inside;
    return operator_to(body, inner, '(');
}

static int feed_open_bracket(struct body *body, uint32_t first)
{
    if (!body_opens_pair(body->unit, first, body->end))
        return operator_to(body, body_step(body->unit, first), OTHER);
    int lambda = body->operand || body->declarator ? 0 : feed_lambda(body, first);
    if (lambda)
        return lambda;
    feed_open(body, first);
    body->declarator = false;
    return operator_to(body, body_step(body->unit, first), '[');
}

static int feed_close(struct body *body, uint32_t first)
{
    uint32_t next = body_step(body->unit, first);
    struct body_bracket *bracket = innermost(body);
    if (bracket->partner != first)
        return operator_to(body, next, OTHER);
    struct body_bracket closed = *bracket;
    body->open.count--;
    switch (unit_kind(body->unit, first)) {
    case TOK_RPAREN:
        if (closed.block && closed.control)
            return statement_behind(body, next, STATEMENTS_CLOSE);
        if (closed.block)
            return operand_to(body, next, STATEMENTS_CLOSE);
        return closed.control ? statement_behind(body, next, ')') : operand_to(body, next, ')');
    case TOK_RBRACKET:
        return operand_to(body, next, ']');
    default:
        return closed.block ? statement_behind(body, next, BLOCK_CLOSE)
                            : operand_to(body, next, LIST_CLOSE);
    }
}

/* An operator or a punctuator that stands for itself. */
static int operator_token(enum token_kind kind)
{
    switch (kind) {
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
    case TOK_CARET:
        return '^';
    case TOK_AMP:
        return '&';
    case TOK_PIPE:
        return '|';
    case TOK_TILDE:
        return '~';
    case TOK_BANG:
        return '!';
    case TOK_ASSIGN:
        return '=';
    case TOK_AND_AND:
        return AND_AND;
    case TOK_OR_OR:
        return OR_OR;
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
        return EQUAL;
    case TOK_LESS:
    case TOK_GREATER:
    case TOK_LESS_EQUAL:
    case TOK_GREATER_EQUAL:
        return RELATION;
    case TOK_SHIFT_LEFT:
    case TOK_SHIFT_RIGHT:
        return SHIFT;
    case TOK_DOT_STAR:
    case TOK_ARROW_STAR:
        return DOT_STAR;
    case TOK_PLUS_ASSIGN:
    case TOK_MINUS_ASSIGN:
    case TOK_STAR_ASSIGN:
    case TOK_SLASH_ASSIGN:
    case TOK_PERCENT_ASSIGN:
    case TOK_CARET_ASSIGN:
    case TOK_AMP_ASSIGN:
    case TOK_PIPE_ASSIGN:
    case TOK_SHIFT_LEFT_ASSIGN:
    case TOK_SHIFT_RIGHT_ASSIGN:
        return ASSIGN;
    default:
        return OTHER;
    }
}

static int feed_colon(struct body *body, uint32_t first)
{
    struct body_bracket *bracket = innermost(body);
    uint32_t next = body_step(body->unit, first);
    if (0 < bracket->choices) {
        bracket->choices--;
    } else if (body->label) {
        body->label = false;
        return statement_behind(body, next, ':');
    }
    return operator_to(body, next, ':');
}

/* Whether the type from FIRST to BEHIND and the name there are a parameter, of a function that is
   declared or of a macro: not a product. */
static bool is_parameter(const struct unit *unit, uint32_t first, uint32_t behind)
{
    switch (unit_kind(unit, body_step(unit, behind))) {
    case TOK_COMMA:
    case TOK_RPAREN:
    case TOK_ASSIGN:
    case TOK_LBRACKET:
        break;
    default:
        return false;
    }
    return body_begins_with_type_word(unit_kind(unit, first)) ||
           behind == body_name_end(unit, first, behind);
}

/* An argument that is a type or a parameter; 0 where it is none. */
static int feed_type_argument(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t behind = body_whole_type_end(unit, first, body->end);
    if (behind == first)
        return 0;
    enum token_kind next = unit_kind(unit, behind);
    if (behind < body->end && next == TOK_IDENT && is_parameter(unit, first, behind))
        return feed_type(body, first);
    if (behind < body->end && next != TOK_COMMA && next != TOK_RPAREN)
        return 0;
    const struct symbol *name = body_plain_name(unit, first, behind);
    bool certain = body_begins_with_type_word(unit_kind(unit, first)) ||
                   (name ? name->is_type : unit_kind(unit, behind - 1) == TOK_STAR);
    return certain ? operand_to(body, behind, TYPE_ARGUMENT) : 0;
}

static int feed_token(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    uint32_t next = body_step(unit, first);
    enum token_kind kind = unit_kind(unit, first);
    switch (kind) {
    case TOK_STATEMENT:
        return feed_word(body, first);
    case TOK_SPECIFIER:
        return operator_to(body, next, QUALIFIER);
    case TOK_NOEXCEPT:
        return feed_noexcept(body, first);
    case TOK_IDENT:
        if (body->declarator && body_is_qualifier_macro(unit, first))
            return operator_to(body, next, QUALIFIER); /* a macro such as RESTRICT */
        /* A parameter of a macro that stands for an operator. */
        if (body->operand && unit_token(unit, first)->flags & TOKEN_MACRO_BODY)
            return operator_to(body, next, RELATION);
        if (!body->operand && unit_kind(unit, next) == TOK_STRING)
            return feed_strings(body, first); /* PREFIX "text" */
        body->declarator = false;
        return operand_to(body, body_name_end(unit, first, body->end), NAME);
    case TOK_COLON_COLON: {
        uint32_t behind = body_name_end(unit, first, body->end);
        if (behind != first)
            return operand_to(body, behind, NAME);
        if (body_is_word(unit, next, "new") || body_is_word(unit, next, "delete"))
            return feed_word(body, next);
        return operator_to(body, next, OTHER);
    }
    case TOK_TYPE:
    case TOK_TYPENAME:
    case TOK_CLASS:
    case TOK_DECLTYPE: {
        uint32_t behind = body_type_end(unit, first, body->end);
        bool member = kind == TOK_DECLTYPE && next < body->end &&
                      body_opens_pair(unit, next, body->end) &&
                      unit_kind(unit, body_step_pair(unit, next)) == TOK_COLON_COLON;
        return behind == first ? operator_to(body, next, OTHER)
                               : operand_to(body, behind, member ? NAME : TYPE_NAME);
    }
    case TOK_OPERATOR:
        return feed_member(body, first);
    case TOK_CAST: {
        uint32_t behind = next;
        if (next < body->end && unit_kind(unit, next) == TOK_LESS)
            behind = body_angles_end(unit, next, body->end);
        return operator_to(body, behind, behind != next ? NAMED_CAST : OTHER);
    }
    case TOK_SIZEOF:
        return feed_sizeof(body, first);
    case TOK_NUMBER:
        return operand_to(body, next, NUMBER);
    case TOK_CHAR:
        return operand_to(body, next, CHARACTER);
    case TOK_STRING:
        return feed_strings(body, first);
    case TOK_LPAREN:
        return feed_open_parenthesis(body, first);
    case TOK_LBRACKET:
        return feed_open_bracket(body, first);
    case TOK_LBRACE:
        return feed_open_brace(body, first, false);
    case TOK_RPAREN:
    case TOK_RBRACKET:
    case TOK_RBRACE:
        return feed_close(body, first);
    case TOK_LAUNCH_OPEN:
        if (body_opens_pair(unit, first, body->end))
            return operand_to(body, body_step_pair(unit, first), LAUNCH);
        return operator_to(body, next, OTHER);
    case TOK_SEMICOLON:
        body->declarator = false;
        innermost(body)->choices = 0;
        innermost(body)->declares = false;
        if (innermost(body)->block)
            body->place = PLACE_STATEMENT;
        return operator_to(body, next, ';');
    case TOK_COMMA:
        if (innermost(body)->mixed && !innermost(body)->declares)
            return statement_behind(body, next, SEPARATOR);
        body->argument = innermost(body)->call;
        return operator_to(body, next, ',');
    case TOK_QUESTION:
        innermost(body)->choices++;
        return operator_to(body, next, '?');
    case TOK_COLON:
        return feed_colon(body, first);
    case TOK_DOT:
    case TOK_ARROW:
        body->member = true;
        return operator_to(body, next, kind == TOK_DOT ? '.' : ARROW);
    case TOK_ELLIPSIS:
        if (!body->operand && !body->declarator)
            return operand_to(body, next, SOME); /* of a fold expression */
        return operator_to(body, next, body->declarator ? QUALIFIER : ELLIPSIS);
    case TOK_LESS_EQUAL:
        if (unit_kind(unit, next) == TOK_GREATER &&
            unit_token(unit, next)->offset == unit_token(unit, first)->offset + 2)
            next = body_step(unit, next); /* <=> */
        return operator_to(body, next, RELATION);
    case TOK_PLUS_PLUS:
    case TOK_MINUS_MINUS:
        body->at = next; /* an operand before it stays one */
        return STEP;
    default:
        return operator_to(body, next, operator_token(kind));
    }
}

static int feed(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    enum body_place place = body->place;
    bool argument = body->argument, member = body->member, type_next = body->type_next;
    body->place = PLACE_INSIDE;
    body->argument = body->member = body->type_next = false;
    int res = 0;
    if (place != PLACE_INSIDE)
        res = feed_start(body, first, place);
    else if (argument)
        res = unit_kind(unit, first) == TOK_LPAREN || unit_kind(unit, first) == TOK_LBRACE
                  ? feed_statements(body, first)
                  : feed_type_argument(body, first);
    else if (member)
        res = feed_member(body, first);
    if (type_next) {
        uint32_t behind = body_type_end(unit, first, body->end);
        while (behind < body->end && unit_kind(unit, behind) == TOK_STAR)
            behind = body_step(unit, behind);
        if (behind != first)
            res = operand_to(body, behind, TYPE_NAME);
    }
    return res ? res : feed_token(body, first);
}

/* The first token of the island, after the one that selects the start. */
static int feed_first(struct body *body, uint32_t first)
{
    const struct unit *unit = body->unit;
    switch (body->start) {
    case BODY_DECLARATION:
        if (body_type_end(unit, first, body->end) == first)
            return operator_to(body, body->end, OTHER);
        return feed_type(body, first);
    case BODY_TYPE:
        return operand_to(body, body->end,
                          body_whole_type_end(unit, first, body->end) == body->end ? TYPE_ARGUMENT
                                                                                   : OTHER);
    default:
        return feed(body, first);
    }
}

/* Behind what stands at AT and says nothing about values: an attribute, but not one that belongs to
   a type, or a macro behind an operand. */
static uint32_t attribute_end(const struct body *body, uint32_t at)
{
    const struct unit *unit = body->unit;
    switch (unit_kind(unit, at)) {
    case TOK_ATTRIBUTE: {
        uint32_t next = body_step(unit, at);
        if (next < body->end && unit_kind(unit, next) == TOK_LPAREN)
            next = body_step_pair(unit, next);
        if (body->place != PLACE_INSIDE && unit_kind(unit, next) != TOK_SEMICOLON &&
            unit_kind(unit, next) != TOK_STATEMENT)
            return at;
        return next < body->end ? next : body->end;
    }
    case TOK_LBRACKET: {
        bool pair = unit_kind(unit, at + 1) == TOK_LBRACKET &&
                    body_opens_pair(unit, at, body->end) &&
                    unit_partner(unit, at + 1) + 1 == unit_partner(unit, at);
        return pair ? body_step_pair(unit, at) : at;
    }
    case TOK_IDENT:
        return body->operand && !body->member && body_is_macro_name(unit, at) ? body_step(unit, at)
                                                                              : at;
    default:
        return at;
    }
}

int body_yylex(BODY_YYSTYPE *value, struct range *where, struct body *body)
{
    static const int starts[] = {
        [BODY_STATEMENTS] = START_STATEMENTS,
        [BODY_EXPRESSION] = START_EXPRESSION,
        [BODY_DECLARATION] = START_DECLARATION,
        [BODY_TYPE] = START_TYPE,
    };
    (void)value;
    where->begin = where->end = body->at;
    if (!body->started) {
        body->started = true;
        body->last = NO_TOKEN;
        return starts[body->start];
    }
    if (body->failed)
        return feed_rest(body, where);
    const struct unit *unit = body->unit;
    while (body->at < body->end) {
        uint32_t behind = attribute_end(body, body->at);
        if (behind == body->at)
            break;
        body->at = behind;
    }
    if (body->end <= body->at)
        return BODY_YYEOF;
    uint32_t first = where->begin = body->at;
    body->last_open = body->open.count;
    int res = body->last == NO_TOKEN ? feed_first(body, first) : feed(body, first);
    body->last = first;
    where->end = body_end_before(unit, first, body->at);
    return res;
}
