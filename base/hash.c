#include <config.h>

#include "base/hash.h"

#include <stdint.h>
#include <string.h>

unsigned hash_bytes(const void *text, size_t len)
{
    const uint64_t mul = 0x9e3779b97f4a7c15u;
    const char *at = text;
    uint64_t res = len * mul;
    for (; 8 <= len; at += 8, len -= 8) {
        uint64_t part;
        memcpy(&part, at, 8);
        res = (res ^ part) * mul;
        res ^= res >> 29;
    }
    uint64_t part = 0;
    if (len & 4) {
        uint32_t four;
        memcpy(&four, at, 4);
        part = four;
        at += 4;
    }
    if (len & 2) {
        uint16_t two;
        memcpy(&two, at, 2);
        part = part << 16 | two;
        at += 2;
    }
    if (len & 1)
        part = part << 8 | (unsigned char)*at;
    res = (res ^ part) * mul;
    return (unsigned)(res >> 32);
}
