/* PTX, the assembly language of NVIDIA GPUs, as far as asm statements show it: which instructions
   a text holds, and what HIP has for each.  */
#ifndef ANNOTATE_PTX_H
#define ANNOTATE_PTX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/finding.h"
#include "base/strbuf.h"

/* What kind of instruction it is; where a text has several, the one that comes last here counts. */
enum ptx_kind {
    PTX_INLINE, /* any other */
    PTX_SPECIAL_REGISTER,
    PTX_WARP,
    PTX_BARRIER,
    PTX_CLUSTER, /* and what else only the newest NVIDIA GPUs have */
    PTX_ASYNC_COPY,
    MATRIX_PTX,
};

/* What is known of an instruction. */
struct ptx_entry {
    const char *words;    /* name, and parts that must follow */
    const char *operands; /* what they must be, without blanks; NULL: anything */
    enum ptx_kind kind;
    enum fix_safety safety; /* of CODE */
    const char *way;        /* what HIP has instead, English */
    const char *code;       /* C++ for it, $0 and so on for the operands; or NULL */
};

/* What was read of a text. */
struct ptx {
    unsigned count;                /* instructions */
    const struct ptx_entry *entry; /* of the one that counts, or NULL: none is known */
    const char *instruction;       /* its text on one line, in the arena; NULL: there is none */
    const char *opcode;            /* its name alone */
};

/* Reads the LEN bytes at TEXT: what an asm statement says, escapes and %% resolved. */
void ptx_read(struct ptx *ptx, const char *text, size_t len, struct arena *arena);

/* Whether OPCODE can be nothing but PTX: other assemblers have no such types and scopes. */
bool ptx_is_certain(const char *opcode);

#endif
