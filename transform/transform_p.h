/* What the steps of the translation share. */
#ifndef TRANSFORM_TRANSFORM_P_H
#define TRANSFORM_TRANSFORM_P_H

#include "parser/unit.h"
#include "transform/translate.h"

enum symbol_flag {
    SYMBOL_NAMESPACE_USED = 1 << 0, /* using namespace NAME */
    SYMBOL_IMPORTS = 1 << 1,        /* a namespace that says: using ::NAME of the API */
    SYMBOL_NAMESPACE_OWN = 1 << 2,  /* a namespace of the file's own */
    SYMBOL_SWITCHED = 1 << 3,       /* a macro of the API's that the file sets itself */
    SYMBOL_POINTER_TYPE = 1 << 4,   /* CUdeviceptr, or the file's own name for it */
};

/* A declaration by the user of a name that is also an API's. */
struct user_name {
    struct user_name *next; /* of the same name */
    unsigned count;         /* of these and the following ones */
    uint32_t token;         /* where */
    uint32_t scope;         /* index of the scope that it is declared in; NO_INDEX: the file */
    struct range extent;    /* for parameters: the function; otherwise empty */
};

/* An argument of a call as it will be written: pieces around the original text, or new text. */
struct slot {
    int original;       /* index of the argument that stands here, or -1 */
    const char *text;   /* instead of it, or NULL */
    const char *before; /* in front of the original */
    const char *behind;
};

/* A call whose arguments change places. */
struct reorder {
    uint32_t begin, end; /* offsets between the parentheses */
    struct arguments args;
    const struct slot *slots;
    int slot_count;
};

struct transform {
    struct translation *t;
    struct unit *unit;
    const struct translate_options *options;
    struct arena *arena;          /* of the file */
    VEC(struct reorder) reorders; /* in the order of the source */
    const char *needed[4];        /* further HIP headers that names of the file need */
    const char *mixed[32];        /* libraries of which native names were asked for, and a name has
                                     none */
    bool needs_shims;             /* a function of hipwright_shims.h is called */
    bool needs_runtime;           /* the file uses the API or the device language */
    bool pointers_noted;          /* pointer_names_collect() was here */
    int prefixes_asked;           /* beginnings of names that were looked up */
};

/* Who compiles the code at token INDEX. */
enum side { SIDE_UNKNOWN, SIDE_HOST, SIDE_DEVICE, SIDE_BOTH };
enum side side_at(const struct unit *unit, uint32_t index);

/* The function whose body holds token INDEX, or NULL. */
const struct function *side_function(const struct unit *unit, uint32_t index);

/* Finds the names the file declares itself, and the types of the API that it declares names with.
 */
void names_collect(struct transform *tr);

/* Whether the #define D only sets a macro that the API looks at
   (CUDA_API_PER_THREAD_DEFAULT_STREAM). */
bool names_is_switch(const struct unit *unit, const struct directive *d);

/* Whether the identifier at token INDEX, whose symbol has an API entry, is the user's own: a
   member, a name qualified by the user's scope, or declared around it. */
bool names_is_user(const struct transform *tr, uint32_t index);

/* Whether the identifier at token INDEX is what a function's head declares or defines. */
bool names_is_head(const struct unit *unit, uint32_t index);

/* Notes TYPE, which stands at token INDEX, with the names it declares: cudaMemLocation where; const
   cudaDeviceProp *props; std::vector<CUdeviceptr> list; and the like. names_collect() does so for
   all; a step that goes through the file in order may do so again to know the last declaration. */
void names_note_type(const struct unit *unit, uint32_t index, const struct api *type);

/* Only that, for a file that is HIP already: the rules ask for types. */
void names_note_types(struct transform *tr);

/* The steps; each adds edits and findings. */
void transform_conditions(struct transform *tr);
/* Before the names, which skip what these drop. */
void transform_cases(struct transform *tr);
void transform_overloads(struct transform *tr);
void transform_includes(struct transform *tr);
void transform_names(struct transform *tr);
void transform_fields(struct transform *tr);
void transform_dim3(struct transform *tr); /* before the launches */
void transform_qualified(struct transform *tr);
void transform_launches(struct transform *tr);
void transform_device_pointers(struct transform *tr);
void transform_vectors(struct transform *tr);

/* Rewrites the call of the API at token INDEX, whose argument list opens at LPAREN, as its
   entry says; *NAME becomes the name to write (NULL: leave the name alone). */
void call_rewrite(struct transform *tr, const struct api *api, uint32_t index, uint32_t lparen,
                  const char **name);

/* Writes the whole call anew, or reports it, where its entry says so (write TEXT, host: report
   TEXT) for a call of its form; false where it does not. */
bool call_write(struct transform *tr, const struct api *api, uint32_t index, uint32_t lparen);

/* The HIP header that stands for the CUDA header PATH (LEN bytes), in the file's arena; NULL where
   there is none for the HIP version asked for, or nothing to write. */
const char *header_counterpart(struct transform *tr, const char *path, size_t len);

/* Whether the file is one that nvcc compiles as CUDA, by its name. */
bool is_cuda_source(const struct transform *tr);

/* Notes that what stands at token INDEX needs the HIP runtime header. In a header of the user's
   only what every includer sees counts: what lies in a branch comes with a file that has the header
   already. */
void need_runtime(struct transform *tr, uint32_t index);

/* Notes that the file needs the HIP header PATH, which lives as long as the map. */
void need_header(struct transform *tr, const char *path);

/* Writes the calls whose arguments change places, when all other edits are there. */
void calls_finish(struct transform *tr);

/* The name that stands for API: the native one where --libraries=roc asks for it and there is one,
   else HIP's; NULL where there is no counterpart. */
const char *counterpart(const struct transform *tr, const struct api *api);
bool takes_native_name(const struct transform *tr, const struct api *api);

/* Since which HIP version that name is there; 0: not stated. */
version counterpart_added(const struct transform *tr, const struct api *api);

/* Whether NAME belongs to a library that annotate/ reports as one without counterpart. */
bool library_is_reported(const struct transform *tr, const char *name);

/* Reports at RANGE that NAME, whose entry is API, has no counterpart or needs a newer HIP than the
   one asked for; false, and nothing reported, where it can be used. */
bool report_unavailable(struct transform *tr, struct range range, const char *name,
                        const struct api *api);

/* Whether the HIP asked for no longer has the name. */
static inline bool is_removed(const struct transform *tr, const struct api *api)
{
    return api->hip_life.removed && api->hip_life.removed <= tr->options->hip_version;
}

/* Edits in terms of tokens. */
void replace_token(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason);
void insert_before(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason);
void insert_behind(struct transform *tr, uint32_t index, const char *text, enum edit_reason reason);

/* Inserts TEXT as a line of its own, which has to do with includes, before the line of the source's
   byte OFFSET; or a line for another REASON, which comes behind those. */
void insert_line(struct transform *tr, size_t offset, const char *text);
void insert_line_as(struct transform *tr, size_t offset, const char *text, enum edit_reason reason);

/* Takes out the tokens of RANGE: their lines where they fill them, one of two empty lines around,
   and WITH_COMMENT a comment behind them on the last line; marks them as dropped. */
void take_out(struct transform *tr, struct range range, bool with_comment);

/* A finding at the tokens of RANGE. */
struct finding *report(struct transform *tr, enum rule_id rule, struct range range,
                       const char *arg1, const char *arg2, const char *arg3);

/* Whether the tokens of RANGE hold a comma that a macro would split at: one that no parentheses
   enclose. */
bool has_bare_comma(const struct unit *unit, struct range range);

static inline struct range one_token(uint32_t index)
{
    return (struct range){index, index + 1};
}

#endif
