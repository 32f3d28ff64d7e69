/* What the files that read a map share: the map itself (map.c), the columns of a line (map_line.c),
   the argument language (map_changes.c). Texts lie in the file's own, which is cut where a NUL
   fits.  */
#ifndef MAPS_MAP_P_H
#define MAPS_MAP_P_H

#include "maps/map.h"

#include <string.h>

#include "base/arena.h"

struct field {
    char *text; /* NUL-terminated, in the file's text */
    size_t len;
};

/* The reading of one file. */
struct reader {
    struct map *map;
    struct arena *arena; /* the map's */
    struct diag *diag;
    struct diag_place place;
    const char *library;
    const char *source; /* of the entries that name none of their own */
    unsigned errors;
};

/* Reports an error at the place of READER; false. */
#define complain(reader, ...) \
    (diag_add((reader)->diag, DIAG_ERROR, (reader)->place, __VA_ARGS__), ++(reader)->errors, false)

static inline bool is_blank(char c)
{
    return c == ' ';
}

static inline bool is_digit(char c)
{
    return '0' <= c && c <= '9';
}

static inline bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

static inline bool is_empty(struct field field)
{
    return field.len == 1 && field.text[0] == '-';
}

static inline bool starts_with(const char *text, const char *end, const char *prefix)
{
    size_t len = strlen(prefix);
    return len <= (size_t)(end - text) && memcmp(text, prefix, len) == 0;
}

/* Ends the text BEGIN..END with a NUL behind its last byte that is no blank, and gives its first
   one that is none. The byte at END may be overwritten: it is a separator that was read, or the NUL
   of the field. */
char *map_finish_text(char *begin, char *end);

/* Reads the line from LINE to END, where there is a byte that may be overwritten; false where an
   error was reported. */
bool map_read_line(struct reader *reader, char *line, char *end);

/* Reads the column with the argument changes into API: alternatives with '|' between them,
   operations with ';' between them (maps/README). False where an error was reported. */
bool map_read_changes(struct reader *reader, struct field field, struct api *api);

/* Puts API, whose CUDA name has LEN bytes, into the map; false where an error was reported. */
bool map_add(struct reader *reader, const struct api *api, size_t len);

/* A condition asks for the CUDA type TYPE, which lives as long as MAP. */
void map_note_condition_type(struct map *map, const char *type);

/* Something came, or changed, with version V of HIP. */
void map_note_hip(struct map *map, version v);

#endif
