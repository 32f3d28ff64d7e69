/* Growing arrays of any type:

       VEC(struct token) tokens = {0};
       *vec_push(&tokens) = t;
       vec_each (struct token, t, &tokens) ...
       vec_search(at, tokens.count, tokens.items[at].offset < offset);
       vec_release(&tokens);

   Elements are moved when the array grows, so keep indices, not pointers.  */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define VEC(type)     \
    struct {          \
        type *items;  \
        size_t count; \
        size_t room;  \
    }

/* The address of a new last element, uninitialised. */
#define vec_push(vec)                                                                           \
    ((vec)->count < (vec)->room ? (vec)->items + (vec)->count++                                 \
                                : ((vec)->items = vec_grow((vec)->items, (vec)->count + 1,      \
                                                           &(vec)->room, sizeof *(vec)->items), \
                                   (vec)->items + (vec)->count++))

/* TYPE must be spelt so that `TYPE *item` declares a pointer to an element. */
#define vec_each(type, item, vec) for (type *item = (vec)->items; item != vec_end(vec); ++item)

/* Sets the size_t AT to the first index below COUNT for which BEFORE, a condition on AT, does not
   hold; to COUNT where it holds for all. The indices for which it holds come first. */
#define vec_search(at, count, before)                  \
    do {                                               \
        size_t vec_low = 0, vec_high = (count);        \
        while (vec_low < vec_high) {                   \
            (at) = vec_low + (vec_high - vec_low) / 2; \
            if (before)                                \
                vec_low = (at) + 1;                    \
            else                                       \
                vec_high = (at);                       \
        }                                              \
        (at) = vec_low;                                \
    } while (0)

/* Behind the last element; an empty array has no address to count from. */
#define vec_end(vec) ((vec)->count ? (vec)->items + (vec)->count : (vec)->items)

#define vec_release(vec) (free((vec)->items), (vec)->items = NULL, (vec)->count = (vec)->room = 0)

/* ITEMS with room for at least COUNT elements of SIZE bytes; *ROOM is updated. */
void *vec_grow(void *items, size_t count, size_t *room, size_t size);

#endif
