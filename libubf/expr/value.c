/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - operations on the values of an expression
 *
 * Operations on two longs give a long, which wraps; all others use doubles.
 * Doubles are equal if they are less than 1e-6 apart.
 */
#include "libubf/expr/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "libubf/base/numtext.h"

#define EPSILON 1e-6
#define NUMBER_MAX 511	/* bytes of a number; the rest is ignored */

/* The number in a text: digits * 10^power, if exact. */
struct scan {
	uint64_t digits;
	int exact;	/* all digits are in `digits` */
	int integer;	/* no '.', no exponent */
	int minus;
	long power;
	size_t len;	/* bytes of the number, 0: none */
};

static size_t scan_digits(const char *s, size_t len, struct scan *n)
{
	size_t i;

	for (i = 0; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
		if (n->digits >= 100000000000000000ull)
			n->exact = 0;
		else
			n->digits = n->digits * 10 + (uint64_t)(s[i] - '0');
	}
	return i;
}

/* Read "e+12"; returns its bytes, 0 if there is none. */
static size_t scan_exponent(const char *s, size_t len, long *power)
{
	size_t i = 1, from;
	long e = 0;

	if (len < 2 || (s[0] != 'e' && s[0] != 'E'))
		return 0;
	i += s[i] == '+' || s[i] == '-';
	for (from = i; i < len && s[i] >= '0' && s[i] <= '9'; i++)
		e = e < 100000 ? e * 10 + (s[i] - '0') : e;
	if (i == from)
		return 0;
	*power += s[1] == '-' ? -e : e;
	return i;
}

static struct scan scan(const char *s, size_t len)
{
	struct scan n = { .exact = 1, .integer = 1 };
	size_t i = 0, k, whole;

	while (i < len && (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')))
		i++;
	if (i < len && (s[i] == '-' || s[i] == '+'))
		n.minus = s[i++] == '-';
	whole = scan_digits(s + i, len - i, &n);
	i += whole;
	if (i < len && s[i] == '.') {
		k = scan_digits(s + i + 1, len - i - 1, &n);
		if (whole + k > 0) {
			n.power = -(long)k;
			n.integer = 0;
			i += 1 + k;
			whole += k;
		}
	}
	if (whole == 0)
		return n;
	k = scan_exponent(s + i, len - i, &n.power);
	n.integer &= k == 0;
	n.len = i + k;
	return n;
}

/* Long numbers and large exponents. */
static double slow_double(const char *s, size_t len)
{
	char tmp[NUMBER_MAX + 1];

	len = len < NUMBER_MAX ? len : NUMBER_MAX;
	memcpy(tmp, s, len);
	tmp[len] = '\0';
	return ow_numtext_to_double(tmp, NULL);
}

static double real(const char *s, const struct scan *n)
{
	double d = (double)n->digits;

	if (!n->exact || n->digits > 1ull << 53 ||
	    n->power > OW_NUMTEXT_POWER_MAX ||
	    n->power < -OW_NUMTEXT_POWER_MAX)
		return slow_double(s, n->len);
	if (n->power < 0)
		d /= ow_numtext_powers[-n->power];
	else
		d *= ow_numtext_powers[n->power];
	return n->minus ? -d : d;
}

/* Numbers of 18 digits and more may still fit a long. */
static void long_integer(const char *s, size_t len, struct ow_expr_val *ret)
{
	char tmp[NUMBER_MAX + 1];
	int keep = errno;
	long l;

	if (len > NUMBER_MAX)
		return;
	memcpy(tmp, s, len);
	tmp[len] = '\0';
	errno = 0;
	l = strtol(tmp, NULL, 10);
	if (errno == 0) {
		ret->kind = OW_EXPR_V_LONG;
		ret->u.l = l;
	}
	errno = keep;
}

size_t ow_expr_number(const char *s, size_t len, struct ow_expr_val *ret)
{
	struct scan n = scan(s, len);

	if (n.len == 0 || (n.integer && n.exact)) {
		ret->kind = OW_EXPR_V_LONG;
		ret->u.l = n.minus ? -(long)n.digits : (long)n.digits;
		return n.len;
	}
	ret->kind = OW_EXPR_V_DOUBLE;
	ret->u.d = real(s, &n);
	if (n.integer && fabs(ret->u.d) <= 0x1p63)
		long_integer(s, n.len, ret);
	return n.len;
}

/* The number in a text; other values as they are. */
static struct ow_expr_val number(const struct ow_expr_val *v)
{
	struct ow_expr_val n = *v;

	if (v->kind == OW_EXPR_V_TEXT)
		(void)ow_expr_number(v->u.s, v->len, &n);
	return n;
}

double ow_expr_double(const struct ow_expr_val *v)
{
	struct ow_expr_val n = number(v);

	switch (n.kind) {
	case OW_EXPR_V_LONG:
		return (double)n.u.l;
	case OW_EXPR_V_DOUBLE:
		return n.u.d;
	default:
		return 0.0;
	}
}

static long to_long(const struct ow_expr_val *v)
{
	return v->kind == OW_EXPR_V_LONG ? v->u.l
					 : ow_numtext_real_to_long(v->u.d);
}

/* The result of a comparison whose sides differ by `sign` (-1, 0, 1). */
static int holds(enum ow_expr_op op, int sign)
{
	switch (op) {
	case OW_EXPR_EQ:
		return sign == 0;
	case OW_EXPR_NE:
		return sign != 0;
	case OW_EXPR_LT:
		return sign < 0;
	case OW_EXPR_LE:
		return sign <= 0;
	case OW_EXPR_GT:
		return sign > 0;
	default:
		return sign >= 0;
	}
}

/* Every comparison with NaN is false, except !=. */
static int compare_doubles(enum ow_expr_op op, double a, double b)
{
	int equal = a == b || fabs(a - b) < EPSILON;

	switch (op) {
	case OW_EXPR_EQ:
		return equal;
	case OW_EXPR_NE:
		return !equal;
	case OW_EXPR_LT:
		return a < b;
	case OW_EXPR_LE:
		return a < b || equal;
	case OW_EXPR_GT:
		return a > b;
	default:
		return a > b || equal;
	}
}

static int compare_texts(const struct ow_expr_val *a,
			 const struct ow_expr_val *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int r = memcmp(a->u.s, b->u.s, n);

	return r != 0 ? r : (a->len > b->len) - (a->len < b->len);
}

int ow_expr_compare(enum ow_expr_op op, const struct ow_expr_val *a,
		    const struct ow_expr_val *b)
{
	struct ow_expr_val x, y;

	if (a->kind == OW_EXPR_V_NULL || b->kind == OW_EXPR_V_NULL)
		return op == OW_EXPR_NE;
	if (a->kind == OW_EXPR_V_TEXT && b->kind == OW_EXPR_V_TEXT)
		return holds(op, compare_texts(a, b));
	x = number(a);
	y = number(b);
	if (x.kind == OW_EXPR_V_LONG && y.kind == OW_EXPR_V_LONG)
		return holds(op, (x.u.l > y.u.l) - (x.u.l < y.u.l));
	return compare_doubles(op, ow_expr_double(&x), ow_expr_double(&y));
}

static void set_long(struct ow_expr_val *v, unsigned long l)
{
	v->kind = OW_EXPR_V_LONG;
	v->u.l = (long)l;
}

static void set_null(struct ow_expr_val *v)
{
	v->kind = OW_EXPR_V_NULL;
}

static void divide_longs(enum ow_expr_op op, struct ow_expr_val *a, long x,
			 long y)
{
	if (y == 0)
		set_null(a);
	else if (y == -1)	/* LONG_MIN / -1 traps */
		set_long(a, op == OW_EXPR_DIV ? 0 - (unsigned long)x : 0);
	else
		set_long(a, (unsigned long)(op == OW_EXPR_DIV ? x / y
							      : x % y));
}

static void binary_doubles(enum ow_expr_op op, struct ow_expr_val *a, double x,
			   double y)
{
	a->kind = OW_EXPR_V_DOUBLE;
	switch (op) {
	case OW_EXPR_ADD:
		a->u.d = x + y;
		return;
	case OW_EXPR_SUB:
		a->u.d = x - y;
		return;
	case OW_EXPR_MUL:
		a->u.d = x * y;
		return;
	default:
		a->u.d = x / y;
		if (y == 0.0)
			set_null(a);
	}
}

static void binary_longs(enum ow_expr_op op, struct ow_expr_val *a, long x,
			 long y)
{
	unsigned long p = (unsigned long)x, q = (unsigned long)y;

	switch (op) {
	case OW_EXPR_ADD:
		set_long(a, p + q);
		return;
	case OW_EXPR_SUB:
		set_long(a, p - q);
		return;
	case OW_EXPR_MUL:
		set_long(a, p * q);
		return;
	default:
		divide_longs(op, a, x, y);
	}
}

void ow_expr_binary(enum ow_expr_op op, struct ow_expr_val *a,
		    const struct ow_expr_val *b)
{
	struct ow_expr_val x = number(a), y = number(b);

	if (x.kind == OW_EXPR_V_NULL || y.kind == OW_EXPR_V_NULL)
		set_null(a);
	else if (x.kind == OW_EXPR_V_LONG && y.kind == OW_EXPR_V_LONG)
		binary_longs(op, a, x.u.l, y.u.l);
	else if (op == OW_EXPR_MOD)
		divide_longs(op, a, to_long(&x), to_long(&y));
	else
		binary_doubles(op, a, ow_expr_double(&x), ow_expr_double(&y));
}

void ow_expr_unary(enum ow_expr_op op, struct ow_expr_val *a)
{
	struct ow_expr_val x = number(a);

	*a = x;
	if (x.kind == OW_EXPR_V_NULL || op == OW_EXPR_PLUS)
		return;
	if (op == OW_EXPR_COMPL)
		set_long(a, ~(unsigned long)to_long(&x));
	else if (x.kind == OW_EXPR_V_LONG)
		set_long(a, 0 - (unsigned long)x.u.l);
	else
		a->u.d = -x.u.d;
}
