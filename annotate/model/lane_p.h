/* What the files of the lane interpreter share. */
#ifndef ANNOTATE_MODEL_LANE_P_H
#define ANNOTATE_MODEL_LANE_P_H

#include "annotate/model/lane.h"
#include "base/vec.h"

/* Values (lane_value.c). Results live in the machine's arena. */

struct lanes lanes_unknown(void);
/* VALUE for all threads, of an int. */
struct lanes lanes_int(int64_t value);
/* Something that is the same for all threads: a multiple of STEP more than BASE. */
struct lanes lanes_some(int64_t base, uint64_t step);
/* An int of which only VALUES are known, one for each thread. */
struct lanes lanes_of(struct lane_machine *machine, const int64_t *values);
/* Room for the values of all threads. */
int64_t *lanes_room(struct lane_machine *machine);

/* A OP B, of two operands' C type. */
struct lanes lanes_binary(struct lane_machine *machine, enum token_kind op, struct lanes a,
                          struct lanes b);
struct lanes lanes_unary(struct lane_machine *machine, enum token_kind op, struct lanes a);
/* CONDITION ? A : B */
struct lanes lanes_choose(struct lane_machine *machine, struct lanes condition, struct lanes a,
                          struct lanes b);
/* A as a value of BYTES (0: floating). */
struct lanes lanes_convert(struct lane_machine *machine, struct lanes a, unsigned bytes,
                           bool is_signed);
/* What is known where either A or B may be. */
struct lanes lanes_join(const struct lane_machine *machine, struct lanes a, struct lanes b);
bool lanes_same(const struct lane_machine *machine, const struct lanes *a, const struct lanes *b);
/* Whether B is A plus something uniform; *STEP: what its possible values are multiples of. */
bool lanes_differ_uniformly(const struct lane_machine *machine, const struct lanes *a,
                            const struct lanes *b, uint64_t *step);
/* Whether all threads have 0 (false), or none has (true). */
bool lanes_decided(const struct lane_machine *machine, const struct lanes *a, bool *res);
uint64_t lanes_gcd(uint64_t a, uint64_t b);

/* Running (lane_run.c, lane_eval.c). */

/* The threads that are at a place. */
struct lane_threads {
    enum lanes_reach reach;
    const uint64_t *mask; /* REACH_KNOWN: LANES_MAX / 64 words */
};

struct lane_variable {
    const struct symbol *name;
    const struct type *type; /* or NULL */
    struct lanes value;      /* of a shared object: its address */
    bool is_shared;
    bool escaped; /* its address was taken: its value is not known any more */
};

/* A place's variables, the innermost last. */
struct lane_env {
    VEC(struct lane_variable) variables;
    struct lane_threads threads;
    bool dead; /* nobody gets here */
};

/* What a node of the body was when it ran. */
struct lane_memo {
    struct lanes value;
    struct lanes address; /* of what lies in shared memory */
    struct lane_threads threads;
    bool is_set;
};

/* Where `break` and `continue` lead: the loop or switch around. */
struct lane_jumps {
    struct lane_env breaks, continues;
    bool has_break, has_continue;
    const struct lane_env *entry; /* of a switch: where its labels are reached from */
    struct lanes chosen;          /* its value */
    bool has_default;
    struct lane_jumps *outer;
};

/* A function that runs. */
struct lane_frame {
    struct lane_machine *machine;
    bool is_outer; /* the machine's own function */
    size_t function;
    unsigned depth;
    struct lane_env env;
    struct lanes result; /* of the returns so far */
    bool has_result;
    bool diverged; /* some threads of a wave returned from inside a loop */
    struct lane_jumps *jumps;
};

void lane_env_release(struct lane_env *env);
struct lane_variable *lane_find(struct lane_env *env, const struct symbol *name);
struct lane_variable *lane_declare(struct lane_frame *frame, const struct symbol *name,
                                   const struct type *type, struct lanes value);
/* What NODE and its kids assign is not known any more. */
void lane_forget_assigned(struct lane_frame *frame, const struct node *node);

/* Runs STATEMENT in FRAME. */
void lane_run(struct lane_frame *frame, const struct node *statement);
/* Declares the variables of a NODE_DECLARATION. */
void lane_run_declaration(struct lane_frame *frame, const struct node *declaration);

/* Evaluates EXPRESSION with its side effects. */
struct lanes lane_value_of(struct lane_frame *frame, const struct node *expression);
/* Its address in shared memory; object NULL where it has none that is known. */
struct lanes lane_address_of(struct lane_frame *frame, const struct node *expression);

/* The threads of THREADS for which CONDITION holds, or does not. */
struct lane_threads lane_threads_where(struct lane_machine *machine, struct lane_threads threads,
                                       const struct lanes *condition, bool holds);

/* The value of a call of the function at index FUNCTION with ARGUMENTS. */
struct lanes lane_call(struct lane_frame *frame, size_t function, const struct lanes *arguments,
                       unsigned count);
/* The value of a call of a function that CUDA declares; false where it is none that is known. */
bool lane_builtin(struct lane_frame *frame, const char *name, const struct lanes *arguments,
                  unsigned count, struct lanes *res);
/* That of a method of a cooperative group, OBJECT.NAME(). */
bool lane_group_method(struct lane_frame *frame, const struct node *object, const char *name,
                       struct lanes *res);

/* threadIdx.x, .y, .z, or the linear number of each thread. */
enum { LINEAR_THREAD = 3 };
struct lanes lane_thread_index(struct lane_machine *machine, unsigned axis);

/* VALUE as a variable of TYPE (or NULL) has it. */
struct lanes lane_as_type(struct lane_machine *machine, struct lanes value,
                          const struct type *type);

/* Runs the machine's function from its start. */
void lane_run_function(struct lane_machine *machine);

/* Takes a step; false where the machine has run for too long. */
bool lane_step(struct lane_machine *machine);

/* Keeps what NODE was, and where it lies. */
void lane_note_address(struct lane_frame *frame, const struct node *node, struct lanes address);
void lane_note(struct lane_frame *frame, const struct node *node, struct lanes value);

#endif
