#include <config.h>

#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/utf8.h"

enum argument {
    NONE = no_argument,
    REQUIRED = required_argument,
    OPTIONAL = optional_argument,
};

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

static const struct option_info options_table[OPT_COUNT] = {
#define OPTION(id, name, letter, argument, argument_name, commands, help) \
    [id] = {name, letter, argument, argument_name, commands, help},
#include "cli/options.def"
#undef OPTION
};

struct command_info {
    const char *name;
    const char *operands;
    const char *summary;
};

static const struct command_info commands_table[COMMAND_COUNT] = {
#define COMMAND(id, name, function, operands, summary) [id] = {name, operands, summary},
#include "cli/commands.def"
#undef COMMAND
};

/* getopt's values of long options; letters stand for themselves. */
enum { LONG_BASE = 256 };

/* For lookup: getopt's value of an operand, and the letter of "-lcublas". */
enum { OPERAND = 1, LINK_FLAG = 'l' };

static const struct diag_place program = {0};

/* Looks ARG up in WORDS (count of them); the index, or -1 with a message that names OPTION. */
static int choose(enum option_id option, const char *arg, const char *const *words, int count,
                  struct diag_place place, struct diag *diag)
{
    struct strbuf list = STRBUF_INIT;
    int res = -1;
    for (int i = 0; i < count; ++i) {
        if (!strcmp(words[i], arg))
            res = i;
        if (i)
            strbuf_adds(&list, ", ");
        strbuf_adds(&list, words[i]);
    }
    if (res < 0)
        diag_add(diag, DIAG_ERROR, place, _("invalid argument '%s' of '--%s'; it may be: %s"), arg,
                 options_table[option].name, list.text);
    strbuf_release(&list);
    return res;
}

#define CHOOSE(option, arg, words) \
    choose(option, arg, words, (int)(sizeof(words) / sizeof *(words)), place, diag)

static bool set_rules(struct options *o, const char *name, bool off, struct diag_place place,
                      struct diag *diag)
{
    bool found = false;
    for (int i = 0; i < RULE_COUNT; ++i)
        if (!strcmp(rule_get(i)->name, name) || !strcmp(rule_category(i), name)) {
            o->rule_off[i] = off;
            found = true;
        }
    if (!found)
        diag_add(diag, DIAG_ERROR, place, _("there is no rule or category '%s'"), name);
    return found;
}

/* Reads a number of at most MOST that ends at one of the characters of ENDS or with ARG; the
   end, or NULL. */
static const char *read_digits(const char *arg, const char *ends, unsigned most, unsigned *res)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(arg, &end, 10);
    if (*arg < '0' || '9' < *arg || (*end && !strchr(ends, *end)) || errno || most < value)
        return NULL;
    *res = (unsigned)value;
    return end;
}

/* The argument of OPTION, a number from LEAST to MOST; false after a message. */
static bool read_number(enum option_id option, const char *arg, unsigned least, unsigned most,
                        unsigned *res, struct diag_place place, struct diag *diag)
{
    unsigned value;
    if (read_digits(arg, "", most, &value) && least <= value) {
        *res = value;
        return true;
    }
    diag_add(diag, DIAG_ERROR, place,
             _("invalid argument '%s' of '--%s'; it is a number from %u to %u"), arg,
             options_table[option].name, least, most);
    return false;
}

/* "256", "16,16" or "8,8,4": the threads of a block. */
static bool read_block(const char *arg, unsigned *res, struct diag_place place, struct diag *diag)
{
    enum { MOST = 1024 };
    unsigned product = 1, n = 0;
    const char *at = arg;
    for (int i = 0; i < 3 && at; ++i) {
        at = read_digits(at, ",", MOST, &n);
        product = at && n <= MOST / product ? product * n : 0;
        if (!product || !*at)
            break;
        ++at;
    }
    if (at && !*at && product) {
        *res = product;
        return true;
    }
    diag_add(diag, DIAG_ERROR, place,
             _("invalid argument '%s' of '--%s'; it is N, X,Y or X,Y,Z, of 1 to %d threads"), arg,
             options_table[OPT_BLOCK].name, MOST);
    return false;
}

/* NAME, NAME=VALUE, or NAME(PARAMETERS)=VALUE, which tells no value. */
static bool is_macro(const char *arg)
{
    size_t len = strcspn(arg, "=(");
    for (size_t i = 0; i < len; ++i)
        if (!isalnum((unsigned char)arg[i]) && arg[i] != '_' && arg[i] != '$')
            return false;
    return len && !isdigit((unsigned char)*arg);
}

/* Carries out one option, which stands at PLACE; false after a message. */
static bool take(struct options *o, enum option_id id, const char *arg, struct diag_place place,
                 struct diag *diag)
{
    enum { MAX_REGISTERS = 4096, MAX_LDS = 1 << 30, MAX_CONTEXT = 1000000 };
    static const char *const waves[] = {"32", "64"};
    static const char *const modes[] = {"cu", "wgp"};
    static const char *const formats[] = {"text", "json", "sarif", "github"};
    static const char *const colors[] = {"auto", "always", "never"};
    static const char *const inputs[] = {"cuda", "hip"};
    static const char *const launches[] = {"chevron", "function"};
    static const char *const libraries[] = {"hip", "roc"};
    static const char *const levels[] = {"note", "warning", "error", "never"};
    static const char *const annotations[] = {"inline", "none"};
    static const char *const fixes[] = {"safe", "unsafe"};
    int n;
    switch (id) {
    case OPT_OUTPUT:
        o->output = arg;
        break;
    case OPT_OUTPUT_DIR:
        o->output_dir = arg;
        break;
    case OPT_IN_PLACE:
        o->in_place = true;
        o->suffix = arg;
        if (arg && (!*arg || strchr(arg, '/'))) {
            diag_add(diag, DIAG_ERROR, place, _("'%s' is no suffix for backup files"), arg);
            return false;
        }
        break;
    case OPT_DRY_RUN:
        o->dry_run = true;
        break;
    case OPT_DIFF:
        o->diff = true;
        break;
    case OPT_TARGET:
        o->target = arg;
        break;
    case OPT_FROM:
        o->from = arg;
        break;
    case OPT_ANNOTATE:
        n = CHOOSE(id, arg, annotations);
        o->no_markers = n == 1;
        return 0 <= n;
    case OPT_FIX:
        n = arg ? CHOOSE(id, arg, fixes) : 0;
        o->fix = n == 1 ? FIX_ALSO_UNSAFE : FIX_ONLY_SAFE;
        return 0 <= n;
    case OPT_TYPE:
        o->type = arg;
        break;
    case OPT_INDEX:
        o->index = arg;
        break;
    case OPT_IF:
        o->condition = arg;
        break;
    case OPT_ARRAY:
        o->array = arg;
        break;
    case OPT_BYTES:
        o->bytes = arg;
        break;
    case OPT_WRITE:
        o->write = !arg;
        o->write_index = arg;
        break;
    case OPT_GPUS:
        *vec_push(&o->gpus) = arg;
        break;
    case OPT_BLOCK:
        o->block = arg;
        return read_block(arg, &o->request.block, place, diag);
    case OPT_VGPRS:
        return read_number(id, arg, 0, MAX_REGISTERS, &o->request.vgprs, place, diag);
    case OPT_AGPRS:
        return read_number(id, arg, 0, MAX_REGISTERS, &o->request.agprs, place, diag);
    case OPT_SGPRS:
        return read_number(id, arg, 0, MAX_REGISTERS, &o->request.sgprs, place, diag);
    case OPT_LDS:
        return read_number(id, arg, 0, MAX_LDS, &o->request.lds, place, diag);
    case OPT_MIN_WAVES:
        return read_number(id, arg, 0, MAX_REGISTERS, &o->request.min_waves, place, diag);
    case OPT_MIN_BLOCKS:
        return read_number(id, arg, 0, MAX_REGISTERS, &o->min_blocks, place, diag);
    case OPT_WAVE:
        n = CHOOSE(id, arg, waves);
        o->request.wave = n == 1 ? 64 : 32;
        return 0 <= n;
    case OPT_MODE:
        n = CHOOSE(id, arg, modes);
        o->request.cu_mode = n == 0;
        o->request.wgp_mode = n == 1;
        return 0 <= n;
    case OPT_FORMAT:
        n = CHOOSE(id, arg, formats);
        o->format = (enum format)n;
        return 0 <= n;
    case OPT_REPORT:
        o->report = arg;
        break;
    case OPT_BASELINE:
        o->baseline = arg;
        break;
    case OPT_WRITE_BASELINE:
        o->write_baseline = arg;
        break;
    case OPT_CONTEXT:
        return read_number(id, arg, 0, MAX_CONTEXT, &o->context, place, diag);
    case OPT_ALL_DIFFERENCES:
        o->exact = true;
        break;
    case OPT_FILES_FROM:
        o->files_from = arg;
        break;
    case OPT_INCLUDE_DIRECTORY:
        *vec_push(&o->include_folders) = arg;
        break;
    case OPT_DEFINE_MACRO:
        if (!is_macro(arg)) {
            diag_add(diag, DIAG_ERROR, place,
                     _("invalid argument '%s' of '--%s'; it is NAME or NAME=VALUE"), arg,
                     options_table[id].name);
            return false;
        }
        *vec_push(&o->defines) = arg;
        break;
    case OPT_COMPILE_COMMANDS:
        o->compile_commands = arg;
        break;
    case OPT_STAGED:
        o->staged = true;
        break;
    case OPT_DIFF_BASE:
        o->diff_base = arg;
        break;
    case OPT_JOBS:
        return read_number(id, arg, 1, 1024, &o->jobs, place, diag);
    case OPT_INPUT:
        n = CHOOSE(id, arg, inputs);
        o->input = n == 1 ? INPUT_HIP : INPUT_CUDA;
        return 0 <= n;
    case OPT_LAUNCH:
        n = CHOOSE(id, arg, launches);
        o->launch = n == 1 ? LAUNCH_FUNCTION : LAUNCH_CHEVRON;
        return 0 <= n;
    case OPT_LIBRARIES:
        n = CHOOSE(id, arg, libraries);
        o->libraries = n == 1 ? NAMES_ROC : NAMES_HIP;
        return 0 <= n;
    case OPT_HIP_VERSION:
        if (!version_parse(arg, strlen(arg), &o->hip_version)) {
            diag_add(diag, DIAG_ERROR, place,
                     _("invalid argument '%s' of '--%s'; it is a version such as 6.3"), arg,
                     "hip-version");
            return false;
        }
        break;
    case OPT_MAP:
        *vec_push(&o->maps) = arg;
        break;
    case OPT_ENABLE:
        return set_rules(o, arg, false, place, diag);
    case OPT_DISABLE:
        return set_rules(o, arg, true, place, diag);
    case OPT_FAIL_ON:
        o->fail_on = CHOOSE(id, arg, levels);
        return 0 <= o->fail_on;
    case OPT_COLOR:
        n = CHOOSE(id, arg, colors);
        o->color = (enum color_when)n;
        return 0 <= n;
    case OPT_SHIMS:
        o->shims = true;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_RENAME:
        o->rename = true;
        break;
    case OPT_FORCE:
        o->force = true;
        break;
    case OPT_EXCLUDE:
        *vec_push(&o->exclude) = arg;
        break;
    case OPT_STATS:
        o->stats = true;
        break;
    case OPT_VERBOSE:
        o->verbose = true;
        break;
    case OPT_CONFIG:
        o->config = arg;
        o->no_config = false;
        break;
    case OPT_NO_CONFIG:
        o->no_config = true;
        break;
    case OPT_LIST:
        o->list = true;
        break;
    case OPT_COVERAGE:
        o->coverage = true;
        break;
    case OPT_HELP:
        o->help = true;
        break;
    case OPT_VERSION:
        o->show_version = true;
        break;
    case OPT_COUNT:
        break;
    }
    return true;
}

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
        if (!take(o, setting.id, setting.arg, program, diag))
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
            take(o, setting->id, setting->arg, program, &none);
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
        int n = CHOOSE(id, value, words);
        if (n < 1)
            return n == 0;
        setting.arg = NULL;
    }
    struct options scratch = {0};
    bool res = take(&scratch, id, setting.arg, place, diag);
    options_release_layered(&scratch);
    if (res)
        *vec_push(&list->settings) = setting;
    return res;
}

const char *command_name(enum command command)
{
    return commands_table[command].name;
}

enum { HELP_COLUMN = 28 };

/* Writes TEXT, filled up to the column of the help texts; false if it reaches beyond. Columns, not
   bytes: a Japanese character takes two. */
static bool put_left(FILE *out, const char *text)
{
    struct strbuf shown = STRBUF_INIT;
    size_t columns = utf8_add_terminal(&shown, text, strlen(text));
    strbuf_release(&shown);
    fputs(text, out);
    for (size_t i = columns; i < HELP_COLUMN - 2; ++i)
        putc(' ', out);
    return columns <= HELP_COLUMN - 2;
}

static void help_option(const struct option_info *info, FILE *out)
{
    struct strbuf left = STRBUF_INIT;
    if (info->letter)
        strbuf_printf(&left, "  -%c, --%s", info->letter, info->name);
    else
        strbuf_printf(&left, "      --%s", info->name);
    if (info->argument != NONE)
        strbuf_printf(&left, info->argument == OPTIONAL ? "[=%s]" : "=%s", _(info->argument_name));
    if (!put_left(out, left.text))
        fprintf(out, "\n%*s", HELP_COLUMN - 2, "");
    for (const char *text = _(info->help);;) {
        const char *nl = strchrnul(text, '\n');
        fprintf(out, "  %.*s\n", (int)(nl - text), text);
        if (!*nl)
            break;
        fprintf(out, "%*s", HELP_COLUMN, "");
        text = nl + 1;
    }
    strbuf_release(&left);
}

static void help_options(enum command command, FILE *out)
{
    fputs(_("Options:\n"), out);
    for (int i = 0; i < OPT_COUNT; ++i)
        if (options_table[i].commands & 1u << command)
            help_option(&options_table[i], out);
}

void options_help(enum command command, FILE *out)
{
    if (command < COMMAND_COUNT) {
        const struct command_info *info = &commands_table[command];
        fprintf(out, _("Usage: hipwright %s [OPTION]... %s\n"), info->name, _(info->operands));
        fprintf(out, "%s\n\n", _(info->summary));
        help_options(command, out);
    } else {
        fputs(_("Usage: hipwright [COMMAND] [OPTION]... [FILE]...\n"
                "Translate CUDA C++ to HIP and report what would go wrong on AMD GPUs.\n"),
              out);
        fputs(_("\nCommands:\n"), out);
        for (int i = 0; i < COMMAND_COUNT; ++i) {
            struct strbuf left = STRBUF_INIT;
            strbuf_printf(&left, "  %s %s", commands_table[i].name, _(commands_table[i].operands));
            put_left(out, left.text);
            fprintf(out, "  %s\n", _(commands_table[i].summary));
            strbuf_release(&left);
        }
        fputs(_("\nWithout a command, 'translate' is meant. Its options follow; those of the\n"
                "others are shown by 'hipwright COMMAND --help'.\n\n"),
              out);
        help_options(COMMAND_TRANSLATE, out);
    }
    if (command == COMMAND_LOOKUP)
        fputs(
            _("\nA NAME is that of a function, type, macro or header, of CUDA, HIP or ROCm, or a\n"
              "library, its link flag or its CMake target. One that ends in '*' stands for all\n"
              "names that begin so.\n"
              "Exit status: 0 found, 1 a name is unknown, 2 trouble.\n"),
            out);
    else if (command == COMMAND_OCCUPANCY)
        fputs(_("\nWhat is not given does not limit: without --vgprs the answer is what fits at\n"
                "most. --lds counts what is declared and what the launch asks for.\n"
                "Exit status: 0 answered, 2 trouble.\n"),
              out);
    else if (command == COMMAND_BANKS)
        fputs(_("\nWithout --block, a block has 256 threads. Cycles are those of the memory's\n"
                "port. What a better layout costs in workgroups depends on the LDS of the whole\n"
                "block (--lds; default: the array alone) and on the registers (--vgprs).\n"
                "Exit status: 0 answered, 2 trouble.\n"),
              out);
    else if (command == COMMAND_EXPLAIN)
        fputs(_("\nWithout RULE, all rules are listed. The first word of its name is a rule's\n"
                "category, which stands for all of its rules.\n"
                "Exit status: 0 answered, 1 a name is unknown, 2 trouble.\n"),
              out);
    else if (command == COMMAND_HOOK)
        fputs(_("\nThe hook checks what is about to be committed: 'hipwright check --staged'.\n"
                "Exit status: 0 done, 2 trouble.\n"),
              out);
    else if (command == COMMAND_REVIEW)
        fputs(
            _("\nOLD is translated, and what NEW does otherwise is shown, hunk by hunk, with the\n"
              "findings that each hunk resolves, leaves or brings in.\n"
              "Exit status: 0 nothing to report; 1 findings at or above --fail-on that NEW has\n"
              "where it was changed; 2 trouble.\n"),
            out);
    else if (command == COMMAND_STRIP)
        fputs(
            _("\nWithout FILE, or where FILE is '-', standard input is read. Comments that allow\n"
              "findings stay.\n"
              "Exit status: 0 done; 1 with --dry-run or --diff something would change;\n"
              "2 trouble.\n"),
            out);
    else
        fputs(_("\nWithout FILE, or where FILE is '-', standard input is read. Of DIR, all CUDA\n"
                "sources are taken, and the C and C++ sources that name something of CUDA's; not\n"
                "what git ignores, nor what is hidden.\n"
                "Exit status: 0 nothing to report; 1 findings at or above --fail-on, or with\n"
                "--dry-run or --diff something would change; 2 trouble.\n"),
              out);
}

void options_version(FILE *out)
{
    fprintf(out, "hipwright %s\n", PACKAGE_VERSION);
    fputs(_("License MIT. There is no warranty, to the extent permitted by law.\n"), out);
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
