/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numtext.c - numbers as text, in the formats of UBF
 *
 * A double is m * 2^e. For -126 <= e < -10 the product m * 10^6 fits 128 bits
 * (53 + 20), so the decimal digits come from integer arithmetic, exactly, with
 * the rounding of printf (half to even, on the exact value).
 */
#include "libubf/base/numtext.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_SHIFT_MAX 126
#define EXACT_INTEGER (1ull << 53)	/* below it, all integers are doubles */

const double ow_numtext_powers[OW_NUMTEXT_POWER_MAX + 1] = {
	1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
	1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };

static locale_t c_locale;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The C locale, whose decimal point is '.'; 0 if there is no memory for it. */
static locale_t dot_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_c_locale);
	return c_locale;
}

static size_t put_digits(char *to, uint64_t v)
{
	char tmp[20];
	size_t n = sizeof(tmp);

	do {
		tmp[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v != 0);
	memcpy(to, tmp + n, sizeof(tmp) - n);
	return sizeof(tmp) - n;
}

size_t ow_numtext_long(char *to, long v)
{
	uint64_t u = (uint64_t)v;
	char *p = to;

	if (v < 0) {
		*p++ = '-';
		u = 0 - u;
	}
	p += put_digits(p, u);
	*p = '\0';
	return (size_t)(p - to);
}

/* Set *ret to |v| * 10^decimals, rounded: 1, or 0 if v is out of range. */
static int scaled(double v, int decimals, uint64_t *ret)
{
	unsigned __int128 prod, half;
	uint64_t bits, m;
	int e;

	memcpy(&bits, &v, sizeof(bits));
	e = (int)(bits >> 52 & 0x7ff) - 1075;
	m = (bits & 0xfffffffffffff) | 1ull << 52;
	if (e > -11 || e < -EXACT_SHIFT_MAX)	/* 2^42 and more, or tiny */
		return 0;
	prod = (unsigned __int128)m * powers[decimals];
	half = (unsigned __int128)1 << (-e - 1);
	*ret = (uint64_t)(prod >> -e);
	prod &= 2 * half - 1;
	if (prod > half || (prod == half && (*ret & 1)))
		++*ret;
	return 1;
}

/* What printf() writes in the C locale: for huge numbers, infinity and NaN. */
static size_t put_any(char *to, const char *format, int precision, double v)
{
	locale_t before = uselocale(dot_locale());
	int n = snprintf(to, OW_NUMTEXT_MAX, format, precision, v);

	(void)uselocale(before);
	return (size_t)n;
}

static size_t put_fixed(char *to, int minus, uint64_t u, int decimals)
{
	uint64_t frac = u % powers[decimals];
	char *p = to;
	int i;

	if (minus)
		*p++ = '-';
	p += put_digits(p, u / powers[decimals]);
	*p++ = '.';
	for (i = decimals - 1; i >= 0; i--) {
		p[i] = (char)('0' + frac % 10);
		frac /= 10;
	}
	p += decimals;
	*p = '\0';
	return (size_t)(p - to);
}

size_t ow_numtext_real(char *to, double v, int decimals)
{
	uint64_t u = 0;

	if (v != 0.0 && !scaled(v, decimals, &u))
		return put_any(to, "%.*f", decimals, v);
	return put_fixed(to, signbit(v), u, decimals);
}

size_t ow_numtext_digits17(char *to, double v)
{
	return put_any(to, "%.*g", DBL_DECIMAL_DIG, v);
}

/* Whether two positive numbers are the same as doubles, or as floats. */
static int same_value(double a, double b, int decimals)
{
	return decimals == OW_NUMTEXT_FLOAT ? (float)a == (float)b : a == b;
}

/* strtod() reads the bits of a NaN in parentheses. */
static size_t put_nan(char *to, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	bits &= 0x7ffffffffffff;
	return (size_t)sprintf(to, bits != 0 ? "%snan(0x%" PRIx64 ")" : "%snan",
			       signbit(v) ? "-" : "", bits);
}

static size_t put_enough(char *to, double v, int decimals)
{
	int digits = decimals == OW_NUMTEXT_FLOAT ? FLT_DIG : DBL_DIG;
	size_t n;

	if (isnan(v))
		return put_nan(to, v);
	do
		n = put_any(to, "%.*g", digits++, v);
	while (digits <= DBL_DECIMAL_DIG &&
	       !same_value(ow_numtext_to_double(to, NULL), v, decimals));
	return n;
}

/*
 * A reader divides u by a power of ten, both exact in a double, and rounds
 * once; the division here does the same. From EXACT_INTEGER on, doubles lie
 * further apart than the last decimal, and floats are integers.
 */
size_t ow_numtext_exact(char *to, double v, int decimals)
{
	uint64_t u = 0;

	if (v != 0.0 && !scaled(v, decimals, &u)) {
		if (fabs(v) >= 1)
			return put_any(to, "%.*f", decimals, v);
		return put_enough(to, v, decimals);
	}
	if (u < EXACT_INTEGER &&
	    !same_value((double)u / powers[decimals], fabs(v), decimals))
		return put_enough(to, v, decimals);
	return put_fixed(to, signbit(v), u, decimals);
}

long ow_numtext_to_long(const char *s)
{
	const char *p = s;
	uint64_t v = 0;
	int digits = 0, minus;

	while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
		p++;
	minus = *p == '-';
	p += *p == '-' || *p == '+';
	for (; *p >= '0' && *p <= '9' && digits < 18; p++, digits++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (*p >= '0' && *p <= '9')
		return strtol(s, NULL, 10);
	return minus ? -(long)v : (long)v;
}

double ow_numtext_to_double(const char *s, char **ret_end)
{
	locale_t c = dot_locale();

	return c == (locale_t)0 ? strtod(s, ret_end)
				: strtod_l(s, ret_end, c);
}
