#include <config.h>

#include "maps/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

enum { MAX_ERRORS = 20 }; /* of one file; behind them it is not read on */

bool list_read(struct list *list, const char *file,
               void (*read_line)(void *context, const char *line, size_t len), void *context)
{
    list->place = (struct diag_place){.file = file};
    FILE *in = fopen(file, "re");
    if (!in)
        return list_complain(list, _("cannot read: %s"), strerror(errno));
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
