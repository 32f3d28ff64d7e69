#include <config.h>

#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"

void diag_add(struct diag *diag, enum diag_level level, struct diag_place place, const char *format,
              ...)
{
    struct strbuf *out = &diag->text;
    if (place.file)
        utf8_add_terminal(out, place.file, strlen(place.file));
    else
        strbuf_adds(out, "hipwright");
    if (place.file && place.line)
        strbuf_printf(out, ":%u", place.line);
    if (place.file && place.line && place.column)
        strbuf_printf(out, ":%u", place.column);
    strbuf_adds(out, ": ");
    switch (level) {
    case DIAG_NOTE:
        strbuf_adds(out, _("note: "));
        break;
    case DIAG_WARNING:
        strbuf_adds(out, _("warning: "));
        diag->warnings++;
        break;
    case DIAG_ERROR:
        strbuf_adds(out, _("error: "));
        diag->errors++;
        break;
    }
    struct strbuf text = STRBUF_INIT;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    utf8_add_terminal(out, text.text ? text.text : "", text.len);
    strbuf_release(&text);
    strbuf_addc(out, '\n');
}

void diag_flush(struct diag *diag, FILE *out)
{
    if (diag->text.len)
        fwrite(diag->text.text, 1, diag->text.len, out);
    fflush(out);
    strbuf_clear(&diag->text);
}

void diag_release(struct diag *diag)
{
    strbuf_release(&diag->text);
}
