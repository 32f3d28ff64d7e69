/* The subcommands, one file each. They return; only main() exits.  */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

#define COMMAND(id, name, function, operands, summary) \
    enum exit_status function(const struct options *options);
#include "cli/commands.def"
#undef COMMAND

#endif
