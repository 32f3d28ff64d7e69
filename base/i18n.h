/* gettext: _() marks and translates a sentence, N_() only marks it. */
#ifndef BASE_I18N_H
#define BASE_I18N_H

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) text

#endif
