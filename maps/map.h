/* The API facts: what becomes of each CUDA name and header.

   The facts are the *.map files of this folder (see maps/README), read at start-up into
   one look-up. A map is read-only after loading and may be shared by threads.  */
#ifndef MAPS_MAP_H
#define MAPS_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/version.h"

enum api_kind {
    API_FUNCTION,
    API_TYPE,
    API_ENUMERATOR,
    API_MACRO,
    API_DEVICE_FUNCTION, /* intrinsics, device-only functions */
    API_DEVICE_TYPE,
    API_NAMESPACE,
    API_CLASS,
    API_VARIABLE, /* objects, such as thrust::cuda::par */
    API_FIELD,    /* of a struct: cudaPointerAttributes::memoryType; the HIP name is the field's */
    API_HEADER,
    API_KIND_COUNT
};

/* What to do with a header that has a counterpart only in a larger one. */
enum header_action {
    HEADER_REPLACE, /* write hip instead */
    HEADER_DROP,    /* remove the line: nothing is needed in its place */
    HEADER_KEEP,    /* the same name on both sides */
};

/* The life of a name on one side; 0 where the facts do not say. */
struct api_life {
    version added;
    version deprecated;
    version changed;
    version removed;
    version experimental; /* HIP side only */
    version native;       /* HIP side only: the ROCm name came */
};

/* When an argument change applies. */
struct arg_condition {
    bool roc;       /* to a call that takes the ROCm name (--libraries=roc), else to one that
                       takes the HIP name */
    bool host;      /* only in a function that is for the host alone */
    int count;      /* exactly so many arguments; -1: any number */
    version before; /* only for --hip-version below this one; 0: any */
    version since;  /* only for --hip-version at or above this one; 0: any */
    int arg;        /* with `type`: the argument meant */
    const char *
        assigned; /* only where the result is assigned to a variable of this CUDA type; NULL: any */
    const char *type; /* only where that argument is of this CUDA type; NULL: any */
};

/* The vocabulary of argument edits (maps/README). N, M count the call's original arguments
   from 0. */
enum arg_op_kind {
    ARG_WRAP,    /* argument N becomes TEXT(N) */
    ARG_CAST,    /* argument N becomes reinterpret_cast<TEXT>(N) */
    ARG_DROP,    /* argument N is removed */
    ARG_INSERT,  /* TEXT becomes an argument before N; N = count appends */
    ARG_APPEND,  /* TEXT becomes the last argument */
    ARG_REPLACE, /* argument N becomes TEXT */
    ARG_REPEAT,  /* argument N once more, before the original argument M */
    ARG_MOVE,    /* argument N moves to stand before the original argument M */
    ARG_SWAP,    /* arguments N and M change places */
    ARG_ADDRESS, /* argument N becomes &(N) */
    ARG_SUFFIX,  /* argument N becomes (N)TEXT, as in location.id */
    ARG_NAME,    /* the function is called TEXT instead of the entry's hip name */
    ARG_REPORT,  /* the call stays as it is; TEXT says why (rule api-arguments) */
    ARG_NOTE,    /* nothing is edited; TEXT says what differs in this form (rule api-meaning) */
    ARG_WRITE,   /* the whole call becomes TEXT, in which $0, $1, ... stand for its N arguments */
};

struct arg_op {
    enum arg_op_kind kind;
    int n, m;
    const char *text;
};

/* One alternative: the first of an entry whose condition holds is carried out. */
struct arg_change {
    struct arg_condition when;
    const struct arg_op *ops;
    int op_count;
};

struct api {
    const char *cuda; /* the name, or the path of a header; one that ends in "/..." stands for
                         all headers below that folder that have no entry of their own */
    const char *hip;  /* NULL: no counterpart is known; "": the name is removed (macros only) */
    const char *roc;  /* the native ROCm name, or NULL */
    const char *fnuz; /* the name where 8-bit floating-point numbers have the FNUZ encoding, or
                         NULL; HIP has it since fnuz_added */
    version fnuz_added;
    enum api_kind kind;
    enum header_action action; /* headers only */
    const char *after;  /* headers: the HIP header that must come first, since HIP's does not stand
                           alone, or NULL */
    const char *needs;  /* names: the HIP header that declares it where no header of the library
                           brings it, or NULL */
    const char *brings; /* headers: CUDA headers with a blank between them that this one includes,
                           and HIP's not what stands for them, or NULL */
    const char *covered_by; /* headers: drop where this HIP header is already there, or NULL */
    const char *library;    /* "runtime": the file the entry comes from, without .map; for
                               a header the library that its line names */
    struct api_life cuda_life, hip_life;
    const struct arg_change *changes; /* for functions; may be NULL */
    int change_count;
    const char *note;    /* what differs in meaning, a phrase in English, or NULL */
    const char *advice;  /* the nearest way out where there is no counterpart, or NULL */
    const char *define;  /* "MACRO before 7.0": what must be defined ahead of HIP's headers for an
                            older HIP to have the name, or NULL */
    const char *include; /* the C library's header that declares it for the host, which nvcc
                            includes by itself, or NULL; behind it headers that do as well, with a
                            blank between them, "*" for any of the user's */
    const char
        *shim; /* what hipwright_shims.h calls a function of ours that does the same, or NULL */
    const char *source; /* where the fact comes from: a key of maps/README, or the
                           library where the file names none */
};

struct map;
struct library_table;

/* An empty map. Release with map_free(). */
struct map *map_new(void);
void map_free(struct map *map);

/* Adds the entries of FILE; an entry of a later file replaces one of the same name. A bad
   line is an error in DIAG with file and line. False if anything was wrong. */
bool map_load_file(struct map *map, const char *file, struct diag *diag);

/* Likewise of TEXT, which FILE holds: LEN bytes and a NUL, from malloc, taken over by MAP. */
bool map_load_text(struct map *map, const char *file, char *text, size_t len, struct diag *diag);

/* Adds every *.map file of the folder DIR, in the order of their names, and libraries.list where
   there is one. False if anything was wrong, also when there is none. */
bool map_load_dir(struct map *map, const char *dir, struct diag *diag);

/* The entry of the CUDA name of LEN bytes at TEXT, or NULL. Headers are not found here. */
const struct api *map_find(const struct map *map, const char *text, size_t len);

/* The same where hash_bytes() of the name is known. */
const struct api *map_find_hashed(const struct map *map, const char *text, size_t len,
                                  unsigned hash);

/* The entry of the CUDA header PATH (LEN bytes, without quotes or brackets), or NULL: its own,
   else that of the longest folder with one. Look at its action before its hip: a header that
   is dropped may have none. */
const struct api *map_find_header(const struct map *map, const char *path, size_t len);

/* Appends what stands for the CUDA header PATH (LEN bytes), whose entry is API, in HIP: the
   entry's HIP header, or where that ends in "/..." the same path below its folder. Appends
   nothing where API has no HIP header. */
void map_header_path(const struct api *api, const char *path, size_t len, struct strbuf *out);

/* Whether some entry has PATH (LEN bytes) as its HIP header; one that is kept, and so says
   nothing of the side, does not count. */
bool map_is_hip_header(const struct map *map, const char *path, size_t len);

/* Calls FN with each entry whose CUDA or HIP name is NAME, or begins with it where PREFIX;
   in order of library and CUDA name. */
void map_lookup(const struct map *map, const char *name, bool prefix,
                void (*fn)(const struct api *api, void *context), void *context);

/* Reads FILE, lines "CUDA-NAME TAB SHIM-NAME" with # comments: what --shims can put in place of a
   name. A name without entry, a bad line: an error in DIAG with file and line, and false. */
bool map_load_shims(struct map *map, const char *file, struct diag *diag);

/* The entry of a type that some argN=TYPE or to=TYPE names, or a rule of annotate/ asks for, by
   what HIP calls it (LEN bytes at TEXT); NULL for any other name. */
const struct api *map_condition_type(const struct map *map, const char *text, size_t len);

/* What is known of whole libraries (maps/library.h); empty where no libraries.list was loaded.
   Owned by MAP. */
const struct library_table *map_libraries(const struct map *map);

/* The number of entries, headers included. */
size_t map_count(const struct map *map);

/* The newest HIP version that any entry names: the default of --hip-version. */
version map_newest_hip(const struct map *map);

/* "function", "type", ... as the files spell it. */
const char *api_kind_word(enum api_kind kind);

#endif
