/* Markers: findings as comments above the lines they are about, in translated source.

       // hipwright: warning: MESSAGE [RULE]
       // hipwright: TODO: WHAT TO DO

   Errors and warnings are marked. A marker is a line of its own, in the file's comment style and
   the indentation of the line below it. It lies between lines that the compiler sees as such: above
   a directive, never in it, nor in a string, a comment or a line that splices make longer. So the
   tokens of a file are the same with and without markers, and taking the lines out restores it byte
   for byte. Always English.  */
#ifndef REPORT_MARKER_H
#define REPORT_MARKER_H

#include "base/source.h"
#include "transform/edit.h"
#include "transform/translate.h"

/* Adds the markers of T's findings to T's edits, and the removal of those that the source has
   already; the edits are finished before and after.

   In HIP source the old marker of a rule that reads CUDA (rule_reads_cuda()) stays where it is:
   nobody can find the same a second time. So does one of a rule that doubts HIP
   (rule_doubts_hip()), unless the rule has a finding on the line, or what the marker names has
   gone. */
void markers_add(struct translation *t);

/* Adds the removal of all markers of SOURCE to EDITS, and finishes them. Comments that allow
   findings are no markers. */
void markers_strip(const struct source *source, struct edits *edits);

#endif
