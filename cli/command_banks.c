/* hipwright banks: which banks of shared memory (LDS) an access hits, and what that costs. */
#include <config.h>

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "annotate/gpu/lds.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "cli/banks.h"
#include "cli/gpu.h"
#include "report/json.h"

enum { MAX_BANK_LINES = 8 };

/* ---- Text */

/* "0-3,20-23" */
static void add_lanes(struct strbuf *out, uint64_t lanes)
{
    bool first = true;
    for (int at = 0; at < 64; ++at) {
        if (!(lanes >> at & 1))
            continue;
        int end = at;
        while (end < 63 && lanes >> (end + 1) & 1)
            ++end;
        strbuf_printf(out, first ? "%d" : ",%d", at);
        if (at < end)
            strbuf_printf(out, "-%d", end);
        first = false;
        at = end;
    }
    if (first)
        strbuf_addc(out, '-');
}

static const struct lds_phase *worst_phase(const struct banks_figures *f)
{
    const struct lds_phase *res = f->cost.phases;
    for (unsigned i = 1; i < f->cost.phase_count; ++i)
        if (res->cycles < f->cost.phases[i].cycles)
            res = &f->cost.phases[i];
    return res;
}

/* TEXT, aligned to the right of WIDTH columns. */
static void add_head(struct strbuf *out, size_t width, const char *text)
{
    struct strbuf cell = STRBUF_INIT;
    size_t columns = utf8_add_terminal(&cell, text, strlen(text));
    strbuf_printf(out, "%*s%s", columns < width ? (int)(width - columns) : 0, "", cell.text);
    strbuf_release(&cell);
}

/* The heads of a table's columns; the third is always the lanes. */
static void add_heads(struct strbuf *out, const char *first, const char *second)
{
    strbuf_adds(out, "  ");
    add_head(out, 5, first);
    strbuf_adds(out, "  ");
    add_head(out, 6, second);
    strbuf_printf(out, "  %s\n", _("lanes"));
}

static void add_phases(struct strbuf *out, const struct banks_figures *f)
{
    add_heads(out, _("phase"), _("cycles"));
    for (unsigned i = 0; i < f->cost.phase_count; ++i) {
        strbuf_printf(out, "  %5u  %6u  ", i + 1, f->cost.phases[i].cycles);
        add_lanes(out, f->cost.phases[i].active);
        strbuf_addc(out, '\n');
    }
}

/* One line for the banks FROM to LAST, which the same lanes ask for as many words. */
static void add_bank(struct strbuf *out, unsigned from, unsigned last, const struct lds_bank *bank)
{
    char range[16];
    snprintf(range, sizeof range, from < last ? "%u-%u" : "%u", from, last);
    strbuf_printf(out, "  %5s  %6u  ", range, bank->words);
    add_lanes(out, bank->lanes);
    strbuf_addc(out, '\n');
}

/* The banks of the worst phase that are asked for more than one word, the busiest first. */
static void add_conflicts(struct strbuf *out, const struct banks_answer *a,
                          const struct banks_figures *f)
{
    const struct lds_phase *phase = worst_phase(f);
    struct lds_bank banks[LDS_MAX_BANKS];
    unsigned lines = 0, shown = 0, used = 0, busy = 0;
    banks_of_phase(a, f, phase, banks);
    for (unsigned bank = 0; bank < f->rule->banks; ++bank) {
        used += 0 < banks[bank].words;
        busy += 1 < banks[bank].words;
    }
    strbuf_printf(out, _("  in phase %d, %u of %u banks are used, %u of them more than once:\n"),
                  (int)(phase - f->cost.phases) + 1, used, f->rule->banks, busy);
    add_heads(out, _("bank"), _("words"));
    for (unsigned words = phase->cycles; 1 < words; --words)
        for (unsigned bank = 0; bank < f->rule->banks; ++bank) {
            if (banks[bank].words != words)
                continue;
            unsigned last = bank;
            while (last + 1 < f->rule->banks && banks[last + 1].words == words &&
                   banks[last + 1].lanes == banks[bank].lanes)
                ++last;
            if (lines++ < MAX_BANK_LINES) {
                add_bank(out, bank, last, &banks[bank]);
                shown += last - bank + 1;
            }
            bank = last;
        }
    if (shown < busy)
        strbuf_printf(out, ngettext("  and %u bank more\n", "  and %u banks more\n", busy - shown),
                      busy - shown);
}

/* The row that a swizzle is made from: i, or what i and j make together. */
static void add_row(struct strbuf *out, const struct lds_array *array)
{
    if (array->dims == 2)
        strbuf_adds(out, "i");
    else
        strbuf_printf(out, "(i * %lld + j)", (long long)array->size[1]);
}

/* The index that LAYOUT makes of i, j, k: "[i][j ^ (i & 31)]", "n + (n >> 5)", or the
   dimensions with a pad: "[32][33]". */
static void add_layout(struct strbuf *out, const struct lds_array *array,
                       const struct lds_layout *layout)
{
    if (layout->skew) {
        strbuf_printf(out, "[n + (n >> %u)]", layout->skew);
        return;
    }
    if (!layout->mask) {
        for (unsigned i = 0; i < array->dims; ++i)
            strbuf_printf(out, "[%lld]",
                          (long long)(array->size[i] + (i + 1 == array->dims ? layout->pad : 0)));
        return;
    }
    strbuf_printf(out, array->dims == 2 ? "[i][j ^ " : "[i][j][k ^ ");
    if (layout->scale)
        strbuf_addc(out, '(');
    strbuf_adds(out, layout->row_shift ? "((" : "(");
    add_row(out, array);
    if (layout->times)
        strbuf_printf(out, " * %u", layout->times);
    if (layout->row_shift)
        strbuf_printf(out, " >> %u)", layout->row_shift);
    strbuf_printf(out, " & %u)", layout->mask);
    if (layout->scale)
        strbuf_printf(out, " << %u)", layout->scale);
    strbuf_addc(out, ']');
}

/* How many blocks fit with what FIX adds, where it adds something. */
static void add_groups(struct strbuf *out, const struct banks_answer *a, const struct lds_fix *fix)
{
    struct occupancy after = banks_with_fix(a, fix);
    const char *unit = gpu_unit(a->target, &a->now);
    if (!banks_more_bytes(a, fix) || !a->now.groups)
        return;
    if (after.groups == a->now.groups)
        strbuf_printf(out,
                      ngettext("    %u workgroup per %s, as before\n",
                               "    %u workgroups per %s, as before\n", after.groups),
                      after.groups, unit);
    else
        strbuf_printf(out,
                      ngettext("    %u workgroup per %s instead of %u\n",
                               "    %u workgroups per %s instead of %u\n", after.groups),
                      after.groups, unit, a->now.groups);
}

static uint64_t all_cycles(const struct banks_answer *a)
{
    uint64_t res = 0;
    for (size_t i = 0; i < a->q->count; ++i)
        res += a->figures[i].sum.cycles;
    return res;
}

static bool has_conflicts(const struct banks_answer *a)
{
    for (size_t i = 0; i < a->q->count; ++i)
        if (a->figures[i].sum.ideal < a->figures[i].sum.cycles)
            return true;
    return false;
}

/* A gain that nobody would change a program for is not shown, nor the layout that is there. */
static bool is_worthwhile(const struct banks_answer *a, const struct lds_fix *fix)
{
    uint64_t cycles = all_cycles(a);
    if (!fix->found || (a->layout.pad == fix->layout.pad && !fix->layout.mask &&
                        !fix->layout.grow && !fix->layout.skew))
        return false;
    return 4 * fix->cycles <= 3 * cycles ||
           (fix->cycles <= cycles && (fix->cycles < cycles || banks_more_bytes(a, fix) < 0));
}

/* What FIX gives and costs in bytes. */
static void add_gain(struct strbuf *out, const struct banks_answer *a, const struct lds_fix *fix)
{
    unsigned long long cycles = fix->cycles;
    long long before = (long long)banks_bytes(a),
              now = before + (long long)banks_more_bytes(a, fix);
    if (fix->free && now != before)
        /* TRANSLATORS: these follow "pad by 1 to [32][33]: " and the like. */
        strbuf_printf(out, _("no conflicts, %lld bytes instead of %lld"), now, before);
    else if (fix->free)
        strbuf_adds(out, _("no conflicts, no bytes more"));
    else if (now != before)
        strbuf_printf(out, _("cycles %llu, %lld bytes instead of %lld"), cycles, now, before);
    else
        strbuf_printf(out, _("cycles %llu, no bytes more"), cycles);
}

static void add_fix(struct strbuf *out, const struct banks_answer *a, const struct lds_fix *fix)
{
    struct strbuf layout = STRBUF_INIT, gain = STRBUF_INIT;
    unsigned element = a->array.element, grown = element + fix->layout.grow;
    add_layout(&layout, &a->array, &fix->layout);
    add_gain(&gain, a, fix);
    if (fix->layout.grow && fix->layout.pad)
        strbuf_printf(out,
                      _("  make each element %u bytes instead of %u, and pad by %u to %s: %s\n"),
                      grown, element, fix->layout.pad, layout.text, gain.text);
    else if (fix->layout.grow)
        strbuf_printf(out, _("  make each element %u bytes instead of %u: %s\n"), grown, element,
                      gain.text);
    else if (fix->layout.pad)
        strbuf_printf(out, _("  pad by %u to %s: %s\n"), fix->layout.pad, layout.text, gain.text);
    else if (fix->layout.mask || fix->layout.skew)
        strbuf_printf(out, _("  use %s: %s\n"), layout.text, gain.text);
    else
        strbuf_printf(out, _("  without the padding, %s: %s\n"), layout.text, gain.text);
    strbuf_release(&layout);
    strbuf_release(&gain);
    add_groups(out, a, fix);
}

static void add_fixes(struct strbuf *out, const struct banks_answer *a)
{
    bool pad = is_worthwhile(a, &a->pad), swizzle = is_worthwhile(a, &a->swizzle);
    if (a->bare.found)
        add_fix(out, a, &a->bare);
    if (pad)
        add_fix(out, a, &a->pad);
    if (swizzle)
        add_fix(out, a, &a->swizzle);
    if (pad || swizzle || !has_conflicts(a))
        return;
    if (!a->q->has_array)
        strbuf_adds(out, _("  with '--array' a better layout would be looked for\n"));
    else if (!a->bare.found || all_cycles(a) < a->bare.cycles)
        strbuf_adds(out, _("  neither padding nor an XOR helps\n"));
}

static void add_trust(struct strbuf *out, const struct banks_figures *f)
{
    switch (f->rule->trust) {
    case LDS_INFERRED:
        strbuf_adds(out, _("  which lanes go together is inferred from a sister GPU\n"));
        break;
    case LDS_DISPUTED:
        strbuf_adds(out, _("  the sources do not agree about such accesses; compare gfx950 and "
                           "gfx950-64banks\n"));
        break;
    case LDS_MEASURED:
    case LDS_STATED:
        break;
    }
}

/* How much shared memory a block has, and how many fit with it. */
static void add_room(struct strbuf *out, const struct banks_answer *a)
{
    const char *unit = gpu_unit(a->target, &a->now);
    if (a->now.groups)
        strbuf_printf(out,
                      ngettext("  %u bytes of LDS: %u workgroup per %s, limited by: %s\n",
                               "  %u bytes of LDS: %u workgroups per %s, limited by: %s\n",
                               a->now.groups),
                      a->request.lds, a->now.groups, unit, gpu_limit(a->target, a->now.limited_by));
    else
        strbuf_printf(out, _("  %u bytes of LDS: a launch fails, not even one block fits\n"),
                      a->request.lds);
}

static void add_access(struct strbuf *out, const struct banks_answer *a,
                       const struct banks_figures *f)
{
    const struct banks_query *q = a->q;
    bool conflict = f->sum.ideal < f->sum.cycles;
    struct strbuf block = STRBUF_INIT;
    strbuf_printf(&block, "%lld", (long long)q->block[0]);
    for (int i = 1; i < 3; ++i)
        if (1 < q->block[i] || (i == 1 && 1 < q->block[2]))
            strbuf_printf(&block, " x %lld", (long long)q->block[i]);
    strbuf_printf(out,
                  f->access->write ? _("%s: writes of %u bytes, waves of %u lanes, %u banks\n")
                                   : _("%s: reads of %u bytes, waves of %u lanes, %u banks\n"),
                  a->target->name, q->bytes, a->wave, f->rule->banks);
    unsigned long long cycles = f->sum.cycles, ideal = f->sum.ideal;
    if (conflict)
        strbuf_printf(out, _("  block of %s: cycles %llu, ideal %llu, at worst %u-way conflicts\n"),
                      block.text, cycles, ideal, f->sum.worst_way);
    else
        strbuf_printf(out, _("  block of %s: cycles %llu, ideal %llu, no conflicts\n"), block.text,
                      cycles, ideal);
    strbuf_release(&block);
    if (1 < f->sum.waves)
        strbuf_printf(out, _("  wave %zu of %zu: cycles %u, ideal %u\n"), f->sum.worst_wave + 1,
                      f->sum.waves, f->cost.cycles, f->cost.ideal);
    add_phases(out, f);
    if (conflict)
        add_conflicts(out, a, f);
    add_trust(out, f);
}

static void add_text(struct strbuf *out, const struct banks_answer *a)
{
    for (size_t i = 0; i < a->q->count; ++i)
        add_access(out, a, &a->figures[i]);
    add_room(out, a);
    add_fixes(out, a);
}

/* ---- JSON */

static json_t *json_lanes(uint64_t lanes)
{
    json_t *res = json_array();
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        json_array_append_new(res, json_integer(__builtin_ctzll(rest)));
    return res;
}

static json_t *json_phase(const struct banks_answer *a, const struct banks_figures *f,
                          const struct lds_phase *phase)
{
    struct lds_bank banks[LDS_MAX_BANKS];
    json_t *conflicts = json_array();
    banks_of_phase(a, f, phase, banks);
    for (unsigned bank = 0; bank < f->rule->banks; ++bank)
        if (1 < banks[bank].words)
            json_array_append_new(conflicts, json_pack("{s:i, s:i, s:o}", "bank", (int)bank,
                                                       "words", (int)banks[bank].words, "lanes",
                                                       json_lanes(banks[bank].lanes)));
    return json_pack("{s:o, s:i, s:o}", "lanes", json_lanes(phase->active), "cycles",
                     (int)phase->cycles, "conflicts", conflicts);
}

/* The key of how many blocks fit, as `hipwright occupancy` has it. */
static const char *groups_key(const struct banks_answer *a)
{
    return a->target->vendor == VENDOR_AMD ? "workgroups_per_cu" : "blocks_per_sm";
}

/* A better layout, or null. */
static json_t *json_fix(const struct banks_answer *a, const struct lds_fix *fix)
{
    if (!fix->found)
        return json_null();
    struct strbuf layout = STRBUF_INIT;
    add_layout(&layout, &a->array, &fix->layout);
    const struct lds_layout *l = &fix->layout;
    unsigned times = l->mask && !l->times ? 1 : l->times;
    json_t *res = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:I, s:I, s:I, s:I}",
                            "layout", layout.text, "pad", (int)l->pad, "grow", (int)l->grow, "skew",
                            (int)l->skew, "times", (int)times, "row_shift", (int)l->row_shift,
                            "mask", (int)l->mask, "scale", (int)l->scale, "conflict_free",
                            (int)fix->free, "block_cycles", (json_int_t)fix->cycles, "bytes",
                            (json_int_t)(banks_bytes(a) + banks_more_bytes(a, fix)), "more_bytes",
                            (json_int_t)banks_more_bytes(a, fix), groups_key(a),
                            (json_int_t)banks_with_fix(a, fix).groups);
    strbuf_release(&layout);
    return res;
}

/* One access; the first keys are those of the whole answer. */
static json_t *json_access(const struct banks_answer *a, const struct banks_figures *f)
{
    const struct banks_query *q = a->q;
    json_t *phases = json_array();
    for (unsigned i = 0; i < f->cost.phase_count; ++i)
        json_array_append_new(phases, json_phase(a, f, &f->cost.phases[i]));
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:[I,I,I], s:i, s:i, s:o, s:i, s:i, s:i, s:I, s:I, "
        "s:i}",
        "target", a->target->name, "access", f->access->write ? "write" : "read", "bytes",
        (int)q->bytes, "element_bytes", (int)q->array.element, "wave", (int)a->wave, "banks",
        (int)f->rule->banks, "trust", lds_trust_word(f->rule->trust), "block",
        (json_int_t)q->block[0], (json_int_t)q->block[1], (json_int_t)q->block[2], "waves",
        (int)f->sum.waves, "worst_wave", (int)f->sum.worst_wave, "phases", phases, "cycles",
        (int)f->cost.cycles, "ideal_cycles", (int)f->cost.ideal, "worst_way",
        (int)f->cost.worst_way, "block_cycles", (json_int_t)f->sum.cycles, "block_ideal_cycles",
        (json_int_t)f->sum.ideal, "block_worst_way", (int)f->sum.worst_way);
}

static json_t *json_answer(const struct banks_answer *a)
{
    json_t *res = json_access(a, &a->figures[0]);
    if (1 < a->q->count)
        json_object_set_new(res, "other", json_access(a, &a->figures[1]));
    json_object_set_new(res, "lds", json_integer(a->request.lds));
    json_object_set_new(res, groups_key(a), json_integer(a->now.groups));
    json_object_set_new(res, "limited_by", json_string(occupancy_limit_word(a->now.limited_by)));
    json_object_set_new(res, "padding", json_integer(a->layout.pad));
    json_object_set_new(res, "unpadded", json_fix(a, &a->bare));
    json_object_set_new(res, "pad", json_fix(a, &a->pad));
    json_object_set_new(res, "xor", json_fix(a, &a->swizzle));
    return res;
}

/* ---- The command */

static bool answer(const struct target *target, void *context, struct strbuf *out)
{
    struct banks_query *q = context;
    struct banks_answer a;
    bool res = banks_work_out(q, target, &a);
    if (res && q->o->format == FORMAT_JSON)
        json_add(out, json_answer(&a));
    else if (res)
        add_text(out, &a);
    banks_release(&a);
    return res;
}

enum exit_status command_banks(const struct options *o)
{
    struct diag diag = DIAG_INIT;
    struct banks_query q = {.o = o, .diag = &diag, .arena = ARENA_INIT};
    enum exit_status res = STATUS_TROUBLE;
    if (banks_read(&q))
        res = gpu_answer(o, answer, &q, &diag);
    diag_flush(&diag, stderr);
    diag_release(&diag);
    arena_release(&q.arena);
    return res;
}
