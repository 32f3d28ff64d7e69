/* Launches: which kernel runs with which grid, block and dynamic shared memory.

   Forms: <<<>>>, cudaLaunchKernel, cudaLaunchCooperativeKernel, cudaLaunchKernelEx[C],
   cuLaunchKernel[Ex], hipLaunchKernelGGL, hipLaunchKernel, hipExtLaunchKernelGGL,
   hipModuleLaunchKernel, and the cooperative ones. One in the text of a macro is a site for each
   use of the macro; one whose kernel is a parameter of the function around, for each call.  */
#ifndef ANNOTATE_MODEL_LAUNCH_H
#define ANNOTATE_MODEL_LAUNCH_H

#include "annotate/model/constant.h"

struct launch_dim {
    const struct node *expression; /* or NULL: not said, it is 1 */
    struct constant value;         /* as constant_of(); 1 where it is not said */
};

struct launch_site {
    uint32_t token;              /* the callee's last name, for places; of a launch in a macro the
                                    macro's where it is used */
    uint32_t named;              /* where the kernel's name stands: at TOKEN, or as an argument */
    struct range tokens;         /* the whole launch, maybe in the text of a macro */
    const struct symbol *kernel; /* NULL: a pointer or something computed */
    size_t function;             /* the kernel's index in the unit, or NO_INDEX: elsewhere */
    bool cooperative;
    struct launch_dim grid[3], block[3];
    bool block_known;    /* every dimension of the block has a value, and some block can be */
    uint32_t unknown_at; /* the first name or call that leaves the block unknown, or NO_TOKEN */
    /* The blocks that may be, where block_known: dimensions that belong together, at most 1024
       threads. */
    unsigned block_count;
    unsigned blocks[CONSTANT_VALUES][3];
    bool open;   /* the block comes from the callers of a function that other files may call too, or
                    from a variable that they may write */
    bool either; /* a constant of the block has several values, of which one alone may be right */
    const struct node *shared; /* dynamic shared bytes, or NULL: none said */
    struct constant shared_bytes;
    const struct node *stream;
    struct range template_arguments; /* of the callee, empty without */
};

/* The threads of BLOCK. */
static inline unsigned launch_threads(const unsigned block[3])
{
    return block[0] * block[1] * block[2];
}

/* The threads of the largest block of SITE, 0 where it is not known. */
static inline unsigned launch_most_threads(const struct launch_site *site)
{
    unsigned res = 0;
    for (unsigned i = 0; site->block_known && i < site->block_count; ++i)
        if (res < launch_threads(site->blocks[i]))
            res = launch_threads(site->blocks[i]);
    return res;
}

/* All launches of the file in their order; COUNT of them. */
const struct launch_site *model_launches(struct model *model, size_t *count);

/* The index of the function that stands for the kernel at INDEX in all of its declarations. */
uint32_t model_kernel_of(struct model *model, size_t index);

/* The ones of the kernel at INDEX; a kernel that a macro or a wrapper launches has that one's.
   *COMPLETE: every launch there can be is known (internal linkage, or the options say that the
   users are all; its address not taken, no launch of something computed, none that is open); the
   users' are not among the sites: model_blocks() has their blocks. */
const struct launch_site *const *model_launches_of(struct model *model, size_t index, size_t *count,
                                                   bool *complete);

/* The blocks that the function at INDEX (a kernel, or a device function by way of its callers) runs
   with: at most LAUNCH_BLOCKS different ones. False where the file shows none, or not all are
   known; then the rest of BLOCKS is what is known. */
enum { LAUNCH_BLOCKS = 16 };

struct launch_blocks {
    unsigned count;
    unsigned block[LAUNCH_BLOCKS][3];
    bool all; /* every launch that the file, and the users in the options, show is among them */
};

/* Adds BLOCK where it is not among them; without room for it they are not all. */
void launch_blocks_add(struct launch_blocks *blocks, const unsigned block[3]);

/* Adds those of FROM; they are all where FROM's were, too. */
void launch_blocks_join(struct launch_blocks *blocks, const struct launch_blocks *from);

bool model_blocks(struct model *model, size_t index, struct launch_blocks *res);

/* Adds to RES those with which the users in the options launch the kernel at INDEX; how many of
   them do. RES->all becomes false where one does not know all. */
size_t model_blocks_elsewhere(struct model *model, size_t index, struct launch_blocks *res);

/* Adds to RES the places of these launches. */
struct place_list;
void model_launches_elsewhere(struct model *model, size_t index, struct place_list *res);

/* Values of __launch_bounds__, also behind a macro, and of maxrregcount from build flags. */
struct launch_bounds {
    bool given;
    bool by_macro;   /* a macro with arguments says them: none of these can be dropped */
    size_t function; /* whose head says them: of several declarations, any may */
    struct constant max_threads, min_blocks, max_clusters; /* count 0: not said, or not known */
    const struct node *arguments[3];
    unsigned max_registers; /* of a thread: __maxnreg__ or the build's maxrregcount; 0: not said */
};

struct launch_bounds model_launch_bounds(struct model *model, size_t index);

/* Likewise the most threads of the kernel called NAME, which other files define, by the options:
   the largest number where there are several of that name. In *WHERE a fact with the places. False
   where nobody knows it. */
struct model_kernel_fact;
bool model_bounds_elsewhere(const struct model *model, const char *name, unsigned *max_threads,
                            const struct model_kernel_fact **where);

#endif
