/* SHA-256 (FIPS 180-4): to tell whether a file is the one that was written, in a form that anybody
   can check with sha256sum.  */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_HEX = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t len; /* bytes added so far */
    unsigned char block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);

/* The digest of all that was added, as small hexadecimal digits and a NUL. */
void sha256_finish(struct sha256 *sha, char hex[SHA256_HEX + 1]);

/* All of it for the LEN bytes at BYTES. */
void sha256_hex(const void *bytes, size_t len, char hex[SHA256_HEX + 1]);

#endif
