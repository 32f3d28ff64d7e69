/* What the files of the command line share: the tables (options.c), the values of options
   (options_take.c), help (options_help.c).  */
#ifndef CLI_OPTIONS_P_H
#define CLI_OPTIONS_P_H

#include "cli/options.h"

#include <getopt.h>

enum argument {
    NONE = no_argument,
    REQUIRED = required_argument,
    OPTIONAL = optional_argument,
};

/* The commands that have an option, and where else it may stand. */
enum {
    T = 1 << COMMAND_TRANSLATE,
    C = 1 << COMMAND_CHECK,
    L = 1 << COMMAND_LOOKUP,
    O = 1 << COMMAND_OCCUPANCY,
    B = 1 << COMMAND_BANKS,
    E = 1 << COMMAND_EXPLAIN,
    S = 1 << COMMAND_STRIP,
    H = 1 << COMMAND_HOOK,
    R = 1 << COMMAND_REVIEW,
    /* behind the subcommands */
    CONFIG_FILE = 1 << 28,
    CONFIG_RUN = 1 << 29,
    LIST = 1 << 30,
};

struct option_info {
    const char *name;
    char letter;
    enum argument argument;
    const char *argument_name;
    unsigned commands;
    const char *help;
};

extern const struct option_info options_table[OPT_COUNT];

struct command_info {
    const char *name;
    const char *operands;
    const char *summary;
};

extern const struct command_info commands_table[COMMAND_COUNT];

/* Looks ARG up in WORDS (count of them); the index, or -1 with a message that names OPTION. */
int options_choose(enum option_id option, const char *arg, const char *const *words, int count,
                   struct diag_place place, struct diag *diag);

#define OPTIONS_CHOOSE(option, arg, words) \
    options_choose(option, arg, words, (int)(sizeof(words) / sizeof *(words)), place, diag)

/* Carries out the option ID with ARG, which O keeps; it stands at PLACE. False after a message. */
bool options_take(struct options *o, enum option_id id, const char *arg, struct diag_place place,
                  struct diag *diag);

#endif
