#include <config.h>

#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "cli/write.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void progress_begin(struct progress *progress, const struct options *options,
                    const struct inputs *inputs)
{
    const char *term = getenv("TERM");
    *progress = (struct progress){.files = inputs->list.count};
    progress->wanted =
        !options->quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    vec_each (const struct input, input, &inputs->list)
        progress->bytes += (uint64_t)input->size;
    progress->begun = now();
}

/* Cuts what was appended behind BEGIN down to so many COLUMNS. */
static void cut(struct strbuf *out, size_t begin, size_t columns)
{
    size_t used = 0;
    for (size_t at = begin; at < out->len;) {
        uint32_t code = 0;
        size_t len = utf8_next(out->text + at, out->len - at, &code);
        int width = len ? utf8_width(code) : 1;
        used += width < 0 ? 0 : (size_t)width;
        if (columns < used) {
            out->len = at;
            out->text[at] = '\0';
            return;
        }
        at += len ? len : 1;
    }
}

void progress_add_text(const struct progress *p, double seconds, size_t columns, struct strbuf *out)
{
    enum { PHRASE = 128 };
    char findings[PHRASE], left[PHRASE] = "";
    size_t begin = out->len;
    double rate = 0 < seconds ? (double)p->bytes_done / seconds : 0;
    snprintf(findings, sizeof findings, ngettext("%zu finding", "%zu findings", p->findings),
             p->findings);
    if (p->bytes_done && p->bytes_done <= p->bytes) {
        unsigned long rest = (unsigned long)((double)(p->bytes - p->bytes_done) / rate + 0.5);
        /* TRANSLATORS: minutes and seconds that a run still takes. */
        snprintf(left, sizeof left, _(", %lu:%02lu left"), rest / 60, rest % 60);
    }
    /* TRANSLATORS: the first %s is "12 findings", the second ", 0:35 left" or nothing. */
    strbuf_printf(out, _("hipwright: %zu of %zu files, %.1f MB/s, %s%s"), p->files_done, p->files,
                  rate / 1e6, findings, left);
    cut(out, begin, columns);
}

static void draw(struct progress *progress, double time)
{
    struct winsize size;
    /* In the last column some terminals would begin a new line. */
    size_t columns =
        !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && 1 < size.ws_col ? (size_t)size.ws_col - 1 : 79;
    struct strbuf line = STRBUF_INIT;
    strbuf_adds(&line, WRITE_ERASE_LINE);
    progress_add_text(progress, time - progress->begun, columns, &line);
    write_note_bar(true);
    fwrite(line.text, 1, line.len, stderr);
    fflush(stderr);
    strbuf_release(&line);
    progress->shown = true;
    progress->drawn = time;
}

void progress_step(struct progress *progress, const struct input *input, size_t findings)
{
    const double first = 0.5, between = 0.1;
    progress->files_done++;
    progress->bytes_done += (uint64_t)input->size;
    progress->findings += findings;
    if (!progress->wanted)
        return;
    double time = now();
    if (first <= time - progress->begun && between <= time - progress->drawn)
        draw(progress, time);
}

void progress_hide(struct progress *progress)
{
    if (!progress->shown)
        return;
    fputs(WRITE_ERASE_LINE, stderr);
    fflush(stderr);
    write_note_bar(false);
    progress->shown = false;
}
