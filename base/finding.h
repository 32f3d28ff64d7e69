/* A finding: what a rule says about a place in a source file.

   It stores the rule and its arguments, not text; report/ makes text of it. One function
   adds findings, wherever they come from, and what else belongs to one is added behind it:

       struct finding *f = findings_add (findings, RULE_LDS_PADDING, span, "tile", NULL, NULL);
       f->targets = 1u << target;
       finding_add_figure (f, "gfx942", FIGURE_CYCLES, 32);
       finding_add_related (f, RELATED_DECLARED, declaration, "tile");
       finding_add_edit (f, FIX_UNSAFE, size, "33");

   All of it lives in the arena of the file.  */
#ifndef BASE_FINDING_H
#define BASE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rule.h"
#include "base/source.h"
#include "base/vec.h"

enum { FINDING_ARGS = 6 };

struct span {
    uint32_t begin; /* offset of the first byte in the input */
    uint32_t end;   /* offset behind the last */
};

/* Another place that has to do with the finding, and in what way. */
struct related {
    struct related *next;
    enum related_id id;
    struct span span;           /* in the file itself */
    const char *file;           /* another file, as it is called; or NULL */
    struct location begin, end; /* in that file */
    bool ground;                /* was one of the finding's grounds */
    const char *args[FINDING_ARGS];
};

/* Whether a fix may be applied. */
enum fix_safety {
    FIX_REPAIR,  /* the translation itself does it, whatever is asked for */
    FIX_SAFE,    /* keeps the meaning, for both wave sizes */
    FIX_UNSAFE,  /* only on request: right as far as the rule can see */
    FIX_DISPLAY, /* is shown, never applied */
};

struct fix_edit {
    struct fix_edit *next;
    struct span span; /* what is replaced; empty to insert */
    const char *text; /* by this */
};

/* Edits that belong together: all of them are applied, or none. */
struct fix {
    enum fix_safety safety;
    struct fix_edit *edits, *last;
};

/* A figure of one GPU: a number, or words where TEXT is not NULL. */
struct figure {
    struct figure *next;
    const char *gpu; /* "gfx942"; figures of one GPU need not stand together */
    enum figure_id id;
    long long number;
    const char *text; /* English, or NULL */
};

/* The targets that a finding concerns, as bits over the list of the run. */
typedef uint32_t target_set;
enum { MOST_TARGETS = 32 };
#define EVERY_TARGET UINT32_MAX

struct finding {
    enum rule_id rule;
    struct span span;
    enum effect effect;             /* the rule's, unless the place says otherwise */
    enum confidence confidence;     /* likewise */
    target_set targets;             /* EVERY_TARGET, unless the place says otherwise; a finding that
                                       concerns none of the run's is dropped */
    const char *args[FINDING_ARGS]; /* NUL-terminated, in the arena; NULL behind the last */
    struct span quoted[FINDING_ARGS]; /* of the arguments that quote the input; else empty */
    const char *advice; /* the way out for this place, English, or NULL: the rule's todo; borrowed
                           from the map */
    const char *kernel; /* the kernel or device function it lies in, or NULL */
    struct related *related, *last_related; /* a list in the order of adding; NULL for none */
    struct related *grounds;              /* what it rests on in the file itself, likewise: is told
                                             only where somebody changed it */
    struct figure *figures, *last_figure; /* likewise */
    struct fix *fix;                      /* or NULL */
    bool fixed;                           /* its fix was applied */
    bool joins;                           /* see findings_join() */
    bool of_rule;                         /* a rule of annotate/ made it */
    struct arena *arena;
};

struct findings {
    struct arena *arena;
    VEC(struct finding) list;
    size_t suppressed;            /* silenced by comments, and no longer in the list */
    VEC(struct finding) silenced; /* these, but for those about the comments themselves */
};

/* An empty list whose strings live in ARENA. */
void findings_init(struct findings *findings, struct arena *arena);

/* Adds a finding of RULE at SPAN with up to three arguments (NULL for none), which are copied. The
   result may be changed, and added to, until the next call. */
struct finding *findings_add(struct findings *findings, enum rule_id rule, struct span span,
                             const char *arg1, const char *arg2, const char *arg3);

/* Adds a further argument, a copy of TEXT or a number, behind those that FINDING has. More than
   FINDING_ARGS are an error of the program. */
void finding_add_arg(struct finding *finding, const char *text);
void finding_add_number(struct finding *finding, long long number);

/* The same for the text QUOTE of what stands at SPAN. */
void finding_add_quote(struct finding *finding, const char *quote, struct span span);

/* Adds the place SPAN, which is related to FINDING as ID says. ARG is what the sentence of ID calls
   %1, or NULL; it is copied. The result may get more arguments. */
struct related *finding_add_related(struct finding *finding, enum related_id id, struct span span,
                                    const char *arg);

/* The same for a place in the file called FILE (copied). */
struct related *finding_add_related_file(struct finding *finding, enum related_id id,
                                         const char *file, struct location begin,
                                         struct location end, const char *arg);

/* Adds a ground. ARG as above. */
void finding_add_ground(struct finding *finding, enum related_id id, struct span span,
                        const char *arg);

/* Makes GROUND, one of FINDING's, a related place. */
void finding_tell_ground(struct finding *finding, const struct related *ground);

/* Adds an edit to the fix of FINDING: SPAN is to be replaced by TEXT, which is copied. The fix is
   as safe as the least safe of its edits. Edits of one finding do not overlap; those of several may
   be the same, and then count once. */
void finding_add_edit(struct finding *finding, enum fix_safety safety, struct span span,
                      const char *text);

/* Adds the figure ID of the GPU called GPU (copied): a number, or words (English, copied). */
void finding_add_figure(struct finding *finding, const char *gpu, enum figure_id id,
                        long long number);
void finding_add_figure_text(struct finding *finding, const char *gpu, enum figure_id id,
                             const char *text);

/* How serious FINDING is: as its effect and confidence say, or a note once it is fixed. */
enum level finding_level(const struct finding *finding);

/* Sorts by place, then rule name: the order in which every report shows them. Drops a finding that
   says the same of the same place as the one before it, whose targets become those of both. */
void findings_sort(struct findings *findings);

/* Makes one finding of all those that join and say the same but for the first argument: the first
   of them, to which the others are related; its fix is that of all. Targets and the safety of the
   fixes are the same. FINDINGS are sorted, and what comments silence, or nobody asked for, is no
   longer among them. */
void findings_join(struct findings *findings);

void findings_release(struct findings *findings);

#endif
