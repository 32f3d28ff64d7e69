/* The extended attributes of files: what users, access control lists and security modules say of
   them beside owner and mode.  */
#ifndef CLI_ATTRIBUTES_H
#define CLI_ATTRIBUTES_H

/* Gives the file TO, open, those of the file FROM, open. What TO's file system does not take, or we
   may not give, is left out, as it is where a file is copied. */
void attributes_copy(int from, int to);

#endif
