/* Lane masks of a file: what holds one, and what is done with it.

   A lane mask has one bit for each lane: ballots, active masks, matches, and what is made of them.
   CUDA keeps it in 32 bits, HIP in 64 on every GPU. So all that a mask goes through must be wide
   enough: variables, parameters, results of functions, members, arrays (places), and what counts,
   shifts or compares it (uses). Places and uses that have to change together are a group.  */
#ifndef ANNOTATE_LANEMASK_H
#define ANNOTATE_LANEMASK_H

#include "annotate/annotate_p.h"
#include "annotate/warp.h"

enum mask_place_kind {
    MASK_LOCAL,
    MASK_PARAMETER,
    MASK_VARIABLE, /* of the file, or shared */
    MASK_MEMBER,
    MASK_POINTED, /* what a pointer points to: nobody knows where it is declared */
    MASK_RESULT,  /* of a function, or of a lambda */
};

/* What may hold a lane mask. */
struct mask_place {
    enum mask_place_kind kind;
    uint32_t token;                              /* its name where it is declared */
    const struct node *declaration, *declarator; /* NULL for a member, a result */
    uint32_t begin;           /* MASK_MEMBER: the first token of its declaration, or NO_TOKEN where
                                 the file does not show it; then `token` is a use. MASK_RESULT of a
                                 lambda: the first token of the type that it states */
    size_t function;          /* MASK_RESULT: its index, or NO_INDEX of a lambda; else that of the
                                 function around */
    unsigned bits;            /* of its type; 0: not known, or no integer */
    bool automatic;           /* declared auto: as wide as what it gets */
    const struct node *lane;  /* a value that makes a lane mask with a shift or in PTX, or NULL */
    const struct node *site;  /* the first place that gives it a value, or NULL */
    const struct node *value; /* the mask that it gets, or NULL: none */
    unsigned given, masks;    /* values that it gets, arguments included; those that are masks */
    bool passed;              /* a parameter: a caller passes a mask */
    bool written;             /* it gets one otherwise, so that one comes back by a reference */
    bool came_back;           /* it gets one from a function that it is lent to */
    bool lent; /* to a reference that gives it its value, whose type it has to have */
    bool tied; /* its address is taken, a template compares its type with another:
                  who knows what else has to change */
    uint32_t used, last_used; /* mask arguments that name it: a list of struct mask_naming, or
                                 NO_INDEX */
    uint32_t more, last_more; /* further values that it gets and that are masks: likewise */
    bool inverted;            /* it gets ~m, with ones where a wave of 32 has no lanes */
    bool split;               /* its upper 32 lanes are taken by themselves, and so the lower */
    bool widened;             /* its group has the edit that gives it 64 bits */
    uint32_t group;
};

/* A name in a mask argument, a value. */
struct mask_naming {
    const struct node *node;
    uint32_t next; /* of the same place, or NO_INDEX */
};

enum mask_use_kind {
    MASK_COUNT,   /* __popc(m), __ffs(m), ... */
    MASK_SHIFT,   /* 1 << lane */
    MASK_LANE,    /* word << lane */
    MASK_COMPARE, /* m == 0xffffffff, __popc(m) == 32 */
};

struct mask_use {
    enum mask_use_kind kind;
    const struct node *node;
    bool ambiguous; /* __ffs() of what has 64 bits as it stands: for int or for unsigned? */
    unsigned lanes; /* MASK_COMPARE: with all of so many */
    uint32_t group;
};

/* An edit that a group needs. */
struct mask_edit {
    uint32_t group;
    enum fix_safety safety;
    struct span span;
    const char *text;
};

/* A mask argument that is a constant, or computed from constants. */
struct mask_argument {
    const struct node *node;
    size_t function;     /* whose body it stands in, or NO_INDEX */
    uint32_t definition; /* the token of the name that it is, or NO_TOKEN */
    bool full;           /* all 32 lanes */
    bool whole;          /* whole waves reach it */
    bool exact;          /* just its lanes reach it, in waves of 64 too */
    unsigned bits;
    target_set absent; /* it names all lanes in 64 bits, but on these targets not all reach it */
};

struct lane_masks {
    VEC(struct mask_place) places;
    VEC(struct mask_naming) namings;
    VEC(struct mask_use) uses;
    VEC(struct mask_argument) arguments;
    VEC(struct mask_edit) edits; /* by group */
    VEC(size_t) replaced;        /* where those of them begin that are not only shown, ascending */
    bool *given;                 /* by group: a finding has its edits */
};

/* The lane masks of A's file, found when first asked for; NULL where it names no warp function and
   asks for no lane of a wave. */
struct lane_masks *annotation_masks(struct annotation *a);

/* Adds the edits of GROUP to the fix of F. Where they are very many, only the first finding that
   asks gets them. */
void lane_masks_add_edits(struct lane_masks *masks, struct finding *f, uint32_t group);

/* Whether a fix of the lane masks writes something else for what begins at OFFSET. */
bool lane_masks_replace(const struct lane_masks *masks, size_t offset);

void lane_masks_free(struct lane_masks *masks);

#endif
