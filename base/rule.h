/* The registry of rules: one line per rule in rules.def, from which come the names,
   the messages, the documentation's list and the machine formats' rule lists.  */
#ifndef BASE_RULE_H
#define BASE_RULE_H

#include <stdbool.h>

enum effect {
    EFFECT_NONE,
    EFFECT_THROUGHPUT,
    EFFECT_LAUNCH_FAILURE,
    EFFECT_HANG,
    EFFECT_WRONG_RESULT,
    EFFECT_COMPILE,
};

enum confidence {
    CONFIDENCE_LOW,
    CONFIDENCE_MEDIUM,
    CONFIDENCE_HIGH,
};

enum level {
    LEVEL_NOTE,
    LEVEL_WARNING,
    LEVEL_ERROR,
};

enum rule_id {
#define RULE(id, name, effect, confidence, title, message, todo) id,
#include "base/rules.def"
#undef RULE
    RULE_COUNT,
};

/* What another place has to do with a finding. */
enum related_id {
#define RELATED(id, sentence) id,
#include "base/related.def"
#undef RELATED
};

/* What is stated of a GPU. */
enum figure_id {
#define FIGURE(id, key, name) id,
#include "base/figures.def"
#undef FIGURE
};

struct rule {
    const char *name; /* "api-no-counterpart"; its first word is the category */
    enum effect effect;
    enum confidence confidence;
    const char *title;   /* a noun phrase, English */
    const char *message; /* English, %1..%9 stand for the finding's arguments */
    const char *todo;    /* what to do, same form, or NULL */
};

/* The rule of ID; static storage. */
const struct rule *rule_get(enum rule_id id);

/* The category of ID, the first word of its name: "api", "wave", ... */
const char *rule_category(enum rule_id id);

/* Whether what ID finds is in CUDA source only, so that its findings cannot be made again from what
   the translation wrote: the rules about APIs and libraries, and about arguments of launch bounds,
   which mean something else in HIP. */
bool rule_reads_cuda(enum rule_id id);

/* The rule that finds in HIP source what ID finds in CUDA source: ID, but for arguments of launch
   bounds, of which HIP source tells less. */
enum rule_id rule_seen_in_hip(enum rule_id id);

/* Whether ID takes CUDA's word for what it asks further signs of in HIP source: that a warp has 32
   lanes, that an asm statement is PTX, that fragments are those of a warp. */
bool rule_doubts_hip(enum rule_id id);

/* The category NAME, the same pointer as rule_category() returns, or NULL. */
const char *rule_category_find(const char *name);

/* Finds a rule by NAME; false if there is none. */
bool rule_find(const char *name, enum rule_id *res);

/* The sentence of ID, English, with %1..%9 for the place's arguments. */
const char *related_sentence(enum related_id id);

/* The key of ID in machine formats; its name for people, English. */
const char *figure_key(enum figure_id id);
const char *figure_name(enum figure_id id);

/* The level that follows from the effect (interface.md): compile, wrong-result, hang and
   launch-failure are errors, throughput a warning, none a note; low confidence lowers it
   by one. */
enum level level_of(enum effect effect, enum confidence confidence);

/* The words of the machine formats, never translated: "error", "wrong-result", "high". */
const char *level_word(enum level level);
const char *effect_word(enum effect effect);
const char *confidence_word(enum confidence confidence);

#endif
