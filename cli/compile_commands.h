/* What a build says of its files: compile_commands.json, as CMake, Meson and Bear write it.  */
#ifndef CLI_COMPILE_COMMANDS_H
#define CLI_COMPILE_COMMANDS_H

#include <sys/stat.h>

#include "annotate/model/model.h"
#include "base/diag.h"
#include "base/vec.h"

/* What the commands of one file say; several commands add up. */
struct compile_flags {
    VEC(const char *) folders; /* -I and -iquote, below the entry's directory where relative */
    VEC(struct model_define)
    defines;                /* -D without a later -U; macros with parameters are not
                               among them */
    unsigned max_registers; /* -maxrregcount, or 0 */
    unsigned commands;      /* how many there are of the file */
};

struct compile_commands;

/* Reads PATH, or compile_commands.json in it where it is a folder. NULL after an error in DIAG. */
struct compile_commands *compile_commands_read(const char *path, struct diag *diag);
void compile_commands_free(struct compile_commands *commands);

/* What is said of the file that STAT is, or NULL. COMMANDS may be NULL. */
const struct compile_flags *compile_commands_find(const struct compile_commands *commands,
                                                  const struct stat *stat);

/* The macro that -D TEXT defines, in ARENA; false for one with parameters, and for what is no name.
 */
bool compile_define(const char *text, struct arena *arena, struct model_define *res);

#endif
