#include <config.h>

#include "base/rule.h"

#include <string.h>

#include "base/i18n.h" /* N_() in the tables */

/* The category is the first word of the name, so that it cannot disagree with it. */
static const char *const categories[] = {
    "api", "wave",   "lds",  "occupancy", "sync",  "memory",
    "ptx", "matrix", "math", "library",   "build", "allow",
};

static const struct rule rules[RULE_COUNT] = {
#define RULE(id, name, effect, confidence, title, message, todo) \
    [id] = {name, effect, confidence, title, message, todo},
#include "base/rules.def"
#undef RULE
};

const struct rule *rule_get(enum rule_id id)
{
    return &rules[id];
}

const char *rule_category(enum rule_id id)
{
    const char *name = rules[id].name;
    size_t len = strcspn(name, "-");
    for (size_t i = 0; i < sizeof categories / sizeof *categories; ++i)
        if (strlen(categories[i]) == len && !memcmp(categories[i], name, len))
            return categories[i];
    return categories[0];
}

bool rule_reads_cuda(enum rule_id id)
{
    const char *category = rule_category(id);
    return !strcmp(category, "api") || !strcmp(category, "library") ||
           id == RULE_MATH_FP8_ENCODING || id == RULE_OCCUPANCY_LAUNCH_BOUNDS ||
           id == RULE_OCCUPANCY_LAUNCH_BOUNDS_IMPOSSIBLE || id == RULE_OCCUPANCY_CLUSTER_BOUNDS;
}

enum rule_id rule_seen_in_hip(enum rule_id id)
{
    return id == RULE_OCCUPANCY_LAUNCH_BOUNDS || id == RULE_OCCUPANCY_LAUNCH_BOUNDS_IMPOSSIBLE
               ? RULE_OCCUPANCY_LAUNCH_BOUNDS_IGNORED
               : id;
}

bool rule_doubts_hip(enum rule_id id)
{
    const char *category = rule_category(id);
    return !strcmp(category, "ptx") || !strcmp(category, "matrix") || id == RULE_WAVE_VOTE_KEPT ||
           id == RULE_WAVE_SHUFFLE_LANE || id == RULE_WAVE_MASK_PARTIAL;
}

const char *rule_category_find(const char *name)
{
    for (size_t i = 0; i < sizeof categories / sizeof *categories; ++i)
        if (!strcmp(categories[i], name))
            return categories[i];
    return NULL;
}

bool rule_find(const char *name, enum rule_id *res)
{
    for (int i = 0; i < RULE_COUNT; ++i)
        if (!strcmp(rules[i].name, name)) {
            *res = (enum rule_id)i;
            return true;
        }
    return false;
}

const char *related_sentence(enum related_id id)
{
    static const char *const sentences[] = {
#define RELATED(id, sentence) [id] = sentence,
#include "base/related.def"
#undef RELATED
    };
    return sentences[id];
}

static const struct {
    const char *key, *name;
} figures[] = {
#define FIGURE(id, key, name) [id] = {key, name},
#include "base/figures.def"
#undef FIGURE
};

const char *figure_key(enum figure_id id)
{
    return figures[id].key;
}

const char *figure_name(enum figure_id id)
{
    return figures[id].name;
}

enum level level_of(enum effect effect, enum confidence confidence)
{
    enum level res = effect == EFFECT_NONE         ? LEVEL_NOTE
                     : effect == EFFECT_THROUGHPUT ? LEVEL_WARNING
                                                   : LEVEL_ERROR;
    return confidence == CONFIDENCE_LOW && res != LEVEL_NOTE ? res - 1 : res;
}

const char *level_word(enum level level)
{
    static const char *const words[] = {"note", "warning", "error"};
    return words[level];
}

const char *effect_word(enum effect effect)
{
    static const char *const words[] = {"none", "throughput",   "launch-failure",
                                        "hang", "wrong-result", "compile"};
    return words[effect];
}

const char *confidence_word(enum confidence confidence)
{
    static const char *const words[] = {"low", "medium", "high"};
    return words[confidence];
}
