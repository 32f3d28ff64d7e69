/* The translation of one file: a pure function of its bytes, the options and the map. */
#ifndef TRANSFORM_TRANSLATE_H
#define TRANSFORM_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/finding.h"
#include "base/source.h"
#include "base/strbuf.h"
#include "base/symbol.h"
#include "base/version.h"
#include "maps/map.h"
#include "transform/edit.h"

struct model_options;

enum launch_form {
    LAUNCH_CHEVRON,  /* keep <<<>>> */
    LAUNCH_FUNCTION, /* hipLaunchKernelGGL */
};

/* Which names library calls take. */
enum library_names {
    NAMES_HIP, /* hipBLAS, hipFFT: portable */
    NAMES_ROC, /* rocBLAS, rocFFT, MIOpen, where the facts give the name */
};

enum input_dialect {
    INPUT_AUTO,
    INPUT_CUDA,
    INPUT_HIP,
};

struct translate_options {
    const struct map *map;
    version hip_version; /* the newest HIP that may be used */
    bool any_hip; /* nobody asked for a version: older ones should do as well where that is easy */
    enum launch_form launch;
    enum library_names libraries;
    bool fnuz;  /* a target's 8-bit floating-point numbers have the FNUZ encoding */
    bool shims; /* hipwright_shims.h may provide what HIP lacks */
    enum input_dialect input;
    const struct model_options *known; /* for annotate(): what other files and the command line say
                                          of the names in this one (annotate/model/model.h), or
                                          NULL */
    bool grounds; /* findings get what they rest on in their file, see base/finding.h */
};

struct translation {
    struct arena arena; /* owns everything below but the source's text */
    struct source source;
    struct symbol_table symbols;
    struct unit *unit; /* what the parser found */
    bool hip;          /* the file is HIP's where no conditional says otherwise */
    struct edits edits;
    struct findings findings;
    struct diag diag; /* what is wrong with the file itself */
};

/* The findings it makes are in the order in which they were found; annotate() puts them into that
   of the reports. */

/* Translates the LEN bytes at TEXT (from malloc with SOURCE_PADDING NUL bytes behind, taken
   over), called NAME (borrowed) in messages. Never fails: what is not understood stays as it
   is. Release with translation_release(). */
void translate(struct translation *t, const char *name, char *text, size_t len,
               const struct translate_options *options);

/* Appends the translated text to OUT. */
void translation_text(const struct translation *t, struct strbuf *out);

void translation_release(struct translation *t);

#endif
