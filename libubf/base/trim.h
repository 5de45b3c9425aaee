/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trim.h - a text without the blanks at its ends
 */
#ifndef OW_TRIM_H
#define OW_TRIM_H

#include <string.h>

/* Cut them off the end of `text`; the rest, which begins in `text`. */
static inline char *ow_trim(char *text)
{
	static const char blanks[] = " \t\n\v\f\r";
	size_t n;

	text += strspn(text, blanks);
	n = strlen(text);
	while (n > 0 && strchr(blanks, text[n - 1]) != NULL)
		n--;
	text[n] = '\0';
	return text;
}

#endif
