/* How the lane masks of a file are found: places, values, mask arguments, uses.  */
#ifndef ANNOTATE_LANEMASK_P_H
#define ANNOTATE_LANEMASK_P_H

#include "annotate/lanemask.h"
#include "annotate/model/flow.h"
#include "base/xalloc.h"

#define uthash_malloc(size) xmalloc(size)
#define uthash_fatal(message) xalloc_die()
#include <uthash.h>

/* PLACE = VALUE, a call's argument, a return. */
struct mask_edge {
    size_t place;
    const struct node *value;
    bool argument;
};

/* A place that a call gives to a parameter that is a reference or a pointer: what the function
   puts there comes back. */
struct mask_out {
    size_t parameter, place;
    const struct node *argument;
    bool done; /* a mask came back */
};

/* A place by what declares it: a token, or a member's symbol. */
struct mask_key {
    uint64_t key;
    size_t place;
    UT_hash_handle hh;
};

/* The functions with a body that have one name. */
struct mask_named {
    const struct symbol *name;
    size_t function;           /* the first */
    struct mask_named *others; /* further ones */
    unsigned count;            /* of the first: how many there are */
    UT_hash_handle hh;
};

/* A member that a class of the file declares. */
struct mask_member {
    const struct symbol *name, *record;
    uint32_t token, begin; /* its name; the first token of its declaration */
};

/* A macro that gives its parameter INDEX to a _sync function as the mask. */
struct mask_macro {
    const struct symbol *name;
    size_t index;
};

/* The text of a macro, read as an expression. */
struct mask_text {
    uint32_t name; /* the token */
    const struct node *tree;
    UT_hash_handle hh;
};

struct mask_search {
    struct annotation *a;
    const struct unit *unit;
    const struct code *code;
    struct model *model;
    struct lane_masks *masks;
    struct mask_key *keys;
    struct mask_named *functions;
    struct mask_text *texts;
    VEC(struct mask_macro) macros;   /* by name */
    VEC(struct mask_member) members; /* by name, then by record */
    VEC(struct mask_edge) edges;
    VEC(struct mask_out) outs;
    VEC(const struct node *) mixes;    /* &, |, ^ of two values, also as assignments */
    VEC(const struct node *) counts;   /* calls of __popc and its like */
    VEC(const struct node *) compares; /* ==, != */
    VEC(uint32_t) sets;                /* union-find: of each group the one it belongs to */
    bool *seen;                        /* by a node's number: it is among the uses */
    bool *masks_given;                 /* likewise: it is the value of an edge, and a lane mask */
    size_t function;                   /* the one that is walked through */
    unsigned nesting;                  /* texts of macros around what is looked at */
    const struct node *lambda;         /* around what is walked through, or NULL */
};

/* What counts in 32 bits, and the same for 64. */
struct mask_counter {
    const char *name, *wide;
    bool places; /* counts from the upper end, so that the result depends on the width */
    bool mask;   /* the result is a lane mask again */
};

/* lanemask_place.c: groups, and what may hold a mask. */

uint32_t masks_new_group(struct mask_search *s);
uint32_t masks_group_of(struct mask_search *s, uint32_t group);
void masks_unite(struct mask_search *s, uint32_t one, uint32_t other);

/* An edit that GROUP needs; TEXT is copied. */
void masks_add_edit(struct mask_search *s, uint32_t group, enum fix_safety safety, struct span span,
                    const char *text);

static inline struct mask_place *masks_place(const struct mask_search *s, size_t place)
{
    return &s->masks->places.items[place];
}

/* Whether P has to hold a lane mask. */
static inline bool masks_holds(const struct mask_place *p)
{
    return p->value || p->used != NO_INDEX;
}

/* Notes that the mask argument NODE names P. */
void masks_add_naming(struct mask_search *s, struct mask_place *p, const struct node *node);

/* Notes that P gets VALUE, a lane mask, too. */
void masks_add_value(struct mask_search *s, struct mask_place *p, const struct node *value);

/* The bits of an integer TYPE, or of what an array or a pointer (*POINTED) of it has; else 0. */
unsigned masks_bits_of(const struct type *type, bool *pointed);

/* The place that a name, NODE or the function at an index stands for; SIZE_MAX: none. */
size_t masks_declared_place(struct mask_search *s, const struct name_meaning *meaning);
size_t masks_place_of(struct mask_search *s, const struct node *node);
size_t masks_result_place(struct mask_search *s, size_t function);
/* The type of a result that is one name, or NULL. */
const struct type *masks_result_type(struct mask_search *s, size_t function);

size_t masks_lambda_place(struct mask_search *s, const struct node *lambda);

/* The class that OBJECT is of, or its elements, or what it points to; NULL: nobody knows. And the
   place of the member NAME of the class RECORD. */
const struct symbol *masks_record_of(struct mask_search *s, const struct node *object);
size_t masks_member_place(struct mask_search *s, const struct symbol *record,
                          const struct symbol *name);

/* The place of what CALL returns, or SIZE_MAX: see masks_functions_called() for the functions of
   the file; this is for variables that hold a lambda. */
size_t masks_lambda_called(struct mask_search *s, const struct node *call);

/* Gets ready to look for members and functions. */
void masks_index_members(struct mask_search *s);
void masks_add_function(struct mask_search *s, size_t function);

/* The functions of the file that are called NAME, and those that CALL may call: lists, or NULL. */
const struct mask_named *masks_functions_named(const struct mask_search *s,
                                               const struct symbol *name);
const struct mask_named *masks_functions_called(struct mask_search *s, const struct node *call);

/* lanemask_gather.c: fills the lists of S from a body, and from the parameters of its function. */

void masks_gather(struct mask_search *s, const struct node *node);
void masks_gather_head(struct mask_search *s);

/* lanemask_value.c: what a value is, and which places get masks. */

static inline bool masks_is_full(int64_t value)
{
    return (uint32_t)value == UINT32_MAX;
}

/* What counts 32 bits that NODE calls, or NULL. */
const struct mask_counter *masks_counter_of(const struct mask_search *s, const struct node *node);

/* The one value of NODE; the constant that it is as a lane mask, of which casts make no other. */
bool masks_single(struct mask_search *s, const struct node *node, int64_t *value);
bool masks_constant(struct mask_search *s, const struct node *node, int64_t *value);

/* Where the lane mask comes from that the value of NODE is or holds, or NULL: it is none. */
const struct node *masks_carries(struct mask_search *s, const struct node *node);

/* Whether NODE shifts away the lower 32 lanes of a wave, for all or for its upper half. */
bool masks_is_upper_half(struct mask_search *s, const struct node *node);

/* The shift in NODE that makes it a lane mask, such as (1u << lane) - 1, or NULL. */
const struct node *masks_shift_in(struct mask_search *s, const struct node *node);

/* Follows masks from place to place. */
void masks_follow(struct mask_search *s);

/* lanemask_argument.c: the masks that _sync functions get. */

/* The bits that NODE has as an AMD compiler reads it, or 0: nobody knows. */
unsigned masks_width(struct mask_search *s, const struct node *node);

/* Whether whole waves evaluate NODE of FUNCTION (NO_INDEX: nobody knows), for all targets. */
bool masks_is_whole(struct mask_search *s, size_t function, const struct node *node);

void masks_examine_calls(struct mask_search *s);

/* lanemask_macro.c: what macros of the file do with masks. */

/* The macro that USE, a name or a call, is of; or NULL. */
const struct directive *masks_macro(struct mask_search *s, const struct node *use);

/* Whether it gives a lane mask; of how many BITS (NULL: of no interest). */
bool masks_macro_gives(struct mask_search *s, const struct node *use, unsigned *bits);

/* Whether it is a constant as a lane mask, as masks_constant() says. */
bool masks_macro_constant(struct mask_search *s, const struct node *use, int64_t *value);

/* The index of MACRO's parameter NAME; -1: it has none. */
int masks_macro_parameter(const struct mask_search *s, const struct directive *macro,
                          const struct symbol *name);

/* What counts argument INDEX of CALL, of a macro, or NULL. */
const struct mask_counter *masks_macro_counts(struct mask_search *s, const struct node *call,
                                              unsigned *index);

/* lanemask_shift.c: adds the uses of kind MASK_LANE, when all others are known. */

void masks_find_lane_shifts(struct mask_search *s);

/* lanemask_fix.c: what is done with masks, and what must change together. */

struct mask_use *masks_add_use(struct mask_search *s, enum mask_use_kind kind,
                               const struct node *node);
void masks_find_uses(struct mask_search *s);
void masks_group_places(struct mask_search *s);
void masks_finish(struct mask_search *s);

#endif
