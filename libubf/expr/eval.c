/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c - run the program of a compiled expression
 *
 * A stack machine that allocates nothing: the parser has checked that the stack
 * is deep enough. && and || skip their right side if the left one decides. The
 * value of a path with [?] is the path itself; a comparison walks over its
 * occurrences and is true if it holds for one.
 */
#include "libubf/expr/eval.h"

#include <errno.h>

#include "libubf/base/numtext.h"
#include "libubf/expr/path.h"
#include "libubf/regex/regex.h"
#include "libubf/store/search.h"

struct machine {
	const struct ow_expr *x;
	UBFH *p_ub;
	struct ow_expr_val *top;	/* the result, after run() */
	struct ow_expr_val stack[OW_EXPR_DEPTH_MAX + 1];
};

static void set_truth(struct ow_expr_val *v, int truth)
{
	v->kind = OW_EXPR_V_LONG;
	v->u.l = truth;
}

static int first_value(const struct machine *m, const struct ow_expr_node *n,
		       struct ow_expr_val *v)
{
	struct ow_expr_walk w;
	struct ow_ubf_val raw;
	unsigned int type;

	v->kind = OW_EXPR_V_NULL;
	ow_expr_walk_start(&w, m->x, n, m->p_ub);
	if (!ow_expr_walk_next(&w, &type, &raw))
		return 0;
	ow_expr_load(type, raw, v);
	return 1;
}

static void push_path(const struct machine *m, const struct ow_expr_node *n,
		      struct ow_expr_val *v)
{
	if (n->any) {
		v->kind = OW_EXPR_V_ANY;
		v->u.any = n;
		return;
	}
	(void)first_value(m, n, v);
}

static inline __attribute__((always_inline)) void
load_field(const struct machine *m, const struct ow_expr_node *n,
	   struct ow_expr_val *v)
{
	const struct ow_ubf_ent *e;

	e = ow_ubf_locate(m->p_ub, n->u.field.id, n->u.field.occ);
	if (e == NULL)
		v->kind = OW_EXPR_V_NULL;
	else
		ow_expr_load(n->type, ow_ubf_entry_val(m->p_ub, n->type, e),
			     v);
}

/* For buffers that are paged or dense. */
static __attribute__((noinline)) void
push_field_other(const struct machine *m, const struct ow_expr_node *n,
		 struct ow_expr_val *v)
{
	load_field(m, n, v);
}

static inline void push_field(const struct machine *m,
			      const struct ow_expr_node *n,
			      struct ow_expr_val *v)
{
	if (ow_ubf_usual(m->p_ub))
		load_field(m, n, v);
	else
		push_field_other(m, n, v);
}

static inline int is_present(const struct machine *m,
			     const struct ow_expr_node *n)
{
	return ow_ubf_locate(m->p_ub, n->u.field.id, n->u.field.occ) != NULL;
}

static int push_func(const struct machine *m, const struct ow_expr_node *n,
		     struct ow_expr_val *v)
{
	v->kind = OW_EXPR_V_LONG;
	return ow_expr_func_call(n->u.func, m->p_ub,
				 (char *)ow_expr_at(m->x, n->extra), &v->u.l);
}

/* The values of an operand: itself, or each occurrence of a path with [?]. */
struct each {
	struct ow_expr_walk walk;
	const struct ow_expr_val *self;
	int done;
};

static void each_start(struct each *e, const struct machine *m,
		       const struct ow_expr_val *v)
{
	e->self = v;
	e->done = 0;
	if (v->kind == OW_EXPR_V_ANY)
		ow_expr_walk_start(&e->walk, m->x, v->u.any, m->p_ub);
}

/* The next value: 1, or 0 at the end. A path without occurrences is NULL
 * once. */
static int each_next(struct each *e, struct ow_expr_val *v)
{
	struct ow_ubf_val raw;
	unsigned int type;

	if (e->self->kind != OW_EXPR_V_ANY) {
		*v = *e->self;
		return !e->done++;
	}
	if (ow_expr_walk_next(&e->walk, &type, &raw)) {
		e->done = 1;
		ow_expr_load(type, raw, v);
		return 1;
	}
	v->kind = OW_EXPR_V_NULL;
	return !e->done++;
}

/* The text of a number, as CBget() converts it. */
static size_t number_text(char *ret, const struct ow_expr_val *v,
			  unsigned int type)
{
	int decimals = type == BFLD_FLOAT ? OW_NUMTEXT_FLOAT
					  : OW_NUMTEXT_DOUBLE;

	return v->kind == OW_EXPR_V_LONG
		   ? ow_numtext_long(ret, v->u.l)
		   : ow_numtext_real(ret, v->u.d, decimals);
}

/* Compare two values; a number of a field with a text constant as text. */
static int compare_two(const struct ow_expr_node *n,
		       const struct ow_expr_val *a,
		       const struct ow_expr_val *b)
{
	const struct ow_expr_val *v = a->kind == OW_EXPR_V_TEXT ? b : a;
	struct ow_expr_val as_text = { .kind = OW_EXPR_V_TEXT };
	char text[OW_NUMTEXT_MAX];

	if (n->extra == 0 || v->kind == OW_EXPR_V_NULL ||
	    v->kind == OW_EXPR_V_TEXT)
		return ow_expr_compare((enum ow_expr_op)n->op, a, b);
	as_text.u.s = text;
	as_text.len = (uint32_t)number_text(text, v, n->type);
	return ow_expr_compare((enum ow_expr_op)n->op, v == a ? &as_text : a,
			       v == b ? &as_text : b);
}

static int __attribute__((noinline))
compare_any(const struct machine *m, const struct ow_expr_node *n,
	    const struct ow_expr_val *a, const struct ow_expr_val *b)
{
	struct ow_expr_val x, y;
	struct each left, right;

	each_start(&left, m, a);
	while (each_next(&left, &x)) {
		each_start(&right, m, b);
		while (each_next(&right, &y)) {
			if (compare_two(n, &x, &y))
				return 1;
		}
	}
	return 0;
}

static inline int compare_longs(enum ow_expr_op op, long a, long b)
{
	switch (op) {
	case OW_EXPR_EQ:
		return a == b;
	case OW_EXPR_NE:
		return a != b;
	case OW_EXPR_LT:
		return a < b;
	case OW_EXPR_LE:
		return a <= b;
	case OW_EXPR_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static inline int both_long(const struct ow_expr_val *v)
{
	return v->kind == OW_EXPR_V_LONG && v[1].kind == OW_EXPR_V_LONG;
}

/* v[0] = v[0] op v[1] */
static inline void compare(const struct machine *m,
			   const struct ow_expr_node *n, struct ow_expr_val *v)
{
	if (both_long(v))
		set_truth(v, compare_longs((enum ow_expr_op)n->op, v->u.l,
					   v[1].u.l));
	else if (v->kind == OW_EXPR_V_ANY || v[1].kind == OW_EXPR_V_ANY)
		set_truth(v, compare_any(m, n, v, v + 1));
	else
		set_truth(v, compare_two(n, v, v + 1));
}

/* The same for + - *; longs wrap. */
static inline void compute(enum ow_expr_op op, struct ow_expr_val *v)
{
	unsigned long a = (unsigned long)v->u.l, b = (unsigned long)v[1].u.l;

	if (!both_long(v))
		ow_expr_binary(op, v, v + 1);
	else if (op == OW_EXPR_ADD)
		v->u.l = (long)(a + b);
	else if (op == OW_EXPR_SUB)
		v->u.l = (long)(a - b);
	else
		v->u.l = (long)(a * b);
}

static int __attribute__((noinline))
match_number(const struct ow_regex *how, const struct ow_expr_val *v,
	     unsigned int type)
{
	char text[OW_NUMTEXT_MAX];

	return ow_regex_run(how, text, number_text(text, v, type));
}

static int match_one(const struct ow_regex *how,
		     const struct ow_expr_val *v, unsigned int type)
{
	if (v->kind == OW_EXPR_V_TEXT)
		return ow_regex_run(how, v->u.s, v->len);
	return v->kind == OW_EXPR_V_NULL ? 0 : match_number(how, v, type);
}

/* Whether an occurrence matches (for !%: does not match): 1, 0 or -ENOMEM. */
static int __attribute__((noinline))
match_any(const struct machine *m, const struct ow_regex *how, int want,
	  const struct ow_expr_val *top)
{
	unsigned int type = top->u.any->type;
	struct ow_expr_val v;
	struct each e;
	int r;

	each_start(&e, m, top);
	while (each_next(&e, &v)) {
		r = match_one(how, &v, type);
		if (r < 0)
			return r;
		if (r == want)
			return 1;
	}
	return 0;
}

static int match(const struct machine *m, const struct ow_expr_node *n,
		 struct ow_expr_val *v)
{
	const struct ow_regex *all = ow_expr_at(m->x, m->x->matches);
	unsigned int type = ow_expr_nodes(m->x)[n->left].type;
	int want = n->op == OW_EXPR_MATCH, r;

	if (v->kind == OW_EXPR_V_ANY) {
		r = match_any(m, all + n->extra, want, v);
	} else {
		r = match_one(all + n->extra, v, type);
		r = r < 0 ? r : r == want;
	}
	if (r < 0)
		return r;
	set_truth(v, r);
	return 0;
}

/* How the operators of rarer() move the top of the stack. */
static const int8_t moves[OW_EXPR_OPS] = {
	[OW_EXPR_FUNC] = 1, [OW_EXPR_PATH] = 1, [OW_EXPR_PATH_PRESENT] = 1,
	[OW_EXPR_XOR] = -1, [OW_EXPR_DIV] = -1, [OW_EXPR_MOD] = -1,
};

/* Run a node that run() has no case for. v is the left or only side, and
 * becomes the result. 0, -ENOENT or -ENOMEM. */
static int rarer(struct machine *m, const struct ow_expr_node *n,
		 struct ow_expr_val *v)
{
	struct ow_expr_val tmp;

	switch (n->op) {
	case OW_EXPR_FUNC:
		return push_func(m, n, v);
	case OW_EXPR_PATH:
		push_path(m, n, v);
		return 0;
	case OW_EXPR_PATH_PRESENT:
		set_truth(v, first_value(m, n, &tmp));
		return 0;
	case OW_EXPR_MATCH:
	case OW_EXPR_NOMATCH:
		return match(m, n, v);
	case OW_EXPR_XOR:
		set_truth(v, ow_expr_truth(v) ^ ow_expr_truth(v + 1));
		return 0;
	case OW_EXPR_DIV:
	case OW_EXPR_MOD:
		ow_expr_binary((enum ow_expr_op)n->op, v, v + 1);
		return 0;
	default:
		ow_expr_unary((enum ow_expr_op)n->op, v);
		return 0;
	}
}

static inline void push_text(const struct machine *m,
			     const struct ow_expr_node *n,
			     struct ow_expr_val *v)
{
	v->kind = OW_EXPR_V_TEXT;
	v->u.s = ow_expr_at(m->x, n->text);
	v->len = (uint32_t)n->u.len;
}

/* Run all nodes; m->top is the result. Aligned to a cache line: 25 and 27 ns
 * for the two expressions of `bench/run ubf`; at another place 32 and 39. */
__attribute__((aligned(64))) static int run(struct machine *m)
{
	const struct ow_expr_node *nodes = ow_expr_nodes(m->x), *n = nodes;
	const struct ow_expr_node *end = nodes + m->x->nnodes;
	struct ow_expr_val *v = m->stack;	/* the top; [0] is not used */
	int r;

	for (; n < end; n++) {
		switch (n->op) {
		case OW_EXPR_LONG:
			(++v)->kind = OW_EXPR_V_LONG;
			v->u.l = n->u.l;
			break;
		case OW_EXPR_DOUBLE:
			(++v)->kind = OW_EXPR_V_DOUBLE;
			v->u.d = n->u.d;
			break;
		case OW_EXPR_TEXT:
			push_text(m, n, ++v);
			break;
		case OW_EXPR_PATTERN:
			break;
		case OW_EXPR_FIELD:
			push_field(m, n, ++v);
			break;
		case OW_EXPR_PRESENT:
			set_truth(++v, is_present(m, n));
			break;
		case OW_EXPR_AND_LEFT:
		case OW_EXPR_OR_LEFT:
			r = ow_expr_truth(v);
			if (r == (n->op == OW_EXPR_OR_LEFT)) {
				set_truth(v, r);
				n = nodes + n->u.target - 1;
			} else {
				v--;
			}
			break;
		case OW_EXPR_AND:
		case OW_EXPR_OR:
			set_truth(v, ow_expr_truth(v));
			break;
		case OW_EXPR_NOT:
			set_truth(v, !ow_expr_truth(v));
			break;
		case OW_EXPR_EQ ... OW_EXPR_GE:
			compare(m, n, --v);
			break;
		case OW_EXPR_ADD ... OW_EXPR_MUL:
			compute((enum ow_expr_op)n->op, --v);
			break;
		default:
			v += moves[n->op];
			r = rarer(m, n, v);
			if (r < 0)
				return r;
		}
	}
	m->top = v;
	return 0;
}

/* Whether a node is a field. An expression of one field says if it is
 * present. */
static int is_bare_field(const struct ow_expr_node *n)
{
	return n->op == OW_EXPR_FIELD || n->op == OW_EXPR_PATH;
}

int ow_expr_truth_of(const struct ow_expr *x, UBFH *p_ub, int *ret_truth)
{
	struct machine m;
	int r;

	m.x = x;
	m.p_ub = p_ub;
	if (x->nnodes == 1 && is_bare_field(ow_expr_nodes(x))) {
		*ret_truth = first_value(&m, ow_expr_nodes(x), m.stack);
		return 0;
	}
	r = run(&m);
	if (r == 0)
		*ret_truth = ow_expr_truth(m.top);
	return r;
}

int ow_expr_number_of(const struct ow_expr *x, UBFH *p_ub, double *ret_number)
{
	struct machine m;
	int r;

	m.x = x;
	m.p_ub = p_ub;
	r = run(&m);
	if (r < 0)
		return r;
	if (m.top->kind == OW_EXPR_V_ANY)
		(void)first_value(&m, m.top->u.any, m.top);
	*ret_number = ow_expr_double(m.top);
	return 0;
}
