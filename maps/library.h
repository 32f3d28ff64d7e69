/* The libraries of CUDA and what stands for them on AMD GPUs.

   The facts are the file libraries.list of this folder (see maps/README): one record for
   each library. They answer for what has no entry of its own in a map: a header of
   TensorRT, -lnppial, cutlass::. A table is read-only after loading and may be shared by
   threads.  */
#ifndef MAPS_LIBRARY_H
#define MAPS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* How far a library has a counterpart. */
enum library_state {
    LIBRARY_FULL,    /* translated by renaming, or the same on both sides */
    LIBRARY_PARTIAL, /* the same, but a part of it is missing */
    LIBRARY_PORT,    /* another library for the same work, with another API: a port by hand */
    LIBRARY_NONE,
    LIBRARY_TOOL, /* a program, not a library */
    LIBRARY_STATE_COUNT
};

/* The lines of a record; all but the first three are lists of words or texts as written. */
enum library_field {
    LIBRARY_NAME,        /* "cuBLAS"; several names have " | " between them */
    LIBRARY_COUNTERPART, /* "hipBLAS (over rocBLAS)" */
    LIBRARY_STATE,
    LIBRARY_EXTENT,  /* a phrase that says more than the state: "portable layer, early" */
    LIBRARY_INCLUDE, /* patterns of CUDA's headers */
    LIBRARY_HIP_INCLUDE,
    LIBRARY_LINK, /* "-lcublas" */
    LIBRARY_HIP_LINK,
    LIBRARY_CMAKE, /* "CUDA::cublas" */
    LIBRARY_HIP_CMAKE,
    LIBRARY_COMMAND, /* of tools: "nvcc" */
    LIBRARY_HIP_COMMAND,
    LIBRARY_NAMES,      /* patterns of identifiers and namespaces */
    LIBRARY_PUBLIC,     /* "yes": people have its sources, and may give us those */
    LIBRARY_MAP,        /* the map that tells of each of its names whether it has a counterpart */
    LIBRARY_ROC,        /* the native library, where there is one besides: "rocBLAS", */
    LIBRARY_ROC_EXTENT, /* with the same lines as above */
    LIBRARY_ROC_INCLUDE,
    LIBRARY_ROC_LINK,
    LIBRARY_ROC_CMAKE,
    LIBRARY_ROC_NOTE,
    LIBRARY_NOTE,   /* what to know, a phrase in English */
    LIBRARY_SOURCE, /* keys of maps/README; "unchecked" among them is to be shown */
    LIBRARY_FIELD_COUNT
};

struct library {
    enum library_state state;
    const char *text[LIBRARY_FIELD_COUNT]; /* of each line what follows its word, or NULL */
};

struct library_table;

/* An empty table. Release with library_table_free(). */
struct library_table *library_table_new(void);
void library_table_free(struct library_table *table);

/* Adds the records of FILE. A bad line is an error in DIAG with file and line. False if
   anything was wrong. */
bool library_load_file(struct library_table *table, const char *file, struct diag *diag);

/* The library that a pattern of its list FIELD (LIBRARY_INCLUDE, LIBRARY_LINK,
   LIBRARY_CMAKE, LIBRARY_COMMAND or LIBRARY_NAMES) gives the LEN bytes at TEXT to, or NULL. The
   longest pattern counts, of equal ones the first in the file. */
const struct library *library_find(const struct library_table *table, enum library_field field,
                                   const char *text, size_t len);

/* The library of the header PATH (LEN bytes, without quotes or brackets), or NULL. */
const struct library *library_of_include(const struct library_table *table, const char *path,
                                         size_t len);

/* The library of the link flag FLAG ("-lcudnn", LEN bytes), or NULL. */
const struct library *library_of_link(const struct library_table *table, const char *flag,
                                      size_t len);

/* The library of the identifier or qualified name NAME (LEN bytes), or NULL: "cudnnCreate",
   "nvinfer1", "nvcuda::wmma::fragment". */
const struct library *library_of_name(const struct library_table *table, const char *name,
                                      size_t len);

/* Whether the facts about LIBRARY come from memory alone, so that it must be said. */
bool library_is_unchecked(const struct library *library);

/* Calls FN with each library in the order of the file. */
void library_each(const struct library_table *table,
                  void (*fn)(const struct library *library, void *context), void *context);

/* "full", "partial", ... as the file spells it. */
const char *library_state_word(enum library_state state);

/* "library", "hip-include", ... as the file spells it. */
const char *library_field_word(enum library_field field);

#endif
