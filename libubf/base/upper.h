/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upper.h - capitals of English letters, whatever the locale of the program
 *
 * toupper() of an i is no I in a Turkish one.
 */
#ifndef OW_UPPER_H
#define OW_UPPER_H

static inline char ow_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

#endif
