/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - the block of an expression while it is being filled
 */
#include "libubf/expr/build.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/type.h"
#include "libubf/viewdef/def.h"

struct counts {
	uint32_t nodes, steps, matches, texts;
};

static void count_token(const struct ow_expr_token *tok, struct counts *n)
{
	switch (tok->kind) {
	case OW_EXPR_T_OP:
		n->nodes += 1 + (tok->op == OW_EXPR_AND ||
				 tok->op == OW_EXPR_OR);
		n->matches += tok->op == OW_EXPR_MATCH ||
			      tok->op == OW_EXPR_NOMATCH;
		return;
	case OW_EXPR_T_FIELD:
		n->steps += (uint32_t)tok->nnames;
		break;
	case OW_EXPR_T_OPEN:
	case OW_EXPR_T_CLOSE:
		return;
	default:
		break;
	}
	n->nodes++;
	/* Names are counted twice: in the text of the path, and as member of a
	 * view. */
	n->texts += 2 * (tok->to - tok->from + 1);
}

static int count(const char *text, struct ow_expr_fault *fault,
		 struct counts *ret)
{
	struct ow_expr_lexer lx = { .text = text, .fault = fault };
	struct counts n = { 0, 0, 0, 0 };
	struct ow_expr_token tok;
	int r;

	do {
		r = ow_expr_lex(&lx, &tok);
		if (r < 0)
			return r;
		if (tok.kind != OW_EXPR_T_END)
			count_token(&tok, &n);
	} while (tok.kind != OW_EXPR_T_END);
	*ret = n;
	return 0;
}

int ow_expr_build_start(struct ow_expr_build *b, const char *text,
			struct ow_expr_fault *fault)
{
	struct counts n;
	struct ow_expr *x;
	uint32_t nodes = sizeof(*x), steps, matches, texts;

	if (strnlen(text, OW_EXPR_LEN_MAX + 1) > OW_EXPR_LEN_MAX)
		return ow_expr_fault(fault, BSYNTAX, OW_EXPR_LEN_MAX,
				     "longer than %d bytes", OW_EXPR_LEN_MAX);
	if (count(text, fault, &n) < 0)
		return -EINVAL;
	steps = nodes + n.nodes * (uint32_t)sizeof(*b->nodes);
	matches = steps + n.steps * (uint32_t)sizeof(*b->steps);
	texts = matches + n.matches * (uint32_t)sizeof(*b->matches);
	x = calloc(1, texts + n.texts);
	if (x == NULL)
		return ow_expr_fault(fault, BMALLOC, 0, "out of memory");
	*x = (struct ow_expr){ .magic = OW_EXPR_MAGIC, .nodes = nodes,
			       .steps = steps, .matches = matches,
			       .texts = texts };
	*b = (struct ow_expr_build){ .x = x, .fault = fault };
	b->nodes = (void *)((char *)x + nodes);
	b->steps = (void *)((char *)x + steps);
	b->matches = (void *)((char *)x + matches);
	return 0;
}

uint32_t ow_expr_build_node(struct ow_expr_build *b, enum ow_expr_op op)
{
	uint32_t i = b->x->nnodes++;

	assert((i + 1) * sizeof(*b->nodes) <= b->x->steps - b->x->nodes);
	b->nodes[i] = (struct ow_expr_node){
		.op = (uint8_t)op, .parent = OW_EXPR_NONE,
		.left = OW_EXPR_NONE, .right = OW_EXPR_NONE
	};
	return i;
}

/* Copy a text and a NUL into the block; returns the offset. */
static uint32_t new_text(struct ow_expr_build *b, const char *s, uint32_t len)
{
	uint32_t at = b->x->texts + b->x->used;

	if (len > 0)
		memcpy((char *)b->x + at, s, len);
	((char *)b->x)[at + len] = '\0';
	b->x->used += len + 1;
	return at;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* A constant: of Fboolco(), with \xx for the character of that code; a
 * backslash before anything else is itself. Returns the offset. */
static uint32_t new_constant(struct ow_expr_build *b, const char *s,
			     uint32_t len, uint64_t *ret_len)
{
	uint32_t at = new_text(b, s, len), i, n = 0;
	char *to = (char *)b->x + at;

	for (i = 0; b->x->is_fml && i < len; i++) {
		int high = s[i] == '\\' && i + 2 < len ? hex_digit(s[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(s[i + 2]) : -1;

		to[n++] = low >= 0 ? (char)(high * 16 + low) : s[i];
		i += low >= 0 ? 2 : 0;
	}
	if (b->x->is_fml)
		to[n] = '\0';
	*ret_len = b->x->is_fml ? n : len;
	return at;
}

/* Get the field tables, once per expression. */
static int need_fields(struct ow_expr_build *b, uint32_t pos)
{
	char error[OW_TABFILE_ERROR_MAX];
	int r = b->fields != NULL ? 0 : ow_fldtbl_get(&b->fields, error);

	return r < 0 ? ow_expr_fault(b->fault, ow_fldtbl_code(r), pos,
				     "field tables: %.150s", error)
		     : 0;
}

static int look_up(struct ow_expr_build *b, const struct ow_expr_name *n,
		   uint32_t pos, BFLDID *ret_id)
{
	char name[UBFFLDMAX + 1];
	BFLDID id = BBADFLDID;

	if (need_fields(b, pos) < 0)
		return -EINVAL;
	if (n->len <= UBFFLDMAX) {
		memcpy(name, n->at, n->len);
		name[n->len] = '\0';
		id = ow_fldtbl_id_now(&b->fields, name);
	}
	if (id == BBADFLDID)
		return ow_expr_fault(b->fault, BBADNAME, pos, "there is no "
				     "field '%.*s'", (int)n->len, n->at);
	*ret_id = id;
	return 0;
}

/* Add name i of a path; *above is the type of the name before it, and becomes
 * the type of this one. */
static int add_step(struct ow_expr_build *b, const struct ow_expr_token *tok,
		    int i, unsigned int *above)
{
	const struct ow_expr_name *n = tok->names + i;
	struct ow_expr_step *s = b->steps + b->x->nsteps;
	uint32_t pos = tok->from + (uint32_t)(n->at - tok->names[0].at);
	int r;

	s->occ = n->occ;
	if (i > 0 && *above == BFLD_VIEW) {
		if (i + 1 < tok->nnames)
			return ow_expr_fault(b->fault, BEBADOP, pos, "'%.*s' "
					     "has no fields: it is in a view",
					     (int)n->len, n->at);
		s->name = new_text(b, n->at, n->len);
		*above = BFLD_RFU0;	/* unknown until the view is */
	} else {
		if (i > 0 && *above != BFLD_UBF)
			return ow_expr_fault(b->fault, BEBADOP, pos, "what "
					     "stands before '%.*s' is not a "
					     "buffer", (int)n->len, n->at);
		r = look_up(b, n, pos, &s->id);
		if (r < 0)
			return r;
		*above = ow_ubf_id_type(s->id);
	}
	b->x->nsteps++;
	return 0;
}

/* Write the path as Bboolpr() prints it; returns the offset. */
static uint32_t path_text(struct ow_expr_build *b,
			  const struct ow_expr_token *tok)
{
	uint32_t at = b->x->texts + b->x->used;
	char *p = (char *)b->x + at;
	const struct ow_expr_name *n;
	int i;

	for (i = 0; i < tok->nnames; i++) {
		n = tok->names + i;
		if (i > 0)
			*p++ = '.';
		memcpy(p, n->at, n->len);
		p += n->len;
		if (n->occ == OW_EXPR_ANY)
			p += sprintf(p, "[?]");
		else if (n->has_occ)
			p += sprintf(p, "[%d]", n->occ);
	}
	*p++ = '\0';
	b->x->used += (uint32_t)(p - ((char *)b->x + at));
	return at;
}

/* An embedded buffer or view has no single value, and is no term alone. */
static int check_type(const struct ow_expr_build *b,
		      const struct ow_expr_token *tok, unsigned int type)
{
	const struct ow_expr_name *n = tok->names + tok->nnames - 1;

	if (type != BFLD_UBF && type != BFLD_VIEW)
		return 0;
	return ow_expr_fault(b->fault, BEBADOP, tok->from, "'%.*s' is %s: name "
			     "one of its %s, as in %.*s.NAME", (int)n->len,
			     n->at, type == BFLD_UBF ? "a buffer" : "a view",
			     type == BFLD_UBF ? "fields" : "members",
			     (int)n->len, n->at);
}

static int build_field(struct ow_expr_build *b,
		       const struct ow_expr_token *tok, uint32_t *ret_node)
{
	uint32_t first = b->x->nsteps, at;
	unsigned int type = BFLD_UBF;
	struct ow_expr_node *node;
	int i, any = 0, r;

	for (i = 0; i < tok->nnames; i++) {
		r = add_step(b, tok, i, &type);
		if (r < 0)
			return r;
		any |= tok->names[i].occ == OW_EXPR_ANY;
	}
	r = check_type(b, tok, type);
	if (r < 0)
		return r;
	at = ow_expr_build_node(b, tok->nnames > 1 || any ? OW_EXPR_PATH
							  : OW_EXPR_FIELD);
	node = b->nodes + at;
	node->type = (uint8_t)type;
	node->any = (uint8_t)any;
	node->nsteps = (uint8_t)tok->nnames;
	node->text = path_text(b, tok);
	node->extra = first;
	node->u.field.id = b->steps[first].id;
	node->u.field.occ = b->steps[first].occ;
	*ret_node = at;
	return 0;
}

/* The name of a member, where the expression is one of a view. */
static int build_member(struct ow_expr_build *b,
			const struct ow_expr_token *tok, uint32_t *ret_node)
{
	const struct ow_expr_name *n = tok->names;
	struct ow_expr_step *s = b->steps + b->x->nsteps;
	const struct ow_view_col *col;
	struct ow_expr_node *node;

	if (tok->nnames > 1)
		return ow_expr_fault(b->fault, BEBADOP, tok->from, "'%.*s' is "
				     "a member of a view: nothing is below it",
				     (int)n->len, n->at);
	s->occ = n->occ;
	s->name = new_text(b, n->at, n->len);
	col = ow_view_column(b->x->view, ow_expr_at(b->x, s->name));
	if (col == NULL)
		return ow_expr_fault(b->fault, BBADNAME, tok->from, "view '%s' "
				     "has no member '%.*s'", b->x->view->name,
				     (int)n->len, n->at);
	*ret_node = ow_expr_build_node(b, OW_EXPR_PATH);
	node = b->nodes + *ret_node;
	node->type = col->type;
	node->any = n->occ == OW_EXPR_ANY;
	node->nsteps = 1;
	node->text = path_text(b, tok);
	node->extra = b->x->nsteps++;
	return 0;
}

static int build_func(struct ow_expr_build *b,
		      const struct ow_expr_token *tok, uint32_t *ret_node)
{
	const struct ow_expr_name *n = tok->names;
	uint32_t at = ow_expr_build_node(b, OW_EXPR_FUNC);
	struct ow_expr_node *node = b->nodes + at;

	if (b->x->view != NULL)
		return ow_expr_fault(b->fault, BEBADOP, tok->from, "'%.*s()': "
				     "a function takes a buffer, not a view",
				     (int)n->len, n->at);
	node->text = new_text(b, n->at, n->len);
	node->u.func = ow_expr_func_find(ow_expr_at(b->x, node->text));
	if (node->u.func == NULL)
		return ow_expr_fault(b->fault, BBADNAME, tok->from,
				     "there is no function '%.*s'",
				     (int)n->len, n->at);
	node->any = tok->text != NULL;
	node->extra = new_text(b, tok->text, tok->text != NULL ? tok->len : 0);
	*ret_node = at;
	return 0;
}

int ow_expr_build_leaf(struct ow_expr_build *b,
		       const struct ow_expr_token *tok, uint32_t *ret_node)
{
	struct ow_expr_node *node;

	switch (tok->kind) {
	case OW_EXPR_T_FIELD:
		return b->x->view != NULL ? build_member(b, tok, ret_node)
					  : build_field(b, tok, ret_node);
	case OW_EXPR_T_FUNC:
		return build_func(b, tok, ret_node);
	case OW_EXPR_T_LONG:
		*ret_node = ow_expr_build_node(b, OW_EXPR_LONG);
		b->nodes[*ret_node].u.l = tok->l;
		return 0;
	case OW_EXPR_T_DOUBLE:
		*ret_node = ow_expr_build_node(b, OW_EXPR_DOUBLE);
		b->nodes[*ret_node].u.d = tok->d;
		return 0;
	default:
		*ret_node = ow_expr_build_node(b, OW_EXPR_TEXT);
		node = b->nodes + *ret_node;
		node->text = new_constant(b, tok->text, tok->len,
					  &node->u.len);
		return 0;
	}
}

int ow_expr_build_match(struct ow_expr_build *b, uint32_t node, uint32_t pos)
{
	struct ow_expr_node *n = b->nodes + node, *right = b->nodes + n->right;
	const char *pattern = ow_expr_at(b->x, right->text);
	char error[120], whole[OW_EXPR_TEXT_MAX + 5];
	int r;

	if (strlen(pattern) != right->u.len)
		return ow_expr_fault(b->fault, BSYNTAX, pos, "the pattern behind "
				     "it has a character of code 0");
	snprintf(whole, sizeof(whole), b->x->is_fml ? "^(%s)$" : "%s", pattern);
	n->extra = b->x->nmatches;
	r = ow_regex_compile(b->matches + n->extra, whole, error,
			     sizeof(error));
	if (r == -ENOMEM)
		return ow_expr_fault(b->fault, BMALLOC, pos, "out of memory");
	if (r < 0)
		return ow_expr_fault(b->fault, BSYNTAX, pos,
				     "the pattern behind it: %s", error);
	right->op = OW_EXPR_PATTERN;
	b->x->nmatches++;
	return 0;
}
