#include <config.h>

#include "annotate/machine.h"

#include <ctype.h>
#include <string.h>

#include "base/xalloc.h"

/* A word that begins and ends as one: _num_sms_, numSMs, NumSm, SM_COUNT. */
struct word {
    const char *text; /* lower case */
    unsigned topics;
};

static const struct word words[] = {
    {"sm", TOPIC_SM},
    {"sms", TOPIC_SM | TOPIC_COUNT},
    {"num", TOPIC_COUNT},
    {"n", TOPIC_COUNT},
    {"number", TOPIC_COUNT},
    {"count", TOPIC_COUNT},
    {"cnt", TOPIC_COUNT},
    {"total", TOPIC_COUNT},
    {"block", TOPIC_BLOCKS},
    {"blocks", TOPIC_BLOCKS},
    {"cta", TOPIC_BLOCKS},
    {"ctas", TOPIC_BLOCKS},
    {"occupancy", TOPIC_BLOCKS},
    {"reg", TOPIC_REGISTER},
    {"regs", TOPIC_REGISTER},
    {"register", TOPIC_REGISTER},
    {"registers", TOPIC_REGISTER},
    {"regfile", TOPIC_REGISTER},
    {"numregs", TOPIC_REGISTER},
    {"nregs", TOPIC_REGISTER},
    {"maxregs", TOPIC_REGISTER},
    {"maxreg", TOPIC_REGISTER},
    {"regcount", TOPIC_REGISTER},
    {"maxregcount", TOPIC_REGISTER},
    {"maxrregcount", TOPIC_REGISTER},
    {"lds", TOPIC_SHARED},
    {"shm", TOPIC_SHARED},
    {"max", TOPIC_LIMIT},
    {"maximum", TOPIC_LIMIT},
    {"limit", TOPIC_LIMIT},
    {"capacity", TOPIC_LIMIT},
    {"avail", TOPIC_LIMIT},
    {"available", TOPIC_LIMIT},
    {"budget", TOPIC_LIMIT},
};

/* What says the same wherever it stands in a name. */
static const struct word parts[] = {
    {"multiprocessor", TOPIC_SM}, {"thread", TOPIC_THREADS}, {"smem", TOPIC_SHARED},
    {"shmem", TOPIC_SHARED},      {"shared", TOPIC_SHARED},
};

static bool begins_word(const char *name, const char *at)
{
    unsigned char here = (unsigned char)at[0], before = at == name ? '_' : (unsigned char)at[-1];
    return before == '_' || isdigit(before) || (isupper(here) && islower(before));
}

static bool ends_word(const char *at, const char *end)
{
    unsigned char here = (unsigned char)end[0], next = here ? (unsigned char)end[1] : 0;
    bool plural = end[-1] == 's' && end - at > 2;
    return !here || here == '_' || isdigit(here) ||
           (isupper(here) && (islower((unsigned char)end[-1]) || plural || islower(next)));
}

static bool has_word(const char *name, const char *lower, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = lower; (at = strstr(at, word)); ++at) {
        const char *here = name + (at - lower);
        if (begins_word(name, here) && ends_word(here, here + length))
            return true;
    }
    return false;
}

unsigned machine_topics(const char *name)
{
    enum { LONGEST = 80 };
    char lower[LONGEST];
    size_t length = strlen(name);
    unsigned res = 0;
    if (LONGEST <= length)
        return 0;
    for (size_t i = 0; i <= length; ++i)
        lower[i] = (char)tolower((unsigned char)name[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (strstr(lower, parts[i].text))
            res |= parts[i].topics;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(lower, words[i].text) && has_word(name, lower, words[i].text))
            res |= words[i].topics;
    return res;
}

/* Whether NAME has letters that one of the three topics needs: a cheap look before the real one. */
static bool may_speak(const char *name)
{
    for (const char *at = name; *at; ++at) {
        int next = tolower((unsigned char)at[1]);
        switch (tolower((unsigned char)*at)) {
        case 's':
            if (next == 'm' || next == 'h')
                return true;
            break;
        case 'r':
            if (next == 'e' && tolower((unsigned char)at[2]) == 'g')
                return true;
            break;
        case 'l':
            if (next == 'd' && tolower((unsigned char)at[2]) == 's')
                return true;
            break;
        case 't':
            if (next == 'i' && tolower((unsigned char)at[2]) == 'p')
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

unsigned machine_mark(const struct unit *unit)
{
    const unsigned wanted = TOPIC_SM | TOPIC_REGISTER | TOPIC_SHARED;
    unsigned res = 0;
    for (struct symbol *s = symbol_first(unit->symbols); s; s = symbol_next(s)) {
        unsigned topics = !s->keyword && may_speak(s->text) ? machine_topics(s->text) : 0;
        if (topics & wanted)
            s->flags |= SYMBOL_MACHINE;
        res |= topics & wanted ? topics : 0;
    }
    return res;
}

unsigned machine_topics_of(const struct unit *unit, const struct node *expression)
{
    unsigned res = 0;
    if (expression->kind == NODE_NAME || expression->kind == NODE_MEMBER ||
        expression->kind == NODE_TYPE) {
        const struct symbol *name = tree_symbol(unit, expression);
        res |= name ? machine_topics(name->text) : 0;
    }
    tree_each (kid, expression)
        res |= machine_topics_of(unit, kid);
    return res;
}

bool machine_number(struct annotation *a, const struct node *node, int64_t *value,
                    struct machine_place *place)
{
    struct model *model = annotation_code(a)->model;
    struct constant constant;
    if (!constant_of(model, node, &constant) || !constant_single(&constant))
        return false;
    *value = constant.values[0];
    *place = (struct machine_place){.range = node->tokens};
    if (node->kind == NODE_NAME) {
        const struct symbol *name = tree_symbol(a->unit, node);
        struct name_meaning meaning = model_lookup(model, name, node->token);
        if (meaning.token != NO_TOKEN)
            place->range = (struct range){meaning.token, meaning.token + 1};
        else
            place->elsewhere = name;
    }
    return true;
}

unsigned machine_registers(const struct target *target)
{
    const struct amd_figures *amd = &target->amd;
    unsigned simds = amd->simds[MODE_WGP] ? amd->simds[MODE_WGP] : amd->simds[MODE_CU];
    return simds * amd->vgprs[0] * target_wave(target);
}

static bool is_same_place(struct machine_place a, struct machine_place b)
{
    return a.elsewhere ? a.elsewhere == b.elsewhere : a.range.begin == b.range.begin;
}

struct finding *machine_report(struct machine_reports *reports, struct annotation *a,
                               enum rule_id rule, struct machine_place place, int64_t value,
                               enum related_id id, uint32_t use, bool *is_new)
{
    struct finding *f = NULL;
    *is_new = false;
    if (token_region(unit_token(a->unit, place.range.begin)) == REGION_CUDA)
        return NULL;
    /* What is further back is said again, and dropped where findings are sorted. */
    enum { LOOK_BACK = 64 };
    size_t count = reports->list.count, first = LOOK_BACK < count ? count - LOOK_BACK : 0;
    for (size_t i = first; i < count; ++i) {
        const struct machine_report *report = &reports->list.items[i];
        if (report->rule == rule && is_same_place(report->place, place))
            f = &a->findings->list.items[report->finding];
    }
    if (!f) {
        f = annotation_add(a, rule, place.range);
        finding_add_number(f, value);
        *vec_push(&reports->list) =
            (struct machine_report){rule, place, a->findings->list.count - 1};
        *is_new = true;
    }
    struct span span = unit_token_span(a->unit, use);
    bool again = f->last_related && f->last_related->span.begin == span.begin;
    if (!again && (use < place.range.begin || place.range.end <= use))
        finding_add_related(f, id, span, NULL);
    return f;
}
