/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - the values an expression computes with
 *
 * A value is nothing (an absent field, a division by zero), a long, a double
 * or text. Text becomes a number where the other side is one: as far as it
 * reads as one in decimal, else 0. Whatever the locale, '.' is the point.
 */
#ifndef OW_UBF_EXPR_VALUE_H
#define OW_UBF_EXPR_VALUE_H

#include <stddef.h>
#include <string.h>

#include "libubf/convert/val.h"
#include "libubf/expr/expr.h"

enum ow_expr_kind {
	OW_EXPR_V_NULL,
	OW_EXPR_V_LONG,
	OW_EXPR_V_DOUBLE,
	OW_EXPR_V_TEXT,
	OW_EXPR_V_ANY,		/* each occurrence of a path with [?] */
};

struct ow_expr_val {
	uint32_t kind;
	uint32_t len;		/* of text */
	union {
		long l;
		double d;
		const char *s;	/* not NUL terminated */
		const struct ow_expr_node *any;
	} u;
};

/* The number at the beginning of a text (LONG 0 if there is none); bytes
 * read. */
size_t ow_expr_number(const char *s, size_t len, struct ow_expr_val *ret);
/* A comparison, for any kinds but ANY: 0 or 1. */
int ow_expr_compare(enum ow_expr_op op, const struct ow_expr_val *a,
		    const struct ow_expr_val *b);
/* a = a op b; NULL if a side is, or for a division by zero. */
void ow_expr_binary(enum ow_expr_op op, struct ow_expr_val *a,
		    const struct ow_expr_val *b);
/* a = op a, for + - ~. */
void ow_expr_unary(enum ow_expr_op op, struct ow_expr_val *a);
double ow_expr_double(const struct ow_expr_val *v);

/* The value of a field of some type; buffers and views are NULL. */
static inline void ow_expr_load(unsigned int type, struct ow_ubf_val v,
				struct ow_expr_val *ret)
{
	short s;
	int i;
	float f;

	ret->kind = OW_EXPR_V_LONG;
	switch (type) {
	case BFLD_SHORT:
		memcpy(&s, v.data, sizeof(s));
		ret->u.l = s;
		return;
	case BFLD_INT:
		memcpy(&i, v.data, sizeof(i));
		ret->u.l = i;
		return;
	case BFLD_LONG:
	case BFLD_PTR:
		memcpy(&ret->u.l, v.data, sizeof(long));
		return;
	case BFLD_FLOAT:
		memcpy(&f, v.data, sizeof(f));
		ret->kind = OW_EXPR_V_DOUBLE;
		ret->u.d = (double)f;
		return;
	case BFLD_DOUBLE:
		ret->kind = OW_EXPR_V_DOUBLE;
		memcpy(&ret->u.d, v.data, sizeof(double));
		return;
	case BFLD_STRING:
		ret->kind = OW_EXPR_V_TEXT;
		ret->u.s = v.data;
		ret->len = (uint32_t)v.len - 1;
		return;
	case BFLD_CHAR:
	case BFLD_CARRAY:
		ret->kind = OW_EXPR_V_TEXT;
		ret->u.s = v.data;
		ret->len = (uint32_t)strnlen(v.data, v.len);
		return;
	default:
		ret->kind = OW_EXPR_V_NULL;
	}
}

/* A number is true unless 0, a text unless empty. */
static inline int ow_expr_truth(const struct ow_expr_val *v)
{
	switch (v->kind) {
	case OW_EXPR_V_LONG:
		return v->u.l != 0;
	case OW_EXPR_V_DOUBLE:
		return v->u.d != 0.0;
	case OW_EXPR_V_TEXT:
		return v->len > 0;
	default:
		return 0;
	}
}

#endif
