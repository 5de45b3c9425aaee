/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - JSON numbers, strings, booleans as field values, in both directions
 */
#include "libubf/json/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <ubf.h>

#include "libubf/base/base64.h"
#include "libubf/base/escape.h"

#define LONG_DIGITS 18	/* so many fit a long */
#define EXACT_DIGITS 15 /* so many fit a double exactly */

static int bad(struct ow_json_value *v, const char *why)
{
	v->why = why;
	return -EBADMSG;
}

/* Make v->text at least n bytes large: 0 or -ENOMEM. */
static int scratch(struct ow_json_value *v, size_t n)
{
	char *t;

	if (v->cap >= n)
		return 0;
	t = realloc(v->text, n + n / 2 + 64);
	if (t == NULL)
		return -ENOMEM;
	v->text = t;
	v->cap = n + n / 2 + 64;
	return 0;
}

/* The text of an event, with a NUL. */
static int keep_text(struct ow_json_value *v, const struct ow_json_event *ev)
{
	int r = scratch(v, ev->len + 1);

	if (r < 0)
		return r;
	memcpy(v->text, ev->text, ev->len);
	v->text[ev->len] = '\0';
	return 0;
}

/* ---- numbers ---- */

struct decimal {
	uint64_t digits;
	int count;	/* digits, leading zeros included */
	int exponent;
	bool minus, whole;
	bool simple;	/* no exponent */
};

static void scan(const char *s, size_t n, struct decimal *d)
{
	size_t i = s[0] == '-';

	*d = (struct decimal){ .minus = i > 0, .whole = true, .simple = true };
	for (; i < n; i++) {
		if (s[i] == '.') {
			d->whole = false;
			continue;
		}
		if (s[i] < '0' || s[i] > '9') {
			d->simple = d->whole = false;
			return;
		}
		if (++d->count <= LONG_DIGITS)
			d->digits = d->digits * 10 + (uint64_t)(s[i] - '0');
		d->exponent -= !d->whole;
	}
}

/* The quotient of two exact doubles is rounded once, so it is the nearest
 * double. Other numbers go to the C library. */
static int real(struct ow_json_value *v, const struct ow_json_event *ev,
		const struct decimal *d, double *ret)
{
	int r;

	if (d->simple && d->count <= EXACT_DIGITS) {
		*ret = (double)d->digits /
		       ow_numtext_powers[-d->exponent];
		if (d->minus)
			*ret = -*ret;
		return 0;
	}
	r = keep_text(v, ev);
	if (r < 0)
		return r;
	*ret = ow_numtext_to_double(v->text, NULL);
	return 0;
}

/* 19 digits may fit a long; numtext gives the nearest long if they do not. */
static int integer(struct ow_json_value *v, const struct ow_json_event *ev,
		   const struct decimal *d, long *ret)
{
	int r;

	if (d->count <= LONG_DIGITS) {
		*ret = d->minus ? -(long)d->digits : (long)d->digits;
		return 0;
	}
	r = keep_text(v, ev);
	if (r < 0)
		return r;
	*ret = ow_numtext_to_long(v->text);
	return 0;
}

/* Convert; the value lies in *c afterwards. */
static int convert(unsigned int from, struct ow_ubf_val val, unsigned int to,
		   struct ow_ubf_conv *c)
{
	int r = ow_ubf_convert(from, val, to, c);

	if (r == 0 && from == to) {
		memcpy(&c->small, val.data, val.len);
		c->val.data = &c->small;
	}
	return r < 0 ? -EBADMSG : 0;
}

static int number(struct ow_json_value *v, const struct ow_json_event *ev,
		  unsigned int type, struct ow_ubf_conv *c)
{
	struct decimal d;
	double dbl;
	long l;
	int r;

	scan(ev->text, ev->len, &d);
	if (d.whole && (type == BFLD_STRING || type == BFLD_CARRAY)) {
		c->val = (struct ow_ubf_val){ ev->text,
					      ev->len +
						      (type == BFLD_STRING) };
		return 0;
	}
	if (d.whole && type != BFLD_FLOAT && type != BFLD_DOUBLE) {
		r = integer(v, ev, &d, &l);
		return r < 0 ? r
			     : convert(BFLD_LONG,
				       (struct ow_ubf_val){ &l, sizeof(l) },
				       type, c);
	}
	r = real(v, ev, &d, &dbl);
	return r < 0 ? r
		     : convert(BFLD_DOUBLE,
			       (struct ow_ubf_val){ &dbl, sizeof(dbl) }, type,
			       c);
}

/* ---- strings ---- */

/* Unescape \xx and \\ to v->text; returns the length or -errno. */
static long unescape(struct ow_json_value *v, const char *s, size_t n)
{
	long len;

	if (scratch(v, n + 1) < 0)
		return -ENOMEM;
	len = ow_ubf_unescape(v->text, s, n);
	if (len < 0)
		return bad(v, "a backslash needs another or two hex digits "
			   "(json_escape)");
	return len;
}

static int carray(struct ow_json_value *v, const struct ow_json_event *ev,
		  struct ow_ubf_conv *c)
{
	ssize_t n;

	if (scratch(v, ev->len + 1) < 0)
		return -ENOMEM;
	n = ow_base64_decode(v->text, ev->text, ev->len);
	if (n < 0)
		return bad(v, "not base64");
	c->val = (struct ow_ubf_val){ v->text, (size_t)n };
	return 0;
}

static int string(struct ow_json_value *v, const struct ow_json_event *ev,
		  unsigned int type, struct ow_ubf_conv *c)
{
	struct ow_ubf_val val = { ev->text, ev->len };
	long n;

	if (type == BFLD_CARRAY)
		return carray(v, ev, c);
	if (v->escape && (type == BFLD_STRING || type == BFLD_CHAR)) {
		n = unescape(v, ev->text, ev->len);
		if (n < 0)
			return (int)n;
		val = (struct ow_ubf_val){ v->text, (size_t)n };
	}
	if (type == BFLD_STRING) {
		if (memchr(val.data, '\0', val.len) != NULL)
			return bad(v, "a NUL byte in a string");
		val.len++;
		c->val = val;
		return 0;
	}
	return convert(BFLD_CARRAY, val, type, c);
}

int ow_json_value(struct ow_json_value *v, const struct ow_json_event *ev,
		  unsigned int type, struct ow_ubf_conv *c)
{
	if (type == BFLD_UBF || type == BFLD_VIEW)
		return bad(v, "a plain value, where an object is wanted");
	switch (ev->kind) {
	case OW_JSON_NUMBER:
		return number(v, ev, type, c);
	case OW_JSON_STRING:
		return string(v, ev, type, c);
	default:
		return convert(BFLD_CARRAY,
			       (struct ow_ubf_val){ ev->text, ev->len }, type,
			       c);
	}
}

/* ---- writing ---- */

static int put_pointer(struct ow_json_out *o, const void *value)
{
	unsigned long v;
	char text[32];

	memcpy(&v, value, sizeof(v));
	return ow_json_raw(o, text, (size_t)snprintf(text, sizeof(text),
						     "\"0x%lx\"", v));
}

int ow_json_plain(struct ow_json_out *o, unsigned int type,
		  struct ow_ubf_val val)
{
	const void *v = val.data;
	double d;
	float f;
	short s;
	long l;
	int i;

	switch (type) {
	case BFLD_STRING:
		return ow_json_string(o, v, val.len - 1);
	case BFLD_CARRAY:
		return ow_json_base64(o, v, val.len);
	case BFLD_INT:
		memcpy(&i, v, sizeof(i));
		return ow_json_long(o, i);
	case BFLD_SHORT:
		memcpy(&s, v, sizeof(s));
		return ow_json_long(o, s);
	case BFLD_LONG:
		memcpy(&l, v, sizeof(l));
		return ow_json_long(o, l);
	case BFLD_FLOAT:
		memcpy(&f, v, sizeof(f));
		return ow_json_real(o, (double)f);
	case BFLD_DOUBLE:
		memcpy(&d, v, sizeof(d));
		return ow_json_real(o, d);
	case BFLD_CHAR:
		return ow_json_string(o, v, *(const char *)v != '\0');
	default:
		return put_pointer(o, v);
	}
}
