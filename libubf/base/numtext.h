/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numtext.h - numbers to text and back, in the formats of UBF
 *
 * Integers in decimal, floats with 5 and doubles with 6 decimals. The results
 * are those of printf("%ld") and printf("%.*f"), digit by digit, at a tenth of
 * the cost for all but huge numbers. The point is a point, whatever the locale
 * of the program is.
 */
#ifndef OW_UBF_NUMTEXT_H
#define OW_UBF_NUMTEXT_H

#include <stddef.h>

#define OW_NUMTEXT_MAX 352	/* bytes: -1.8e308 with 6 decimals, NUL */
#define OW_NUMTEXT_FLOAT 5
#define OW_NUMTEXT_DOUBLE 6

/* Write to a buffer of OW_NUMTEXT_MAX bytes; length without the NUL. */
size_t ow_numtext_long(char *to, long v);
size_t ow_numtext_real(char *to, double v, int decimals);
/* The same if that reads back as the same float or double (the decimals say
 * which), else with as many digits as it takes. Signalling NaNs become
 * quiet. */
size_t ow_numtext_exact(char *to, double v, int decimals);
/* As atol(), but never undefined: out of range saturates. */
long ow_numtext_to_long(const char *s);
/* As strtod() in the C locale; ret_end may be NULL. */
double ow_numtext_to_double(const char *s, char **ret_end);

#endif
