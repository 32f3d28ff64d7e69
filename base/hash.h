/* The hash of names, for every table of names: eight bytes a step, multiply and fold. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

/* The hash of the LEN bytes at TEXT; the same in every run on machines of one byte order. */
unsigned hash_bytes(const void *text, size_t len);

#endif
