/* The configuration: files named .hipwright.ini with the long names of options as keys.

   Each input has the nearest one upwards from its folder; standard input and what concerns
   a whole run have that of the working directory. The command line is on top of it.

   Such a file may come with a source tree that nobody has looked at, so it can do little: it
   gives no option that would run, read or write something outside its folder (options.def
   says which it may give), and neither it nor a map that it names is read through a symbolic
   link that leads out of its folder.

   Where what git has is checked (cli/changes.h), such files, and maps, GPUs and baselines, are read
   from there too if git tracks them: what counts is what is committed.  */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/comparison.h"
#include "base/diag.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "transform/translate.h"

/* What holds for the inputs of one configuration. */
struct setup {
    struct options options;
    struct translate_options translate;
    struct comparison gpus;
};

/* Reads the configuration of the run: that of --config, else that of the working directory if
   there is one, or none after --no-config. NULL after an error in DIAG. Free it last: options
   and facts lie in it. */
struct configs *configs_new(const struct options *command_line, struct diag *diag);
void configs_free(struct configs *configs);

/* Makes RES the options of COMMAND_LINE on top of the configuration of the run. Release it
   with options_release_layered(). */
void configs_layer(const struct configs *configs, const struct options *command_line,
                   struct options *res);

/* Reads the configuration of each of INPUTS and loads the API facts and the GPUs that they ask for.
   False after an error in DIAG. */
bool configs_collect(struct configs *configs, const struct options *options,
                     const struct inputs *inputs, struct diag *diag);

/* What holds for the input of that number. Any thread may ask. */
const struct setup *configs_setup(const struct configs *configs, size_t input);

/* The same of all inputs, in their order. */
const struct setup *const *configs_setups(const struct configs *configs);

/* The GPUs of all inputs together, or those of OPTIONS where there is no input; false after an
   error in DIAG. */
bool configs_join_gpus(struct configs *configs, const struct options *options,
                       struct comparison *res, struct diag *diag);

#endif
