#include <config.h>

#include "maps/list.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

enum { MAX_ERRORS = 20 }; /* of one file; behind them it is not read on */

/* Reads IN, and closes it. */
static bool read_stream(struct list *list, FILE *in, list_reader read_line, void *context)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while (list->errors < MAX_ERRORS && 0 <= (len = getline(&line, &room, in))) {
        ++list->place.line;
        while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            --len;
        if (memchr(line, '\0', (size_t)len))
            (void)list_complain(list, _("a NUL byte"));
        else if (!len || *line != '#')
            read_line(context, line, (size_t)len);
    }
    int error = ferror(in) ? errno : 0;
    read_line(context, "", 0);
    free(line);
    fclose(in);
    list->place.line = 0;
    return (!error || list_complain(list, _("cannot read: %s"), strerror(error))) && !list->errors;
}

bool list_read(struct list *list, const char *file, list_reader read_line, void *context)
{
    list->place = (struct diag_place){.file = file};
    FILE *in = fopen(file, "re");
    if (!in)
        return list_complain(list, _("cannot read: %s"), strerror(errno));
    return read_stream(list, in, read_line, context);
}

bool list_read_text(struct list *list, const char *file, const char *text, size_t len,
                    list_reader read_line, void *context)
{
    list->place = (struct diag_place){.file = file};
    FILE *in = fmemopen((void *)(uintptr_t)text, len, "r"); /* which only reads it */
    if (!in)
        return list_complain(list, _("cannot read: %s"), strerror(errno));
    return read_stream(list, in, read_line, context);
}
