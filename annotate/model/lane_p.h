/* What the files of the lane interpreter share. */
#ifndef ANNOTATE_MODEL_LANE_P_H
#define ANNOTATE_MODEL_LANE_P_H

#include "annotate/model/lane.h"
#include "base/vec.h"

/* Whether thread I may be where the machine runs. */
static inline bool lane_is_active(const struct lane_machine *machine, unsigned i)
{
    return !machine->active || machine->active[i / 64] >> i % 64 & 1;
}

/* Values (lane_value.c). Results live in the machine's arena. */

/* What is known of the members of a value. It is not changed once it is made. */
struct lane_record {
    unsigned count;
    struct lane_member {
        const char *name; /* NULL: an element of an array */
        const struct type *type;
        struct lanes value;
    } members[];
};

/* One for COUNT members. */
struct lane_record *lanes_record(struct lane_machine *machine, unsigned count);

struct lanes lanes_unknown(void);
/* VALUE for all threads, of an int. */
struct lanes lanes_int(int64_t value);
/* Something that is the same for all threads: a multiple of STEP more than BASE. */
struct lanes lanes_some(int64_t base, uint64_t step);
/* One whose unknown has a name: WHICH of the FAMILY of atoms. */
enum { ATOM_VALUE, ATOM_BLOCK_INDEX, ATOM_GRID_SIZE, ATOM_PARAMETER, ATOM_NAME };
struct lanes lanes_atom(unsigned family, uint64_t which);
/* LANES, whose unknown gets a name of its own where it has none. */
struct lanes lanes_named(struct lane_machine *machine, struct lanes lanes);
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
/* Whether A and B are the same, as two copies are. */
bool lanes_identical(const struct lanes *a, const struct lanes *b);
bool lanes_same(const struct lane_machine *machine, const struct lanes *a, const struct lanes *b);
/* Whether B is A plus something uniform; *STEP: what its possible values are multiples of. */
bool lanes_differ_uniformly(const struct lane_machine *machine, const struct lanes *a,
                            const struct lanes *b, uint64_t *step);
/* Whether all threads that may be there have 0 (false), or none has (true). */
bool lanes_decided(const struct lane_machine *machine, const struct lanes *a, bool *res);
uint64_t lanes_gcd(uint64_t a, uint64_t b);

/* Running (lane_env.c, lane_place.c, lane_eval.c, lane_type.c, lane_run.c, lane_loop.c). */

enum { LANE_MASK_WORDS = LANES_MAX / 64 };

/* The threads that are at a place. */
struct lane_threads {
    enum lanes_reach reach;
    bool by_wave;         /* whether they are is decided wave by wave */
    bool may_be_none;     /* some condition that is the same for all of them leads here */
    const uint64_t *mask; /* those that may be: LANE_MASK_WORDS words; NULL: all */
};

struct lane_variable {
    const struct symbol *name;
    const struct type *type;   /* or NULL */
    struct lanes value;        /* of a shared object: its address */
    const struct node *lambda; /* what calling it runs, or NULL */
    size_t refers_to;          /* a reference: the index of the variable + 1; or 0 */
    bool is_shared;            /* VALUE is the address of what it names */
    bool escaped;              /* its address was taken: its value is not known any more */
};

/* A place's variables, the innermost last. */
struct lane_env {
    VEC(struct lane_variable) variables;
    struct lane_threads threads;
    struct lanes result; /* what was returned */
    bool has_result;
    bool dead; /* nobody gets here */
};

/* What several places lead to. */
struct lane_exits {
    struct lane_env env;
    bool has;
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
    struct lane_exits breaks, continues;
    const struct node *labels;    /* of a switch: what holds them */
    const struct lane_env *entry; /* where they are reached from */
    struct lanes chosen;          /* its value */
    bool has_default;
    struct lane_jumps *outer;
};

/* A function that runs. */
struct lane_frame {
    struct lane_machine *machine;
    bool is_outer;  /* the machine's own function */
    bool in_lambda; /* a lambda of that function: each call of it leaves notes */
    size_t function;
    unsigned depth;
    struct lane_env env;
    struct lane_exits returns;
    unsigned long left; /* jumps and returns so far */
    unsigned long returned;
    bool diverged; /* some threads of a wave returned from inside a loop */
    struct lane_jumps *jumps;
};

/* The arguments that a function is called with by others: what its parameters are. */
struct lane_capture {
    size_t function;
    struct lanes *arguments;
    unsigned count;
    struct lane_threads threads;
    unsigned calls;       /* that were met */
    bool missed;          /* some function was not followed */
    VEC(uint32_t) tokens; /* of their names */
};

void lane_env_release(struct lane_env *env);
struct lane_variable *lane_find(struct lane_env *env, const struct symbol *name);
struct lane_variable *lane_declare(struct lane_frame *frame, const struct symbol *name,
                                   const struct type *type, struct lanes value);
/* What NODE and its kids assign is not known any more. */
void lane_forget_assigned(struct lane_frame *frame, const struct node *node);
/* The value of VARIABLE, which is none of shared memory, is not known any more. */
void lane_forget(struct lane_frame *frame, struct lane_variable *variable);
/* VARIABLE, or what it refers to. */
struct lane_variable *lane_referred(struct lane_env *env, struct lane_variable *variable);

/* TO becomes a copy of FROM. */
void lane_copy_env(struct lane_frame *frame, struct lane_env *to, const struct lane_env *from);
void lane_release_exits(struct lane_exits *exits);
void lane_copy_exits(struct lane_frame *frame, struct lane_exits *to,
                     const struct lane_exits *from);
/* Takes the variables behind COUNT away. */
void lane_leave_scope(struct lane_env *env, size_t count);
/* The variable called NAME is not known any more. */
void lane_forget_name(struct lane_frame *frame, const struct symbol *name);
/* Forgets every variable that one of the tokens of RANGE names. */
void lane_forget_named(struct lane_frame *frame, struct range range);
/* The name of the variable that NODE is, or is a part of. */
const struct node *lane_root_of(const struct node *node);
/* ENV becomes what is known where ENV or OTHER may be, decided by CONDITION. */
void lane_join_variables(struct lane_frame *frame, struct lane_env *env,
                         const struct lane_env *other, struct lanes condition);
/* Whether A and B (NULL: all) hold the same threads. */
bool lane_same_mask(const struct lane_machine *machine, const uint64_t *a, const uint64_t *b);
/* Whether MASK holds none. */
bool lane_nobody(const struct lane_machine *machine, const uint64_t *mask);
/* The threads that go on where A and B meet. */
struct lane_threads lane_join_threads(struct lane_machine *machine, struct lane_threads a,
                                      struct lane_threads b);
/* ENV is one of those that lead to EXITS. */
void lane_join_into(struct lane_frame *frame, struct lane_exits *exits, const struct lane_env *env);

/* Runs STATEMENT in FRAME. */
void lane_run(struct lane_frame *frame, const struct node *statement);
/* Declares the variables of a NODE_DECLARATION. */
void lane_run_declaration(struct lane_frame *frame, const struct node *declaration);

/* The value of the condition of a branch or a loop, which may declare a variable. */
struct lanes lane_condition_value(struct lane_frame *frame, const struct node *condition);

/* Loops, each by the node of its statement. */
void lane_run_while(struct lane_frame *frame, const struct node *node);
void lane_run_do(struct lane_frame *frame, const struct node *node);
void lane_run_for(struct lane_frame *frame, const struct node *node);
void lane_run_range_for(struct lane_frame *frame, const struct node *node);
/* LOOP(i, n) { ... }: the names that are no variables yet are the macro's own. */
void lane_run_macro_loop(struct lane_frame *frame, const struct node *node);

/* Evaluates EXPRESSION with its side effects. */
struct lanes lane_value_of(struct lane_frame *frame, const struct node *expression);
/* Its address in shared memory; object NULL where it has none that is known. */
struct lanes lane_address_of(struct lane_frame *frame, const struct node *expression);

/* The threads of THREADS for which CONDITION holds, or does not. */
struct lane_threads lane_threads_where(struct lane_machine *machine, struct lane_threads threads,
                                       const struct lanes *condition, bool holds);

/* The value of a call of the function at index FUNCTION with ARGUMENTS, which become what the
   function leaves in its parameters. */
struct lanes lane_call(struct lane_frame *frame, size_t function, struct lanes *arguments,
                       unsigned count);
/* The value of a call of LAMBDA, which stands in FRAME's own function. */
struct lanes lane_call_lambda(struct lane_frame *frame, const struct node *lambda,
                              const struct lanes *arguments, unsigned count);
/* The value of a call of a function that CUDA declares; false where it is none that is known. */
bool lane_builtin(struct lane_frame *frame, const char *name, const struct lanes *arguments,
                  unsigned count, struct lanes *res);
/* That of a method of a cooperative group, OBJECT.NAME(). */
bool lane_group_method(struct lane_frame *frame, const struct node *object, const char *name,
                       struct lanes *res);

/* threadIdx.x, .y, .z, or the linear number of each thread. */
enum { LINEAR_THREAD = 3 };
struct lanes lane_thread_index(struct lane_machine *machine, unsigned axis);

/* threadIdx, blockDim, blockIdx, gridDim along AXIS; false where NAME is none of them. */
bool lane_coordinate(struct lane_machine *machine, const char *name, unsigned axis,
                     struct lanes *res);

/* Likewise of the macros that HIP once had for them: hipThreadIdx_x and its like. */
bool lane_hip_coordinate(struct lane_machine *machine, const char *name, struct lanes *res);

/* All of them as one value. */
struct lanes lane_coordinates(struct lane_machine *machine, const char *name);

/* The text of the macro D as an expression, or NULL. */
struct node *lane_macro_tree(struct model *model, const struct directive *d);

/* CALL, of the function whose arguments are looked for, was met. */
void lane_capture_call(struct lane_frame *frame, const struct node *call,
                       const struct lanes *arguments, unsigned count);

/* VALUE as a variable of TYPE (or NULL) has it. */
struct lanes lane_as_type(struct lane_machine *machine, struct lanes value,
                          const struct type *type);

/* Runs the function at INDEX from its start, by THREADS; ARGUMENTS: COUNT of its parameters, or
   NULL. NOTES: it leaves notes. */
void lane_run_function(struct lane_machine *machine, size_t index, const struct lanes *arguments,
                       unsigned count, struct lane_threads threads, bool notes);
/* Whether MASK (NULL: all) holds all threads of a wave or none, for each wave. */
bool lane_whole_waves(const struct lane_machine *machine, const uint64_t *mask);

enum { LANE_MAX_MEMBERS = 16 };
/* A value of TYPE (or NULL) whose members are the COUNT VALUES, in their order, and unknown behind
   them; of a type that has no members that matter: the only one of VALUES, or unknown. */
struct lanes lane_record_of(struct lane_machine *machine, const struct type *type,
                            const struct lanes *values, unsigned count);

/* Takes a step; false where the machine has run for too long. */
bool lane_step(struct lane_machine *machine);

enum { LANE_MAX_NESTING = 500 }; /* of statements and expressions, through all calls */

/* A uniform value that differs where NAME differs, of TYPE. */
struct lanes lane_parameter(struct lane_machine *machine, uint32_t token, const struct type *type);

/* Keeps what NODE was, and where it lies. */
void lane_note_address(struct lane_frame *frame, const struct node *node, struct lanes address);
void lane_note(struct lane_frame *frame, const struct node *node, struct lanes value);
/* What LAMBDA and its kids are is not known: not all of its calls were seen. */
void lane_lose_notes(struct lane_machine *machine, const struct node *lambda);
/* Whoever gets LAMBDA may call it, and those that it calls. */
void lane_lend_lambda(struct lane_frame *frame, const struct node *lambda);

#endif
