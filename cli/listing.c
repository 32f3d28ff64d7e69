#include <config.h>

#include "cli/listing.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/write.h"
#include "report/json.h"

static bool put(struct listing *listing, const char *text, size_t len)
{
    if (!len)
        return true;
    if (listing->options->format != FORMAT_JSON && listing->fd == STDERR_FILENO)
        fwrite(text, 1, len, stderr);
    else if (listing->broken || !write_stdout(text, len, listing->diag))
        listing->broken = true;
    return !listing->broken;
}

bool listing_begin(struct listing *listing, const struct options *options, int fd,
                   struct diag *diag)
{
    *listing = (struct listing){.options = options, .fd = fd, .diag = diag};
    if (options->stats)
        listing->stats = stats_new();
    if (options->format != FORMAT_JSON)
        return true;
    struct comparison gpus;
    if (!configs_join_gpus(options->configs, options, &gpus, diag))
        return false;
    struct strbuf text = STRBUF_INIT;
    json_add_begin(&text, &gpus);
    bool res = put(listing, text.text, text.len);
    strbuf_release(&text);
    return res;
}

void listing_release(struct listing *listing)
{
    vec_release(&listing->unreadable);
    summary_release(&listing->summary);
    stats_free(listing->stats);
}

static void count_left_out(struct listing *listing, const struct job *job)
{
    if (!job->read)
        stats_add_left_out(listing->stats, LEFT_UNREADABLE, 1);
    else if (job->skipped == SKIPPED_PLAIN)
        stats_add_left_out(listing->stats, LEFT_PLAIN, 1);
    else if (job->skipped == SKIPPED_BINARY)
        stats_add_left_out(listing->stats, LEFT_BINARY, 1);
}

bool listing_take(struct listing *listing, const struct input *input, const struct job *job)
{
    if (!job->read)
        *vec_push(&listing->unreadable) = input->name;
    summary_add(&listing->summary, &job->summary);
    if (listing->stats) {
        count_left_out(listing, job);
        if (job->stats)
            stats_add(listing->stats, job->stats);
    }
    bool first = !listing->findings;
    listing->findings += job->finding_count;
    if (!job->findings.len)
        return true;
    return (listing->options->format != FORMAT_JSON || first || put(listing, ",", 1)) &&
           put(listing, job->findings.text, job->findings.len);
}

bool listing_end(struct listing *listing, const struct inputs *inputs)
{
    struct strbuf text = STRBUF_INIT;
    if (listing->broken)
        return false; /* which was said */
    if (listing->stats) {
        stats_add_left_out(listing->stats, LEFT_LINK, inputs->links);
        stats_add_left_out(listing->stats, LEFT_EXCLUDED, inputs->omitted);
    }
    if (listing->options->format == FORMAT_JSON) {
        const struct summary *s = &listing->summary;
        json_add_end(&text, &(struct json_summary){
                                .files = s->files,
                                .findings = listing->findings,
                                .suppressed = s->suppressed,
                                .skipped = listing->unreadable.items,
                                .skipped_count = listing->unreadable.count,
                                .stats = listing->stats ? stats_json(listing->stats, s) : NULL});
        put(listing, text.text, text.len);
    } else if (listing->stats) {
        stats_add_text(listing->stats, &listing->summary, &text);
        fwrite(text.text, 1, text.len, stderr);
    }
    strbuf_release(&text);
    return !listing->broken;
}
