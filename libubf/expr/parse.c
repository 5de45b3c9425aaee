/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - make the program of a boolean expression
 *
 * An operator waits on a stack until its right side is complete: until an
 * operator that binds no tighter, a parenthesis or the end. Then it is appended
 * to the program, which so is in postfix order. The stacks have a fixed size
 * and nothing recurses; an expression that is nested too deep is a syntax
 * error.
 */
#include "libubf/expr/build.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/type.h"

struct waiting {
	enum ow_expr_op op;
	uint32_t pos;
	uint32_t jump;		/* of && and || */
};

struct parser {
	struct ow_expr_build b;
	struct ow_expr_lexer lx;
	struct ow_expr_token tok;
	uint32_t nwaiting, noperands;
	struct waiting waiting[OW_EXPR_DEPTH_MAX];
	/* Complete operands: one more than waiting binary operators. */
	uint32_t operands[OW_EXPR_DEPTH_MAX + 1];
};

static int fault_here(struct parser *p, const char *expected)
{
	const struct ow_expr_token *t = &p->tok;
	int len = (int)(t->to - t->from);

	if (t->kind == OW_EXPR_T_END)
		return ow_expr_fault(p->b.fault, BSYNTAX, t->from,
				     "expected %s, found the end", expected);
	return ow_expr_fault(p->b.fault, BSYNTAX, t->from, "expected %s, "
			     "found '%.*s'", expected, len < 40 ? len : 40,
			     p->lx.text + t->from);
}

static int is_field(const struct ow_expr_node *n)
{
	return n->op == OW_EXPR_FIELD || n->op == OW_EXPR_PATH;
}

/* As operand of ! && || ^, a field alone says whether it is present. */
static void make_presence(struct ow_expr_node *n)
{
	if (n->op == OW_EXPR_FIELD)
		n->op = OW_EXPR_PRESENT;
	else if (n->op == OW_EXPR_PATH)
		n->op = OW_EXPR_PATH_PRESENT;
}

/* As operand of other operators, a field must have a single value. */
static int check_value(struct parser *p, const struct waiting *w,
		      const struct ow_expr_node *n)
{
	const struct ow_expr_opinfo *op = &ow_expr_ops[w->op];

	if (!is_field(n) || !n->any ||
	    op->level <= ow_expr_ops[OW_EXPR_LT].level)
		return 0;
	return ow_expr_fault(p->b.fault, BEBADOP, w->pos, "'%s' beside "
			     "'%.64s': [?] can only be compared", op->text,
			     (const char *)ow_expr_at(p->b.x, n->text));
}

static int check_match(struct parser *p, const struct waiting *w,
		       const struct ow_expr_node *left,
		       const struct ow_expr_node *right)
{
	if (right->op != OW_EXPR_TEXT)
		return ow_expr_fault(p->b.fault, BSYNTAX, w->pos, "expected a "
				     "text constant behind '%s'",
				     ow_expr_ops[w->op].text);
	if (left->op != OW_EXPR_TEXT && !is_field(left))
		return ow_expr_fault(p->b.fault, BSYNTAX, w->pos, "expected a "
				     "field or a text constant before '%s'",
				     ow_expr_ops[w->op].text);
	return 0;
}

/* Check the operands of an operator. */
static int check_sides(struct parser *p, const struct waiting *w,
		       struct ow_expr_node *left, struct ow_expr_node *right)
{
	int r = 0;

	switch (w->op) {
	case OW_EXPR_OR:
	case OW_EXPR_AND:
	case OW_EXPR_XOR:
	case OW_EXPR_NOT:
		if (left != NULL)
			make_presence(left);
		make_presence(right);
		return 0;
	case OW_EXPR_MATCH:
	case OW_EXPR_NOMATCH:
		r = check_match(p, w, left, right);
		break;
	default:
		r = check_value(p, w, right);
	}
	return r < 0 || left == NULL ? r : check_value(p, w, left);
}

/* A number in a field is compared with a text constant as text. */
static void note_quoted(struct ow_expr_node *compare,
			const struct ow_expr_node *left,
			const struct ow_expr_node *right)
{
	const struct ow_expr_node *field = is_field(left) ? left : right;
	const struct ow_expr_node *other = field == left ? right : left;

	if (is_field(field) && other->op == OW_EXPR_TEXT) {
		compare->extra = 1;
		compare->type = field->type;
	}
}

/* Append the operator on top of the stack to the program. */
static int reduce(struct parser *p)
{
	struct waiting w = p->waiting[--p->nwaiting];
	struct ow_expr_node *nodes = p->b.nodes;
	uint32_t right = p->operands[--p->noperands], left = OW_EXPR_NONE, i;
	int r;

	if (ow_expr_ops[w.op].sides == 2)
		left = p->operands[--p->noperands];
	r = check_sides(p, &w, left == OW_EXPR_NONE ? NULL : nodes + left,
			nodes + right);
	if (r < 0)
		return r;
	i = ow_expr_build_node(&p->b, w.op);
	nodes[i].left = left;
	nodes[i].right = right;
	nodes[right].parent = i;
	if (left != OW_EXPR_NONE)
		nodes[left].parent = i;
	if (w.op == OW_EXPR_AND || w.op == OW_EXPR_OR)
		nodes[w.jump].u.target = i + 1;
	else if (w.op >= OW_EXPR_EQ && w.op <= OW_EXPR_GE)
		note_quoted(nodes + i, nodes + left, nodes + right);
	p->operands[p->noperands++] = i;
	if (w.op == OW_EXPR_MATCH || w.op == OW_EXPR_NOMATCH)
		return ow_expr_build_match(&p->b, i, w.pos);
	return 0;
}

/* Append all waiting operators of at least this level. */
static int reduce_to(struct parser *p, unsigned int level)
{
	int r = 0;

	while (r == 0 && p->nwaiting > 0 &&
	       ow_expr_ops[p->waiting[p->nwaiting - 1].op].level >= level)
		r = reduce(p);
	return r;
}

static int push_waiting(struct parser *p, enum ow_expr_op op)
{
	struct waiting *w = p->waiting + p->nwaiting;

	if (p->nwaiting == OW_EXPR_DEPTH_MAX)
		return ow_expr_fault(p->b.fault, BSYNTAX, p->tok.from,
				     "nested deeper than %d",
				     OW_EXPR_DEPTH_MAX);
	*w = (struct waiting){ op, p->tok.from, 0 };
	p->nwaiting++;
	return 0;
}

/* Take a token where an operand may begin: 1 the operand is complete, 0 not
 * yet, or -EINVAL. */
static int take_operand(struct parser *p)
{
	enum ow_expr_op op;
	uint32_t node;
	int r;

	switch (p->tok.kind) {
	case OW_EXPR_T_END:
	case OW_EXPR_T_CLOSE:
		break;
	case OW_EXPR_T_OPEN:
		return push_waiting(p, OW_EXPR_OPEN);
	case OW_EXPR_T_OP:
		op = p->tok.op == OW_EXPR_ADD ? OW_EXPR_PLUS
		   : p->tok.op == OW_EXPR_SUB ? OW_EXPR_MINUS : p->tok.op;
		if (ow_expr_ops[op].sides == 1)
			return push_waiting(p, op);
		break;
	default:
		r = ow_expr_build_leaf(&p->b, &p->tok, &node);
		if (r < 0)
			return r;
		p->operands[p->noperands++] = node;
		return 1;
	}
	return fault_here(p, "a field, a constant, a function or '('");
}

static int take_close(struct parser *p)
{
	int r = reduce_to(p, 1);

	if (r < 0)
		return r;
	if (p->nwaiting == 0)
		return ow_expr_fault(p->b.fault, BSYNTAX, p->tok.from,
				     "this ')' has no '('");
	p->nwaiting--;
	return 1;
}

static int take_binary(struct parser *p)
{
	enum ow_expr_op op = p->tok.op;
	uint32_t jump = OW_EXPR_NONE;
	int r = reduce_to(p, ow_expr_ops[op].level);

	if (r == 0)
		r = push_waiting(p, op);
	if (r < 0)
		return r;
	if (op == OW_EXPR_AND || op == OW_EXPR_OR) {
		make_presence(p->b.nodes + p->operands[p->noperands - 1]);
		jump = ow_expr_build_node(&p->b, op == OW_EXPR_AND
						     ? OW_EXPR_AND_LEFT
						     : OW_EXPR_OR_LEFT);
	}
	p->waiting[p->nwaiting - 1].jump = jump;
	return 0;
}

/* Take a token behind a complete operand: 1 it was a parenthesis, 0 an
 * operator, or -EINVAL. */
static int take_operator(struct parser *p)
{
	if (p->tok.kind == OW_EXPR_T_CLOSE)
		return take_close(p);
	if (p->tok.kind == OW_EXPR_T_OP && ow_expr_ops[p->tok.op].sides == 2)
		return take_binary(p);
	return fault_here(p, "an operator or the end");
}

static int parse(struct parser *p)
{
	int complete = 0, r;

	for (;;) {
		r = ow_expr_lex(&p->lx, &p->tok);
		if (r < 0)
			return r;
		if (complete && p->tok.kind == OW_EXPR_T_END)
			break;
		complete = complete ? take_operator(p) : take_operand(p);
		if (complete < 0)
			return complete;
	}
	r = reduce_to(p, 1);
	if (r < 0)
		return r;
	if (p->nwaiting > 0)
		return ow_expr_fault(p->b.fault, BSYNTAX,
				     p->waiting[p->nwaiting - 1].pos,
				     "this '(' is not closed");
	return 0;
}

void ow_expr_free(struct ow_expr *x)
{
	struct ow_regex *m = (void *)((char *)x + x->matches);
	uint32_t i;

	for (i = 0; i < x->nmatches; i++)
		ow_regex_close(m + i);
	x->magic = 0;
	free(x);
}

void ow_expr_freep(struct ow_expr **xp)
{
	if (*xp != NULL)
		ow_expr_free(*xp);
	*xp = NULL;
}

int ow_expr_compile(const char *text, bool is_fml, const struct ow_view *view,
		    struct ow_expr **ret_expr, struct ow_expr_fault *fault)
{
	OW_CLEANUP(ow_expr_freep) struct ow_expr *x = NULL;
	struct parser p;
	int r;

	r = ow_expr_build_start(&p.b, text, fault);
	if (r < 0)
		return r;
	x = p.b.x;
	x->is_fml = is_fml;
	x->view = view;
	p.lx = (struct ow_expr_lexer){ .text = text, .fault = fault };
	p.nwaiting = p.noperands = 0;
	r = parse(&p);
	if (r < 0)
		return r;
	*ret_expr = x;
	x = NULL;
	return 0;
}
