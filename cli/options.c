/* The command line and its layers: what is given, in a configuration and by default.  */
#include <config.h>

#include "cli/options_p.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"

const struct option_info options_table[OPT_COUNT] = {
#define OPTION(id, name, letter, argument, argument_name, commands, help) \
    [id] = {name, letter, argument, argument_name, commands, help},
#include "cli/options.def"
#undef OPTION
};

const struct command_info commands_table[COMMAND_COUNT] = {
#define COMMAND(id, name, function, operands, summary) [id] = {name, operands, summary},
#include "cli/commands.def"
#undef COMMAND
};

/* getopt's values of long options; letters stand for themselves. */
enum { LONG_BASE = 256 };

/* For lookup: getopt's value of an operand, and the letter of "-lcublas". */
enum { OPERAND = 1, LINK_FLAG = 'l' };

static const struct diag_place program = {0};

/* Says what is wrong with the long option WORD ("--name" or "--name=value"). */
static void complain_long(enum command command, const char *word, struct diag *diag)
{
    const char *name = word + 2;
    int len = (int)strcspn(name, "=");
    size_t here = 0, elsewhere = 0;
    for (int i = 0; i < OPT_COUNT; ++i) {
        if (strncmp(options_table[i].name, name, (size_t)len))
            continue;
        if (options_table[i].commands & 1u << command)
            ++here;
        else
            ++elsewhere;
    }
    if (1 < here)
        diag_add(diag, DIAG_ERROR, program, _("option '--%.*s' is ambiguous"), len, name);
    else if (elsewhere)
        diag_add(diag, DIAG_ERROR, program, _("'%s' has no option '--%.*s'"), command_name(command),
                 len, name);
    else
        diag_add(diag, DIAG_ERROR, program, _("unknown option '--%.*s'"), len, name);
}

static enum option_id option_of(int value)
{
    if (LONG_BASE <= value)
        return (enum option_id)(value - LONG_BASE);
    for (int i = 0; i < OPT_COUNT; ++i)
        if (options_table[i].letter == value)
            return (enum option_id)i;
    return OPT_COUNT;
}

/* Whether ARG is an option that another command has and COMMAND has not, but that getopt takes for
   the beginning of a longer one. */
static bool is_elsewhere(enum command command, const char *arg)
{
    if (strncmp(arg, "--", 2) != 0)
        return false;
    size_t len = strcspn(arg + 2, "=");
    for (int i = 0; i < OPT_COUNT; ++i)
        if (strlen(options_table[i].name) == len && !memcmp(options_table[i].name, arg + 2, len))
            return !(options_table[i].commands & 1u << command);
    return false;
}

/* Reads argv[1..], with argv[0] left out of account. */
static bool parse(struct options *o, int argc, char **argv, struct diag *diag)
{
    struct option longs[OPT_COUNT + 1] = {{0}};
    char shorts[3 * OPT_COUNT + 6];
    size_t count = 0, len = 0;
    /* A link flag is a name to look up, so operands are to come in order with the options. */
    bool names = o->command == COMMAND_LOOKUP;
    if (names)
        shorts[len++] = '-';
    shorts[len++] = ':'; /* a missing argument is told from an unknown option */
    if (names) {
        shorts[len++] = LINK_FLAG;
        shorts[len++] = ':';
    }
    for (int i = 0; i < OPT_COUNT; ++i) {
        const struct option_info *info = &options_table[i];
        if (!(info->commands & 1u << o->command))
            continue;
        longs[count++] = (struct option){info->name, (int)info->argument, NULL, LONG_BASE + i};
        if (!info->letter)
            continue;
        shorts[len++] = info->letter;
        for (int k = 0; k < (int)info->argument; ++k)
            shorts[len++] = ':';
    }
    shorts[len] = '\0';

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (is_elsewhere(o->command, argv[i])) {
            complain_long(o->command, argv[i], diag);
            return false;
        }
    opterr = 0;
    optind = 0; /* glibc: start afresh */
    for (;;) {
        int at = optind ? optind : 1;
        int value = getopt_long(argc, argv, shorts, longs, NULL);
        if (value == -1)
            break;
        /* The flag and its library are one word, which is the operand. */
        if (names && (value == OPERAND || (value == LINK_FLAG && optarg != argv[optind - 1]))) {
            *vec_push(&o->operands) = value == OPERAND ? optarg : argv[optind - 1];
            continue;
        }
        if (value == LINK_FLAG || (value == ':' && optopt == LINK_FLAG)) {
            value = '?';
            optopt = LINK_FLAG;
        }
        if (value == ':') {
            diag_add(diag, DIAG_ERROR, program, _("option '--%s' needs an argument"),
                     options_table[option_of(optopt)].name);
            return false;
        }
        if (value == '?') {
            if (LONG_BASE <= optopt)
                diag_add(diag, DIAG_ERROR, program, _("option '--%s' takes no argument"),
                         options_table[optopt - LONG_BASE].name);
            else if (optopt)
                diag_add(diag, DIAG_ERROR, program, _("unknown option '-%c'"), optopt);
            else
                complain_long(o->command, argv[optind - 1 < at ? at : optind - 1], diag);
            return false;
        }
        struct option_setting setting = {option_of(value), optarg};
        if (!options_take(o, setting.id, setting.arg, program, diag))
            return false;
        *vec_push(&o->given.settings) = setting;
        if (o->help || o->show_version)
            return true;
    }
    for (int i = optind; i < argc; ++i)
        *vec_push(&o->operands) = argv[i];
    return true;
}

/* Whether a translation by O has standard output free for its findings. */
static bool leaves_stdout(const struct options *o)
{
    return (o->output_dir || o->in_place || (o->output && strcmp(o->output, "-") != 0)) &&
           !o->dry_run && !o->diff;
}

/* Options that contradict each other. */
static bool check_usage(const struct options *o, struct diag *diag)
{
    int outputs = (o->output != NULL) + (o->output_dir != NULL) + o->in_place;
    if (1 < outputs) {
        diag_add(diag, DIAG_ERROR, program,
                 _("only one of '--output', '--output-dir' and '--in-place' can be given"));
        return false;
    }
    if ((o->output && !*o->output) || (o->output_dir && !*o->output_dir)) {
        diag_add(diag, DIAG_ERROR, program, _("the name of the output is empty"));
        return false;
    }
    if (o->command == COMMAND_TRANSLATE && o->format != FORMAT_TEXT && !o->report &&
        !leaves_stdout(o)) {
        diag_add(diag, DIAG_ERROR, program,
                 _("'--format' needs '--report', '--output-dir', '--in-place' or '--output', "
                   "because standard output is for one thing only"));
        return false;
    }
    if (o->rename && !o->output_dir && !o->in_place && !o->dry_run && !o->diff) {
        diag_add(diag, DIAG_ERROR, program, _("'--rename' needs '--output-dir' or '--in-place'"));
        return false;
    }
    if (o->force && !o->output_dir && o->command != COMMAND_HOOK) {
        diag_add(diag, DIAG_ERROR, program, _("'--force' needs '--output-dir'"));
        return false;
    }
    if (o->coverage && o->operands.count) {
        diag_add(diag, DIAG_ERROR, program, _("'--coverage' takes no names"));
        return false;
    }
    if (o->staged && o->diff_base) {
        diag_add(diag, DIAG_ERROR, program,
                 _("only one of '--staged' and '--diff-base' can be given"));
        return false;
    }
    if ((o->staged || o->diff_base) && o->files_from) {
        diag_add(diag, DIAG_ERROR, program, _("'--%s' and '--%s' exclude each other"),
                 options_table[o->staged ? OPT_STAGED : OPT_DIFF_BASE].name,
                 options_table[OPT_FILES_FROM].name);
        return false;
    }
    if ((o->staged || o->diff_base) && o->write_baseline) {
        diag_add(diag, DIAG_ERROR, program, _("'--%s' and '--%s' exclude each other"),
                 options_table[o->staged ? OPT_STAGED : OPT_DIFF_BASE].name,
                 options_table[OPT_WRITE_BASELINE].name);
        return false;
    }
    /* In a configuration it is for findings alone; here it is a mistake. */
    if (o->command != COMMAND_CHECK && o->command != COMMAND_TRANSLATE && FORMAT_JSON < o->format) {
        diag_add(diag, DIAG_ERROR, program, _("'%s' has the forms text and json only"),
                 command_name(o->command));
        return false;
    }
    if (o->list && o->operands.count) {
        diag_add(diag, DIAG_ERROR, program, _("'--list' takes no names"));
        return false;
    }
    if (o->command == COMMAND_LOOKUP && !o->coverage && !o->operands.count) {
        diag_add(diag, DIAG_ERROR, program, _("'%s' needs a name"), command_name(o->command));
        return false;
    }
    if (o->command == COMMAND_OCCUPANCY && !o->request.block) {
        diag_add(diag, DIAG_ERROR, program, _("'%s' needs '--%s'"), command_name(o->command),
                 options_table[OPT_BLOCK].name);
        return false;
    }
    if (o->command == COMMAND_BANKS && !(o->type && o->index)) {
        diag_add(diag, DIAG_ERROR, program, _("'%s' needs '--%s'"), command_name(o->command),
                 options_table[o->type ? OPT_INDEX : OPT_TYPE].name);
        return false;
    }
    if ((o->command == COMMAND_OCCUPANCY || o->command == COMMAND_BANKS) && o->operands.count) {
        diag_add(diag, DIAG_ERROR, program, _("'%s' takes no file"), command_name(o->command));
        return false;
    }
    return true;
}

/* What holds where nothing is given. */
static void set_defaults(struct options *o)
{
    bool fails = o->command == COMMAND_CHECK || o->command == COMMAND_REVIEW;
    o->fail_on = fails ? (int)LEVEL_ERROR : (int)LEVEL_NEVER;
    o->context = DEFAULT_CONTEXT;
}

void options_add_hint(const char *command, struct diag *diag)
{
    struct strbuf hint = STRBUF_INIT;
    strbuf_adds(&hint, "hipwright");
    if (command)
        strbuf_printf(&hint, " %s", command);
    strbuf_adds(&hint, " --help");
    diag_add(diag, DIAG_NOTE, program, _("try '%s' for more information"), hint.text);
    strbuf_release(&hint);
}

bool options_parse(struct options *o, int argc, char **argv, struct diag *diag)
{
    *o = (struct options){0};
    int skip = 0;
    for (int i = 0; 1 < argc && i < COMMAND_COUNT; ++i)
        if (!strcmp(argv[1], commands_table[i].name)) {
            o->command = (enum command)i;
            skip = 1;
        }
    set_defaults(o);
    bool res = parse(o, argc - skip, argv + skip, diag);
    res = res && (o->help || o->show_version || check_usage(o, diag));
    if (res && o->help && !skip)
        o->command = COMMAND_COUNT;
    if (!res)
        options_add_hint(skip ? command_name(o->command) : NULL, diag);
    return res;
}

void options_release(struct options *o)
{
    vec_release(&o->operands);
    vec_release(&o->given.settings);
    vec_release(&o->maps);
    vec_release(&o->gpus);
    vec_release(&o->exclude);
    vec_release(&o->include_folders);
    vec_release(&o->defines);
}

/* Whether COMMAND takes ID from a configuration. The targets there are what files are for; what is
   asked about GPUs compares those of both vendors. */
static bool is_configured(enum command command, enum option_id id, unsigned scope)
{
    if (id == OPT_TARGET && (command == COMMAND_OCCUPANCY || command == COMMAND_BANKS))
        return false;
    return options_table[id].commands & scope;
}

/* Carries out those of LIST that O's command takes and that SCOPE allows (0: all). They were
   found good when they were read. */
static void take_list(struct options *o, const struct option_list *list, unsigned scope)
{
    struct diag none = DIAG_INIT;
    vec_each (const struct option_setting, setting, &list->settings) {
        unsigned flags = options_table[setting->id].commands;
        if (flags & 1u << o->command && (!scope || is_configured(o->command, setting->id, scope)))
            options_take(o, setting->id, setting->arg, program, &none);
    }
    diag_release(&none);
}

void options_layer(struct options *res, const struct options *o, const struct option_list *run,
                   const struct option_list *input)
{
    struct options layered = {
        .command = o->command, .given = o->given, .configs = o->configs, .changes = o->changes};
    layered.operands.items = o->operands.items;
    layered.operands.count = o->operands.count;
    set_defaults(&layered);
    take_list(&layered, run, CONFIG_RUN);
    take_list(&layered, input, CONFIG_FILE);
    take_list(&layered, &o->given, 0);
    /* A configuration cannot know what a run will write where. */
    if (o->command == COMMAND_TRANSLATE && !layered.report && !leaves_stdout(&layered))
        layered.format = FORMAT_TEXT;
    *res = layered;
}

void options_release_layered(struct options *o)
{
    vec_release(&o->maps);
    vec_release(&o->gpus);
    vec_release(&o->exclude);
    vec_release(&o->include_folders);
    vec_release(&o->defines);
}

bool options_find_key(const char *key, enum option_id *id, struct diag_place place,
                      struct diag *diag)
{
    for (int i = 0; i < OPT_COUNT; ++i) {
        if (strcmp(options_table[i].name, key))
            continue;
        if (options_table[i].commands & (CONFIG_FILE | CONFIG_RUN)) {
            *id = (enum option_id)i;
            return true;
        }
        diag_add(diag, DIAG_ERROR, place, _("'%s' is for the command line only"), key);
        return false;
    }
    diag_add(diag, DIAG_ERROR, place, _("there is no option '%s'"), key);
    return false;
}

bool options_is_list(enum option_id id)
{
    return options_table[id].commands & LIST;
}

bool options_is_path(enum option_id id)
{
    const char *name = options_table[id].argument_name;
    return name && (!strcmp(name, "FILE") || options_is_folder(id));
}

bool options_is_folder(enum option_id id)
{
    const char *name = options_table[id].argument_name;
    return name && !strcmp(name, "DIR");
}

bool options_add_value(struct option_list *list, enum option_id id, const char *value,
                       struct diag_place place, struct diag *diag)
{
    struct option_setting setting = {id, value};
    if (options_table[id].argument == NONE) {
        static const char *const words[] = {"no", "yes"};
        int n = OPTIONS_CHOOSE(id, value, words);
        if (n < 1)
            return n == 0;
        setting.arg = NULL;
    }
    struct options scratch = {0};
    bool res = options_take(&scratch, id, setting.arg, place, diag);
    options_release_layered(&scratch);
    if (res)
        *vec_push(&list->settings) = setting;
    return res;
}

const char *command_name(enum command command)
{
    return commands_table[command].name;
}

bool options_want_rule(const struct options *o, enum rule_id rule)
{
    return !o->rule_off[rule];
}

void options_drop_unwanted(const struct options *options, struct findings *findings)
{
    size_t kept = 0;
    vec_each (const struct finding, f, &findings->list)
        if (options_want_rule(options, f->rule))
            findings->list.items[kept++] = *f;
    findings->list.count = kept;
}

bool options_want_color(const struct options *o, int fd)
{
    if (o->color != COLOR_AUTO)
        return o->color == COLOR_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") && isatty(fd);
}
