/* Numbers of a machine in the source: multiprocessors, threads and registers of one, its shared
   memory. What a number counts is seen from the names around it.  */
#ifndef ANNOTATE_MACHINE_H
#define ANNOTATE_MACHINE_H

#include "annotate/annotate_p.h"

/* What a name speaks of; bits. */
enum machine_topic {
    TOPIC_SM = 1 << 0,       /* multiprocessors: numSMs, NUM_SM, multiProcessorCount */
    TOPIC_COUNT = 1 << 1,    /* how many: num, count, and the plural SMs */
    TOPIC_THREADS = 1 << 2,  /* threads */
    TOPIC_BLOCKS = 1 << 3,   /* blocks, CTAs, or occupancy itself */
    TOPIC_REGISTER = 1 << 4, /* registers: num_regs, MAX_REGISTERS */
    TOPIC_SHARED = 1 << 5,   /* shared memory: smem_size, MAX_SHARED */
    TOPIC_LIMIT = 1 << 6,    /* the most there may be: max, limit, capacity */
};

unsigned machine_topics(const char *name);

/* Marks the names of UNIT that may speak of multiprocessors, registers or shared memory as
   SYMBOL_MACHINE; the topics of all of these. */
unsigned machine_mark(const struct unit *unit);

/* The topics of all names, members and types in EXPRESSION; recursion: as deep as the tree. */
unsigned machine_topics_of(const struct unit *unit, const struct node *expression);

/* Where a number is said: a name where the file defines it, or an expression. */
struct machine_place {
    struct range range;
    const struct symbol *elsewhere; /* the expression is this name, which another file defines */
};

/* The one value of NODE, and where it is said. False where it has none. */
bool machine_number(struct annotation *a, const struct node *node, int64_t *value,
                    struct machine_place *place);

/* The registers of an NVIDIA multiprocessor, of every one since Kepler, and those of a compute unit
   of TARGET, which is AMD's: of 32 bits, for all of its lanes. */
enum { NVIDIA_REGISTERS = 65536 };
unsigned machine_registers(const struct target *target);

/* What was reported already, by rule and place. */
struct machine_reports {
    VEC(struct machine_report) list;
};

struct machine_report {
    enum rule_id rule;
    struct machine_place place;
    size_t finding;
};

/* The finding of RULE at PLACE, new with the text of PLACE and VALUE as its arguments: then *IS_NEW
   is true. USE is a token where the number is used, which becomes a related place as ID says. NULL
   where the place is not to be reported. */
struct finding *machine_report(struct machine_reports *reports, struct annotation *a,
                               enum rule_id rule, struct machine_place place, int64_t value,
                               enum related_id id, uint32_t use, bool *is_new);

#endif
