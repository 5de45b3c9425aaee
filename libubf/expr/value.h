/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - the values of an expression
 *
 * A value is NULL (an absent field, a division by zero), a long, a double or
 * text. If the other operand is a number, the decimal number at the beginning
 * of a text is used, or 0 if there is none; but a number in a field is compared
 * with a text constant as text (eval.c). The decimal point is '.' in every
 * locale.
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
	OW_EXPR_V_ANY,		/* all occurrences of a path with [?] */
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

/* Read the number at the beginning of a text (LONG 0 if there is none); returns
 * its bytes. */
size_t ow_expr_number(const char *s, size_t len, struct ow_expr_val *ret);
/* Compare two values of any kind but ANY: 0 or 1. */
int ow_expr_compare(enum ow_expr_op op, const struct ow_expr_val *a,
		    const struct ow_expr_val *b);
/* a = a op b. NULL if an operand is NULL, or after a division by zero. */
void ow_expr_binary(enum ow_expr_op op, struct ow_expr_val *a,
		    const struct ow_expr_val *b);
/* a = op a, for + - ~. */
void ow_expr_unary(enum ow_expr_op op, struct ow_expr_val *a);
double ow_expr_double(const struct ow_expr_val *v);

/* Load the value of a field; buffers and views are NULL. */
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

/* Numbers are true if not 0, texts if not empty; NULL is false. */
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
