/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numtext.c - numbers to text and back, in the formats of UBF
 *
 * A double is m * 2^e. For -126 <= e < -10 the product m * 10^6 fits 128 bits
 * (53 + 20), so the decimal digits come from integer arithmetic, exactly, with
 * the rounding of printf (half to even, on the exact value).
 */
#include "libubf/numtext.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_SHIFT_MAX 126

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

/* |v| * 10^decimals, rounded; 0 if it is out of the range done here. */
static int scaled(double v, int decimals, uint64_t *ret)
{
	static const uint32_t powers[] = { 1,	  10,	  100,	  1000,
					   10000, 100000, 1000000 };
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

/* Huge numbers and those that are none. What printf() puts between the digits
 * is up to the locale, and may be several bytes. */
static size_t put_any(char *to, double v, int decimals)
{
	size_t n = (size_t)snprintf(to, OW_NUMTEXT_MAX, "%.*f", decimals, v);
	char *point = to + n - decimals, *p = to + (*to == '-');

	while (isdigit((unsigned char)*p))
		p++;
	if (!isfinite(v) || p >= point)
		return n;
	*p++ = '.';
	memmove(p, point, (size_t)decimals + 1);
	return (size_t)(p - to) + (size_t)decimals;
}

size_t ow_numtext_real(char *to, double v, int decimals)
{
	static const uint32_t powers[] = { 1,	  10,	  100,	  1000,
					   10000, 100000, 1000000 };
	uint64_t u, frac;
	char *p = to;
	int i;

	if (v == 0.0)
		u = 0;
	else if (!scaled(v, decimals, &u))
		return put_any(to, v, decimals);
	if (signbit(v))
		*p++ = '-';
	p += put_digits(p, u / powers[decimals]);
	*p++ = '.';
	frac = u % powers[decimals];
	for (i = decimals - 1; i >= 0; i--) {
		p[i] = (char)('0' + frac % 10);
		frac /= 10;
	}
	p += decimals;
	*p = '\0';
	return (size_t)(p - to);
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

static locale_t c_locale;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double ow_numtext_to_double(const char *s, char **ret_end)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_c_locale);
	if (c_locale == (locale_t)0)
		return strtod(s, ret_end);
	return strtod_l(s, ret_end, c_locale);
}
