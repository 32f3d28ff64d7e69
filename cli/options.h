/* The command line: one table of options (options.def), one of subcommands (commands.def).  */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "annotate/gpu/occupancy.h"
#include "base/diag.h"
#include "base/finding.h"
#include "base/vec.h"
#include "base/version.h"
#include "transform/translate.h"

enum command {
#define COMMAND(id, name, function, operands, summary) id,
#include "cli/commands.def"
#undef COMMAND
    COMMAND_COUNT,
};

enum exit_status {
    STATUS_OK = 0,
    STATUS_FOUND = 1,   /* findings at or above --fail-on, or something would change */
    STATUS_TROUBLE = 2, /* bad usage, unreadable file, failed write */
};

enum option_id {
#define OPTION(id, name, letter, argument, argument_name, commands, help) id,
#include "cli/options.def"
#undef OPTION
    OPT_COUNT,
};

enum color_when {
    COLOR_AUTO,
    COLOR_ALWAYS,
    COLOR_NEVER,
};

enum format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_SARIF,
    FORMAT_GITHUB,
};

/* Which fixes to apply. */
enum fix_wanted {
    FIX_NONE,
    FIX_ONLY_SAFE,
    FIX_ALSO_UNSAFE,
};

/* Lines of context of a diff. */
enum { DEFAULT_CONTEXT = 3 };

/* No level reaches this one: --fail-on=never. */
enum { LEVEL_NEVER = LEVEL_ERROR + 1 };

/* One option as the command line or a configuration gives it. */
struct option_setting {
    enum option_id id;
    const char *arg; /* borrowed; NULL for none */
};

struct option_list {
    VEC(struct option_setting) settings;
};

struct changes;
struct configs;

struct options {
    enum command command;
    VEC(const char *) operands; /* files or names; the strings are argv's */
    struct option_list given;   /* all options of the command line, in order */
    struct configs *configs;    /* cli/config.h; borrowed */
    struct changes *changes;    /* cli/changes.h; NULL: all lines of all inputs; borrowed */
    const char *config;         /* --config */
    bool no_config;
    bool coverage;
    bool list;
    VEC(const char *) maps;
    VEC(const char *) gpus;
    VEC(const char *) include_folders;
    VEC(const char *) defines;    /* NAME or NAME=VALUE */
    const char *compile_commands; /* a file or folder, or NULL */
    const char *target;           /* names, by commas, or NULL */
    const char *from;             /* a name, or NULL */
    bool no_markers;              /* --annotate=none */
    enum fix_wanted fix;
    struct occupancy_request request;
    unsigned min_blocks; /* CUDA's, 0: not given */
    const char *files_from;
    const char *report;
    const char *baseline;
    const char *write_baseline;
    bool staged;
    const char *diff_base;
    const char *output;
    const char *output_dir;
    const char *suffix; /* of in-place backups, or NULL */
    const char *type;   /* of banks, as are the following; NULL where they are not given */
    const char *index;
    const char *condition;
    const char *block;
    const char *array;
    const char *bytes;
    bool write;
    const char *write_index; /* of a write beside the read of index */
    VEC(const char *) exclude;
    unsigned context; /* of review: lines around a change */
    bool exact;       /* show all differences */
    bool in_place;
    bool rename;
    bool force;
    bool dry_run;
    bool diff;
    bool quiet;
    bool verbose;
    bool stats;
    bool help;
    bool show_version;
    bool rule_off[RULE_COUNT];
    unsigned jobs;       /* 0: one per processor */
    int fail_on;         /* an enum level, or LEVEL_NEVER */
    version hip_version; /* 0: the newest known */
    enum launch_form launch;
    enum library_names libraries;
    bool shims;
    enum input_dialect input;
    enum color_when color;
    enum format format;
};

/* Reads the command line, whose array may be permuted. Bad usage is an error in DIAG, and
   false. --help and --version end the reading: what follows is not looked at. OPTIONS is to
   be released either way. */
bool options_parse(struct options *options, int argc, char **argv, struct diag *diag);
void options_release(struct options *options);

/* Makes RES the options of the same command line as OPTIONS on top of two configurations: of RUN
   what holds for a whole run, of INPUT what holds for an input. RES borrows from all three; to be
   released with options_release_layered(). */
void options_layer(struct options *res, const struct options *options,
                   const struct option_list *run, const struct option_list *input);
void options_release_layered(struct options *options);

/* The option that the KEY of a configuration is the long name of, in *ID. An unknown one and
   one that is for the command line only are errors at PLACE, and false. */
bool options_find_key(const char *key, enum option_id *id, struct diag_place place,
                      struct diag *diag);

/* Whether the option may be given several times; whether its argument is a path; that of a folder.
 */
bool options_is_list(enum option_id id);
bool options_is_path(enum option_id id);
bool options_is_folder(enum option_id id);

/* Appends the option ID with the VALUE of a configuration (borrowed) to LIST; nothing for a
   switch that is off. A bad value is an error at PLACE, and false. */
bool options_add_value(struct option_list *list, enum option_id id, const char *value,
                       struct diag_place place, struct diag *diag);

/* Adds the note behind bad usage: which --help to read, COMMAND's or the program's (NULL). */
void options_add_hint(const char *command, struct diag *diag);

/* The name of COMMAND. */
const char *command_name(enum command command);

/* Writes --help: for COMMAND, or for the whole program where COMMAND is COMMAND_COUNT. */
void options_help(enum command command, FILE *out);

/* Writes --version. */
void options_version(FILE *out);

/* Whether findings of RULE are wanted. */
bool options_want_rule(const struct options *options, enum rule_id rule);

/* Drops those of FINDINGS whose rules they do not want. */
void options_drop_unwanted(const struct options *options, struct findings *findings);

/* Whether to use colours on the file descriptor FD. */
bool options_want_color(const struct options *options, int fd);

#endif
