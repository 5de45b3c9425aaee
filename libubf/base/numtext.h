/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numtext.h - numbers as text, in the formats of UBF
 *
 * Integers in decimal, floats with 5 and doubles with 6 decimals. The results
 * are those of printf("%ld") and printf("%.*f"), digit by digit, at a tenth of
 * the cost for all but huge numbers. The decimal point is always '.', whatever
 * the locale of the program.
 */
#ifndef OW_UBF_NUMTEXT_H
#define OW_UBF_NUMTEXT_H

#include <limits.h>
#include <stddef.h>

#define OW_NUMTEXT_MAX 352	/* bytes: -1.8e308 with 6 decimals, NUL */
#define OW_NUMTEXT_FLOAT 5
#define OW_NUMTEXT_DOUBLE 6

/* Write to a buffer of OW_NUMTEXT_MAX bytes; returns the length without NUL. */
size_t ow_numtext_long(char *to, long v);
size_t ow_numtext_real(char *to, double v, int decimals);
/* The same if that text reads back as the same float or double (`decimals`
 * says which type), else as many digits as that needs. Signalling NaNs become
 * quiet. */
size_t ow_numtext_exact(char *to, double v, int decimals);
/* As atol(), but numbers out of range become the nearest long. */
long ow_numtext_to_long(const char *s);
/* As strtod() in the C locale; ret_end may be NULL. */
double ow_numtext_to_double(const char *s, char **ret_end);
/* As printf("%.17g") in the C locale, from which the same double is read. */
size_t ow_numtext_digits17(char *to, double v);

/* 10^0 to 10^22, the powers that a double holds exactly. */
#define OW_NUMTEXT_POWER_MAX 22
extern const double ow_numtext_powers[OW_NUMTEXT_POWER_MAX + 1];

/* The nearest long; 0 for NaN. */
static inline long ow_numtext_real_to_long(double d)
{
	if (d != d)
		return 0;
	if (d >= 0x1p63)
		return LONG_MAX;
	return d < -0x1p63 ? LONG_MIN : (long)d;
}

#endif
