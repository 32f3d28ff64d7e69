/* What each option does: its argument is read into struct options.  */
#include <config.h>

#include "cli/options_p.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

int options_choose(enum option_id option, const char *arg, const char *const *words, int count,
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

bool options_take(struct options *o, enum option_id id, const char *arg, struct diag_place place,
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
        n = OPTIONS_CHOOSE(id, arg, annotations);
        o->no_markers = n == 1;
        return 0 <= n;
    case OPT_FIX:
        n = arg ? OPTIONS_CHOOSE(id, arg, fixes) : 0;
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
        n = OPTIONS_CHOOSE(id, arg, waves);
        o->request.wave = n == 1 ? 64 : 32;
        return 0 <= n;
    case OPT_MODE:
        n = OPTIONS_CHOOSE(id, arg, modes);
        o->request.cu_mode = n == 0;
        o->request.wgp_mode = n == 1;
        return 0 <= n;
    case OPT_FORMAT:
        n = OPTIONS_CHOOSE(id, arg, formats);
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
        n = OPTIONS_CHOOSE(id, arg, inputs);
        o->input = n == 1 ? INPUT_HIP : INPUT_CUDA;
        return 0 <= n;
    case OPT_LAUNCH:
        n = OPTIONS_CHOOSE(id, arg, launches);
        o->launch = n == 1 ? LAUNCH_FUNCTION : LAUNCH_CHEVRON;
        return 0 <= n;
    case OPT_LIBRARIES:
        n = OPTIONS_CHOOSE(id, arg, libraries);
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
        o->fail_on = OPTIONS_CHOOSE(id, arg, levels);
        return 0 <= o->fail_on;
    case OPT_COLOR:
        n = OPTIONS_CHOOSE(id, arg, colors);
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
