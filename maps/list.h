/* Lists of records, as libraries.list and gpus.list are: lines of a word and its value, an empty
   line between records, comments from a # at the start of a line.  */
#ifndef MAPS_LIST_H
#define MAPS_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* The reading of one file. */
struct list {
    struct diag *diag;
    struct diag_place place; /* the line being read; line 0: the file */
    unsigned errors;
};

/* Reports an error at the place of LIST; the value is false. */
#define list_complain(list, ...) \
    (diag_add((list)->diag, DIAG_ERROR, (list)->place, __VA_ARGS__), ++(list)->errors, false)

/* Reads FILE: calls READ_LINE with CONTEXT for each line that is no comment, LEN bytes without its
   end, and once more with an empty one behind the last. False after an error, READ_LINE's own
   (list_complain) included; after many the rest is not read. */
typedef void (*list_reader)(void *context, const char *line, size_t len);
bool list_read(struct list *list, const char *file, list_reader read_line, void *context);

/* Likewise of the LEN bytes at TEXT, which FILE holds. */
bool list_read_text(struct list *list, const char *file, const char *text, size_t len,
                    list_reader read_line, void *context);

#endif
