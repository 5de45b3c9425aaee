/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - write a compiled expression as text
 *
 * ((F_LONG == 42) && (F_STRING %% 'HELLO.*')): each operator has parentheses,
 * comparisons and
 * logical operators have blanks around them, doubles have six decimals. The text compiles to the same expression, except
 * for further decimals. The walk over the tree follows the links of the nodes
 * and does not recurse, since the tree may be deep.
 */
#include "libubf/expr/print.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "libubf/base/numtext.h"

struct printer {
	const struct ow_expr *x;
	ow_expr_put *put;
	void *arg;
};

static int put(const struct printer *p, const char *text)
{
	int r = p->put((char *)text, (long)strlen(text), p->arg);

	return r < 0 ? r : 0;
}

/* In an expression of Fboolco() what could not stand in it is written \xx. */
static int put_quoted(const struct printer *p, const char *text, size_t len)
{
	char quoted[3 * OW_EXPR_TEXT_MAX + 3] = "'";
	size_t i, n = 1;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = !p->x->is_fml ||
			     (c >= ' ' && c < 0x7f && c != '\'' && c != '\\');

		n += (size_t)snprintf(quoted + n, sizeof(quoted) - n,
				      plain ? "%c" : "\\%02x", c);
	}
	snprintf(quoted + n, sizeof(quoted) - n, "'");
	return put(p, quoted);
}

static int put_func(const struct printer *p, const struct ow_expr_node *n)
{
	int r = put(p, ow_expr_at(p->x, n->text));

	if (r == 0)
		r = put(p, "(");
	if (r == 0 && n->any)
		r = put_quoted(p, ow_expr_at(p->x, n->extra),
			       strlen(ow_expr_at(p->x, n->extra)));
	return r < 0 ? r : put(p, ")");
}

static int put_leaf(const struct printer *p, const struct ow_expr_node *n)
{
	char number[OW_NUMTEXT_MAX];

	switch (n->op) {
	case OW_EXPR_LONG:
		ow_numtext_long(number, n->u.l);
		return put(p, number);
	case OW_EXPR_DOUBLE:
		ow_numtext_real(number, n->u.d, OW_NUMTEXT_DOUBLE);
		return put(p, number);
	case OW_EXPR_TEXT:
	case OW_EXPR_PATTERN:
		return put_quoted(p, ow_expr_at(p->x, n->text), n->u.len);
	case OW_EXPR_FUNC:
		return put_func(p, n);
	default:
		return put(p, ow_expr_at(p->x, n->text));
	}
}

/* Write what comes before the first operand. */
static int put_begin(const struct printer *p, const struct ow_expr_node *n)
{
	int r = put(p, "(");

	if (r == 0 && n->left == OW_EXPR_NONE)
		r = put(p, ow_expr_ops[n->op].text);
	return r;
}

/* Write the operator between its operands. */
static int put_middle(const struct printer *p, const struct ow_expr_node *n)
{
	bool arithmetic = n->op >= OW_EXPR_ADD && n->op <= OW_EXPR_MOD;
	char text[8];

	snprintf(text, sizeof(text), arithmetic ? "%s" : " %s ",
		 ow_expr_ops[n->op].text);
	return put(p, text);
}

static int walk(const struct printer *p, uint32_t root)
{
	const struct ow_expr_node *nodes = ow_expr_nodes(p->x), *n;
	uint32_t at = root, from = OW_EXPR_NONE, to;
	int r = 0;

	while (r == 0 && at != OW_EXPR_NONE) {
		n = nodes + at;
		to = n->parent;
		if (n->right == OW_EXPR_NONE) {
			r = put_leaf(p, n);
		} else if (from == n->right) {
			r = put(p, ")");
		} else if (from == n->left && from != OW_EXPR_NONE) {
			r = put_middle(p, n);
			to = n->right;
		} else {
			r = put_begin(p, n);
			to = n->left != OW_EXPR_NONE ? n->left : n->right;
		}
		from = at;
		at = to;
	}
	return r;
}

int ow_expr_print(const struct ow_expr *x, ow_expr_put *put_fn, void *arg)
{
	struct printer p = { x, put_fn, arg };
	int r = walk(&p, x->nnodes - 1);

	return r < 0 ? r : put(&p, "\n");
}
