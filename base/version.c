#include <config.h>

#include "base/version.h"

#include <stdio.h>

bool version_parse(const char *text, size_t len, version *res)
{
    unsigned part[3] = {0, 0, 0};
    int n = 0;
    for (size_t i = 0;; ++i) {
        size_t first = i;
        for (; i < len && '0' <= text[i] && text[i] <= '9'; ++i) {
            part[n] = part[n] * 10 + (unsigned)(text[i] - '0');
            if (1023 < part[n])
                return false;
        }
        if (i == first)
            return false;
        if (i == len)
            break;
        if (text[i] != '.' || ++n == 3)
            return false;
    }
    *res = VERSION(part[0], part[1], part[2]);
    return true;
}

const char *version_format(version v, char buf[VERSION_TEXT])
{
    unsigned major = v >> 20 & 1023, minor = v >> 10 & 1023, patch = v & 1023;
    if (patch)
        snprintf(buf, VERSION_TEXT, "%u.%u.%u", major, minor, patch);
    else
        snprintf(buf, VERSION_TEXT, "%u.%u", major, minor);
    return buf;
}
