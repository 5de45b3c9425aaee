/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c - convert a value from one field type to another
 *
 * Each type has a kind. A number is read into a long or a double first and
 * written from there, so the matrix has a cell per pair of kinds, not per pair
 * of types. Text to text needs no copy.
 */
#include "libubf/convert/conv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/type.h"

enum kind { NONE, INTEGER, REAL, CHARACTER, TEXT, OPAQUE, POINTER };

static const enum kind kinds[BFLD_MAX + 1] = {
	[BFLD_SHORT] = INTEGER, [BFLD_LONG] = INTEGER, [BFLD_INT] = INTEGER,
	[BFLD_CHAR] = CHARACTER, [BFLD_FLOAT] = REAL, [BFLD_DOUBLE] = REAL,
	[BFLD_STRING] = TEXT,	[BFLD_CARRAY] = TEXT, [BFLD_PTR] = POINTER,
	[BFLD_UBF] = OPAQUE,	[BFLD_VIEW] = OPAQUE, [BFLD_RFU0] = NONE,
};

struct number {
	int real;
	long l;
	double d;
};

/* A carray has no NUL and is copied to add one; no number is longer. */
#define NUMBER_TEXT_MAX 511

static const char *terminated(unsigned int type, struct ow_ubf_val v,
			      char *tmp)
{
	size_t n = v.len < NUMBER_TEXT_MAX ? v.len : NUMBER_TEXT_MAX;

	if (type == BFLD_STRING)
		return v.data;
	memcpy(tmp, v.data, n);
	tmp[n] = '\0';
	return tmp;
}

static void text_number(unsigned int from, struct ow_ubf_val v,
			unsigned int to, struct number *n)
{
	char tmp[NUMBER_TEXT_MAX + 1];
	const char *s = terminated(from, v, tmp);

	n->real = kinds[to] == REAL;
	if (n->real)
		n->d = ow_numtext_to_double(s, NULL);
	else if (kinds[to] == POINTER)
		n->l = (long)strtoul(s, NULL, 16);
	else
		n->l = ow_numtext_to_long(s);
}

static void read_number(unsigned int from, const void *p, struct number *n)
{
	n->real = kinds[from] == REAL;
	switch (from) {
	case BFLD_SHORT:
		n->l = *(const short *)memcpy(&(short){ 0 }, p, sizeof(short));
		break;
	case BFLD_INT:
		n->l = *(const int *)memcpy(&(int){ 0 }, p, sizeof(int));
		break;
	case BFLD_CHAR:
		n->l = *(const unsigned char *)p;
		break;
	case BFLD_FLOAT:
		n->d = *(const float *)memcpy(&(float){ 0 }, p, sizeof(float));
		break;
	case BFLD_DOUBLE:
		memcpy(&n->d, p, sizeof(n->d));
		break;
	default:
		memcpy(&n->l, p, sizeof(n->l));
	}
}

static void write_number(const struct number *n, unsigned int to,
			 struct ow_ubf_conv *c)
{
	double d = n->real ? n->d : (double)n->l;
	long l = n->real ? ow_numtext_real_to_long(n->d) : n->l;
	float f = (float)d;
	short s = (short)l;
	int i = (int)l;

	c->val.data = &c->small.word;
	c->val.len = ow_ubf_types[to].size;
	switch (to) {
	case BFLD_SHORT:
		memcpy(&c->small, &s, sizeof(s));
		break;
	case BFLD_INT:
		memcpy(&c->small, &i, sizeof(i));
		break;
	case BFLD_CHAR:
		c->small.text[0] = (char)(unsigned char)l;
		break;
	case BFLD_FLOAT:
		memcpy(&c->small, &f, sizeof(f));
		break;
	case BFLD_DOUBLE:
		memcpy(&c->small, &d, sizeof(d));
		break;
	default:
		memcpy(&c->small, &l, sizeof(l));
	}
}

static int decimals(unsigned int type)
{
	return type == BFLD_FLOAT ? OW_NUMTEXT_FLOAT : OW_NUMTEXT_DOUBLE;
}

static void number_text(unsigned int from, const struct number *n,
			unsigned int to, struct ow_ubf_conv *c)
{
	char *s = c->small.text;

	if (kinds[from] == POINTER)
		c->val.len = (size_t)sprintf(s, "0x%lx", (unsigned long)n->l);
	else if (n->real)
		c->val.len = ow_numtext_real(s, n->d, decimals(from));
	else
		c->val.len = ow_numtext_long(s, n->l);
	c->val.len += to == BFLD_STRING;
	c->val.data = s;
}

/* Between string, carray and char: the bytes stay the same. */
static void text_text(unsigned int from, struct ow_ubf_val v, unsigned int to,
		      struct ow_ubf_conv *c)
{
	if (from == BFLD_STRING)
		v.len--;
	if (to == BFLD_CHAR) {
		c->small.text[0] = v.len > 0 ? *(const char *)v.data : '\0';
		c->val.data = c->small.text;
		c->val.len = 1;
		return;
	}
	if (to == BFLD_STRING)
		v.len = strnlen(v.data, v.len) + 1;
	c->val = v;
}

static inline int convertible(unsigned int from, unsigned int to)
{
	if (from > BFLD_MAX || to > BFLD_MAX || kinds[from] == NONE ||
	    kinds[to] == NONE)
		return -EPROTOTYPE;
	if (from != to && (kinds[from] == OPAQUE || kinds[to] == OPAQUE))
		return -EOPNOTSUPP;
	return 0;
}

int ow_ubf_convertible(unsigned int from, unsigned int to)
{
	return convertible(from, to);
}

int ow_ubf_convert(unsigned int from, struct ow_ubf_val v, unsigned int to,
		   struct ow_ubf_conv *c)
{
	struct number n = { 0, 0, 0 };
	int from_text, to_text, r = convertible(from, to);

	if (r < 0)
		return r;
	if (from == to) {
		c->val = v;
		return 0;
	}
	from_text = kinds[from] == TEXT;
	to_text = kinds[to] == TEXT;
	if ((from_text || from == BFLD_CHAR) && (to_text || to == BFLD_CHAR)) {
		text_text(from, v, to, c);
		return 0;
	}
	if (from_text)
		text_number(from, v, to, &n);
	else
		read_number(from, v.data, &n);
	if (to_text)
		number_text(from, &n, to, c);
	else
		write_number(&n, to, c);
	return 0;
}

void ow_ubf_exact_text(unsigned int from, struct ow_ubf_val v,
		       struct ow_ubf_conv *c)
{
	double d;
	float f;

	if (from == BFLD_DOUBLE) {
		memcpy(&d, v.data, sizeof(d));
	} else if (from == BFLD_FLOAT) {
		memcpy(&f, v.data, sizeof(f));
		d = (double)f;
	} else {
		(void)ow_ubf_convert(from, v, BFLD_CARRAY, c);
		return;
	}
	c->val.data = c->small.text;
	c->val.len = ow_numtext_exact(c->small.text, d, decimals(from));
}
