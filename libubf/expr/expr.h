/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr.h - a compiled boolean expression
 *
 * One malloc'ed block holds all of it: header, nodes, path steps, patterns,
 * texts. The nodes are a program in postfix order, run from the first to the
 * last over a stack of values, so evaluation neither recurses nor allocates; &&
 * and || have a jump behind their left side. The links of the nodes make a tree
 * of them, which only printing follows. A compiled expression never changes:
 * any number of threads may evaluate it at once.
 *
 *	expr/lex.c	text -> tokens
 *	expr/parse.c	tokens -> nodes (operators wait on a stack)
 *	expr/build.c	the block and its leaves
 *	regex/guard.c	refuses patterns that would take too long
 *	regex/regex.c	%% and !%: words are compared, other patterns go to
 *			regexec()
 *	expr/path.c	NAME[1].NAME[?]: from a buffer to its values
 *	expr/view.c	the members of a view
 *	expr/value.c	numbers, text, comparison, arithmetic
 *	expr/func.c	the functions that programs registered
 *	expr/eval.c	runs the program
 *	expr/print.c	writes it as text
 */
#ifndef OW_UBF_EXPR_H
#define OW_UBF_EXPR_H

#include <stdbool.h>
#include <stdint.h>
#include <ubf.h>

struct ow_view;

#define OW_EXPR_MAGIC 0x31505845u	/* "EXP1" in memory */
#define OW_EXPR_LEN_MAX 1000000	/* bytes of an expression */
#define OW_EXPR_DEPTH_MAX 1000	/* values on the stack, waiting operators */
#define OW_EXPR_PATH_MAX 16	/* names in a path */
#define OW_EXPR_TEXT_MAX 511	/* bytes of a text constant */
#define OW_EXPR_ARG_MAX 510	/* bytes of a function's argument */
#define OW_EXPR_FUNC_MAX 64	/* bytes of a function's name */
#define OW_EXPR_ANY (-1)	/* occurrence: [?] */
#define OW_EXPR_NONE UINT32_MAX	/* no such node */

enum ow_expr_op {
	/* leaves */
	OW_EXPR_LONG,
	OW_EXPR_DOUBLE,
	OW_EXPR_TEXT,
	OW_EXPR_PATTERN,	/* the right side of %%: compiled, not run */
	OW_EXPR_FIELD,		/* value of NAME or NAME[n] */
	OW_EXPR_PRESENT,	/* whether it is present */
	OW_EXPR_PATH,		/* the same for dotted names and [?] */
	OW_EXPR_PATH_PRESENT,
	OW_EXPR_FUNC,
	/* behind the left side of && and ||; not in the tree */
	OW_EXPR_AND_LEFT,
	OW_EXPR_OR_LEFT,
	/* operators */
	OW_EXPR_OR,
	OW_EXPR_AND,
	OW_EXPR_XOR,
	OW_EXPR_EQ,
	OW_EXPR_NE,
	OW_EXPR_LT,
	OW_EXPR_LE,
	OW_EXPR_GT,
	OW_EXPR_GE,
	OW_EXPR_MATCH,
	OW_EXPR_NOMATCH,
	OW_EXPR_ADD,
	OW_EXPR_SUB,
	OW_EXPR_MUL,
	OW_EXPR_DIV,
	OW_EXPR_MOD,
	OW_EXPR_PLUS,
	OW_EXPR_MINUS,
	OW_EXPR_NOT,
	OW_EXPR_COMPL,
	OW_EXPR_OPEN,		/* "(", in the parser only */
	OW_EXPR_OPS,
};

struct ow_expr_opinfo {
	const char *text;
	uint8_t level;	/* higher: binds tighter */
	uint8_t sides;	/* 1 unary, 2 binary */
};

extern const struct ow_expr_opinfo ow_expr_ops[OW_EXPR_OPS];

/* Offsets are bytes from the header. */
struct ow_expr_node {
	uint8_t op;
	uint8_t type;		/* of a field, or of that beside the constant */
	uint8_t any;		/* a path with [?] */
	uint8_t nsteps;		/* of a path */
	uint32_t parent, left, right;	/* nodes, or OW_EXPR_NONE */
	uint32_t text;		/* constant, name of a field or function */
	uint32_t extra;		/* first step, matcher, a function's argument; of a
				   comparison, 1: a field beside a text constant */
	union {
		long l;
		double d;
		uint64_t len;		/* of a text */
		struct {
			BFLDID id;
			BFLDOCC occ;
		} field;
		uint32_t target;	/* of a jump: a node */
		const struct ow_expr_func *func;
	} u;
};

/* One name of a path: its id, or the name of a member of a view (id 0). */
struct ow_expr_step {
	BFLDID id;
	BFLDOCC occ;	/* or OW_EXPR_ANY */
	uint32_t name;
	uint32_t reserved;
};

struct ow_expr {
	uint32_t magic;
	uint32_t nnodes, nsteps, nmatches;
	uint32_t nodes, steps, matches, texts;
	uint32_t used;		/* bytes of texts */
	uint32_t is_fml;	/* by the rules of Fboolco() */
	const struct ow_view *view;	/* its members stand for fields, or NULL */
};

static inline const struct ow_expr_node *
ow_expr_nodes(const struct ow_expr *x)
{
	return (const void *)((const char *)x + x->nodes);
}

static inline const void *ow_expr_at(const struct ow_expr *x, uint32_t offset)
{
	return (const char *)x + offset;
}

/* Why an expression cannot be compiled. */
struct ow_expr_fault {
	int code;		/* a Berror */
	uint32_t pos;		/* byte, from 1 */
	char text[200];
};

/* 0, or -EINVAL with *fault. Free the result with ow_expr_free(). `is_fml`: by
 * the rules of Fboolco(): a pattern matches a whole value, \xx is a character.
 * `view`: the names are members of this view; NULL: fields. */
int ow_expr_compile(const char *text, bool is_fml, const struct ow_view *view,
		    struct ow_expr **ret_expr, struct ow_expr_fault *fault);
void ow_expr_free(struct ow_expr *x);
void ow_expr_freep(struct ow_expr **xp);

/* A function that a program registered; never freed. */
struct ow_expr_func;

/* Set a function, or remove it (both NULL): 0 or -ENOMEM. */
int ow_expr_func_set(const char *name, long (*plain)(UBFH *, char *),
		     long (*with_arg)(UBFH *, char *, char *));
/* The function of that name, or NULL. */
const struct ow_expr_func *ow_expr_func_find(const char *name);
/* Call it: 0, or -ENOENT if it has been removed. */
int ow_expr_func_call(const struct ow_expr_func *f, UBFH *p_ub, char *arg,
		      long *ret_value);

#endif
