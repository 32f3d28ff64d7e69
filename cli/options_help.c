/* What --help and --version print.  */
#include <config.h>

#include "cli/options_p.h"

#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"

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
