/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - does a number field hold a value of another type?
 */
#include "libubf/convert/check.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libubf/base/error.h"
#include "libubf/base/numtext.h"
#include "libubf/base/type.h"

#define NUMBER_MAX 511 /* bytes of a carray that conv.c reads */
#define SHOWN 40       /* bytes of a text in the text of an error */

static bool is_integer(int type)
{
	return type == BFLD_SHORT || type == BFLD_INT || type == BFLD_LONG;
}

static bool is_real(int type)
{
	return type == BFLD_FLOAT || type == BFLD_DOUBLE;
}

static bool holds_long(int type, long l)
{
	switch (type) {
	case BFLD_SHORT:
		return l >= SHRT_MIN && l <= SHRT_MAX;
	case BFLD_INT:
		return l >= INT_MIN && l <= INT_MAX;
	case BFLD_CHAR:
		return l >= 0 && l <= UCHAR_MAX;
	default:
		return true;
	}
}

static bool holds_double(int type, double d)
{
	if (type == BFLD_FLOAT)
		return !isfinite(d) || fabs(d) <= (double)FLT_MAX;
	return type == BFLD_DOUBLE ||
	       (d >= -0x1p63 && d < 0x1p63 && holds_long(type, (long)d));
}

static int check_long(int to, long l)
{
	return holds_long(to, l)
		       ? 0
		       : ow_ubf_fail(BEINVAL, "%ld does not fit type %s", l,
				     ow_ubf_types[to].name);
}

static int check_double(int to, double d)
{
	return holds_double(to, d)
		       ? 0
		       : ow_ubf_fail(BEINVAL, "%g does not fit type %s", d,
				     ow_ubf_types[to].name);
}

/* ---- texts ---- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Nothing but blanks, then nothing but NULs. */
static bool is_empty(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	while (p < end && *p == '\0')
		p++;
	return p == end;
}

/* `s` of `len` bytes has a NUL behind them: is it one number that `to` holds? */
static bool holds_text(int to, const char *s, size_t len)
{
	char *end;
	double d;
	long l;

	errno = 0;
	if (is_real(to)) {
		d = ow_numtext_to_double(s, &end);
		return end != s && is_empty(end, s + len) &&
		       !(errno == ERANGE && isinf(d)) && holds_double(to, d);
	}
	l = strtol(s, &end, 10);
	return end != s && is_empty(end, s + len) && errno != ERANGE &&
	       holds_long(to, l);
}

static int fail_text(int to, const char *s, size_t len)
{
	int shown = len < SHOWN ? (int)len : SHOWN;

	return ow_ubf_fail(BEINVAL, "\"%.*s%s\" does not fit type %s", shown, s,
			   len > SHOWN ? "..." : "", ow_ubf_types[to].name);
}

static int check_text(int to, const char *s, size_t len, bool ends)
{
	char tmp[NUMBER_MAX + 1];
	bool fits;

	if (to == BFLD_CHAR)
		return len <= 1 ? 0 : fail_text(to, s, len);
	if (ends || len <= NUMBER_MAX) {
		if (!ends) {
			memcpy(tmp, s, len);
			tmp[len] = '\0';
		}
		fits = holds_text(to, ends ? s : tmp, len);
	} else {
		fits = false;
	}
	return fits ? 0 : fail_text(to, s, len);
}

/* ---- all ---- */

int ow_ubf_check_fit(int from, const char *data, long len, int to)
{
	double d;
	float f;
	short s;
	long l;
	int i;

	if (data == NULL || !(is_integer(to) || is_real(to) || to == BFLD_CHAR))
		return 0;
	switch (from) {
	case BFLD_SHORT:
		memcpy(&s, data, sizeof(s));
		return check_long(to, s);
	case BFLD_INT:
		memcpy(&i, data, sizeof(i));
		return check_long(to, i);
	case BFLD_LONG:
		memcpy(&l, data, sizeof(l));
		return check_long(to, l);
	case BFLD_FLOAT:
		memcpy(&f, data, sizeof(f));
		return check_double(to, (double)f);
	case BFLD_DOUBLE:
		memcpy(&d, data, sizeof(d));
		return check_double(to, d);
	case BFLD_STRING:
		return check_text(to, data, strlen(data), true);
	case BFLD_CARRAY:
		return len < 0 ? 0 : check_text(to, data, (size_t)len, false);
	default:
		return 0;
	}
}
