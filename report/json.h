/* Findings as one JSON object, in the form that the interface promises.

   The object is written in parts, so that a large tree is never held in memory: begin, then
   the findings of each file in order, then the end. Always English, and the same bytes
   whatever the locale. Bytes that are not UTF-8 appear as \xNN.  */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "annotate/comparison.h"
#include "base/finding.h"
#include "base/source.h"
#include "base/strbuf.h"

/* VALUE, a new reference; out of memory ends the program. */
json_t *json_must(json_t *value);

/* Sets KEY of OBJECT to VALUE, and appends VALUE to ARRAY; VALUE is taken over. */
void json_put(json_t *object, const char *key, json_t *value);
void json_push(json_t *array, json_t *value);

/* A JSON string of the LEN bytes at TEXT; a new reference. */
json_t *json_text(const char *text, size_t len);

/* The same of a NUL-terminated TEXT, or null for NULL. */
json_t *json_text_or_null(const char *text);

/* The names of the targets in SET, those of GPUS; a new reference. */
json_t *json_target_names(const struct comparison *gpus, target_set set);

/* The figures of FINDING by GPU; a new reference. */
json_t *json_figures(const struct finding *finding);

/* {"name": "hipwright", "version": ...}; a new reference. */
json_t *json_tool(void);

/* Appends VALUE on one line, and releases it. */
void json_add(struct strbuf *out, json_t *value);

/* Appends the beginning of the object, up to the list called LIST ("findings"); GPUS are those of
   the run. */
void json_add_begin(struct strbuf *out, const struct comparison *gpus, const char *list);

/* The object of FINDING of SOURCE, whose targets are those of GPUS; a new reference. */
json_t *json_finding(struct source *source, const struct finding *finding,
                     const struct comparison *gpus);

/* Appends FINDING of SOURCE, whose targets are those of GPUS; between findings come commas. */
void json_add_finding(struct strbuf *out, struct source *source, const struct finding *finding,
                      const struct comparison *gpus);

struct json_summary {
    size_t files;               /* read */
    size_t findings;            /* shown */
    size_t suppressed;          /* silenced by comments */
    size_t known;               /* from a baseline */
    const char *const *skipped; /* the names of files that could not be read */
    size_t skipped_count;
    json_t *stats; /* the member "stats", which is released; or NULL */
};

/* Appends the end of the object. */
void json_add_end(struct strbuf *out, const struct json_summary *summary);

#endif
