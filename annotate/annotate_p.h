/* What the rules work with. */
#ifndef ANNOTATE_ANNOTATE_P_H
#define ANNOTATE_ANNOTATE_P_H

#include "annotate/annotate.h"
#include "annotate/code.h"
#include "annotate/comparison.h"
#include "parser/unit.h"

/* Flags of symbols that rules use; those of transform/ come before. */
enum {
    SYMBOL_FLAGS_BEFORE = (1 << 8) - 1,
    SYMBOL_LIBRARY_ASKED = 1 << 8,
    SYMBOL_TEXTURE_REFERENCE = 1 << 9,
    SYMBOL_TEXTURE_WORD = 1 << 10,
    SYMBOL_OWN = 1 << 11,            /* more than called: the file declares it */
    SYMBOL_DEFINED = 1 << 12,        /* a macro that an AMD compiler may see defined */
    SYMBOL_DEFINED_HIDDEN = 1 << 13, /* one that is defined where none gets to */
    SYMBOL_WIDTH = 1 << 14,          /* of a constant that is the width of a warp */
    SYMBOL_WIDTH_FOLLOWS = 1 << 15,  /* of one that device code can do without */
    SYMBOL_MACHINE = 1 << 16,        /* it speaks of a multiprocessor or its memory: machine.c */
};

struct widths;

struct annotation {
    const struct unit *unit;
    const struct map *map;
    const struct translate_options *options;
    struct findings *findings;
    const struct comparison *gpus; /* the targets, and the part they are compared with */
    struct arena *arena;           /* of the file */
    bool hip;                      /* the file is HIP where no conditional says otherwise */
    struct code *code;             /* NULL until a rule asks: annotation_code() */
    struct machines *machines;
    struct warp_reach *reach;   /* warp.c's */
    struct warp_macros *macros; /* warp_macro.c's, in the arena */
    struct lane_masks *masks;   /* annotation_masks() */
    struct widths *widths;      /* NULL until a rule asks: annotation_widths() */
};

#define RULE_CHECK(check) void check(struct annotation *a);
#include "annotate/rules.def"
#undef RULE_CHECK

/* The trees of the file's code, with the kernel model; made when first asked for. */
const struct code *annotation_code(struct annotation *a);

/* A machine of the lane interpreter for the function at index FUNCTION: see machines_get(). */
struct lane_machine *annotation_machine(struct annotation *a, size_t function,
                                        const unsigned block[3], unsigned wave, unsigned sample);

/* A finding of RULE at the tokens of RANGE, whose text is its first argument. What else belongs to
   it is added as base/finding.h says. */
struct finding *annotation_add(struct annotation *a, enum rule_id rule, struct range range);

/* Adds a further argument, the text of RANGE, to FINDING. */
void annotation_add_quote(struct annotation *a, struct finding *finding, struct range range);

/* Adds to F the COUNT at PLACES in other files that it has not yet. */
struct model_place;
void annotation_add_places(struct finding *f, const struct model_place *places, unsigned count);

/* Says in F, whose finding depends on the blocks that the kernel at index FUNCTION runs with, on
   what other files say of them. */
void annotation_add_launches(struct annotation *a, struct finding *f, size_t function);

/* Says in all findings where other files define what stands at their places. */
void annotation_add_sources(struct annotation *a);

/* Whether the code at TOKEN is read as HIP: on the HIP side of a conditional, or in a file of
   HIP's. (Nothing on the CUDA side of one is to be reported: see token_region().) */
bool annotation_is_hip(const struct annotation *a, uint32_t token);

/* The targets whose waves have WAVE lanes: what a finding of a rule about them concerns. */
target_set annotation_with_wave(const struct annotation *a, unsigned wave);

/* The names of the targets in SET, "gfx942, gfx90a", for an argument; in the file's arena. */
const char *annotation_names(const struct annotation *a, target_set set);

#endif
