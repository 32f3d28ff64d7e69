/* Where the program's own files are, relative to where the program is.  */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "annotate/gpu/targets.h"
#include "base/diag.h"
#include "cli/options.h"
#include "maps/map.h"

/* The folder of the *.map files: below $HIPWRIGHT_DATADIR if that is set; else beside the
   program, where it was built or installed; else where it was meant to be installed.
   NULL, and an error in DIAG, if there is none. The caller frees it. */
char *data_find_maps(struct diag *diag);

/* The folder of the rules' pages, found in the same way; NULL, and an error in DIAG, if there is
   none. The caller frees it. */
char *data_find_pages(struct diag *diag);

/* The folder of the message catalogues; the caller frees it. */
char *data_find_locale(void);

/* Loads the API facts and those of --map; NULL after an error in DIAG. Release with
   map_free(). */
struct map *data_load_map(const struct options *options, struct diag *diag);

/* Loads the GPUs and those of --gpus; NULL after an error in DIAG. Release with
   target_table_free(). */
struct target_table *data_load_targets(const struct options *options, struct diag *diag);

/* The path of the program itself, or NULL; the caller frees it. */
char *data_program_path(void);

#endif
