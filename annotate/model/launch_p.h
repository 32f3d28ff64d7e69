/* What the files that know launches share: which kernel (launch_kernel.c), the sites (launch.c),
   the blocks that functions run in (launch_blocks.c).  */
#ifndef ANNOTATE_MODEL_LAUNCH_P_H
#define ANNOTATE_MODEL_LAUNCH_P_H

#include "annotate/model/geometry.h"
#include "annotate/model/launch.h"

struct model_launches {
    struct launch_site *sites;
    size_t count;
    bool computed; /* something computed is launched */
    /* The sites by the first function of their kernel, see same_kernel. */
    uint32_t *kernel; /* by function: that first function */
    const struct launch_site **by_kernel;
    size_t *begin;    /* by function: into by_kernel; one more at the end */
    int8_t *complete; /* by function: 1, or -1, where is_complete() has been asked */
    bool *seen;       /* scratch of model_blocks(): functions that have been looked at */
    struct launch_blocks **blocks; /* by function: model_blocks()'s answers; NULL: not asked */
    /* By a kernel's first function, and whether only this file can name it: what add_blocks_of()
       adds; NULL: not asked. */
    struct kernel_blocks **added[2];
};

/* The launches of the file; read when first asked for, in the model's arena. */
struct model_launches *launches_read(struct model *model);

static inline bool range_is_empty(struct range range)
{
    return range.end <= range.begin;
}

enum kernel_kind {
    KERNEL_COMPUTED,
    KERNEL_NAMED,
    KERNEL_PARAMETER, /* of the function around */
};

/* What a launch names as its kernel. */
struct kernel {
    enum kernel_kind kind;
    const struct node *name; /* KERNEL_NAMED: the NODE_NAME */
    uint32_t at;             /* KERNEL_NAMED: where it is looked up */
    size_t function;         /* KERNEL_PARAMETER */
};

/* The kernel that the expression in RANGE is, seen through FRAME; DEPTH: 0. */
struct kernel launch_kernel(struct model *model, struct range range, const struct frame *frame,
                            unsigned depth);

/* The function that a launch with ARG_COUNT arguments (-1: not known) means by NAME, a NODE_NAME
   that is looked up AT; NO_INDEX where there is none. */
size_t launch_function(struct model *model, const struct node *name, uint32_t at, int arg_count);

/* The name of SCOPE, or NULL: that of the file, or one without a name. */
static inline const struct symbol *launch_scope_name(const struct unit *unit, uint32_t scope)
{
    return scope == NO_INDEX ? NULL : unit->scopes.items[scope].name;
}

#endif
