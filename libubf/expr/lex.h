/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex.h - the tokens of a boolean expression
 */
#ifndef OW_UBF_EXPR_LEX_H
#define OW_UBF_EXPR_LEX_H

#include <stdbool.h>

#include "libubf/expr/expr.h"

enum ow_expr_tok {
	OW_EXPR_T_END,
	OW_EXPR_T_LONG,
	OW_EXPR_T_DOUBLE,
	OW_EXPR_T_TEXT,
	OW_EXPR_T_FIELD,
	OW_EXPR_T_FUNC,
	OW_EXPR_T_OPEN,
	OW_EXPR_T_CLOSE,
	OW_EXPR_T_OP,
};

struct ow_expr_name {
	const char *at;
	uint32_t len;
	BFLDOCC occ;
	int has_occ;	/* it has [...] */
};

struct ow_expr_token {
	enum ow_expr_tok kind;
	enum ow_expr_op op;	/* of T_OP; + and - are ADD and SUB */
	uint32_t from, to;	/* bytes of the expression */
	long l;
	double d;
	const char *text;	/* of T_TEXT and T_FUNC (the argument) */
	uint32_t len;
	int nnames;		/* of T_FIELD, T_FUNC */
	struct ow_expr_name names[OW_EXPR_PATH_MAX];
};

struct ow_expr_lexer {
	const char *text;	/* the whole expression */
	uint32_t pos;
	bool named;		/* a name came before */
	struct ow_expr_fault *fault;
};

/* Set the fault; returns -EINVAL. */
int ow_expr_fault(struct ow_expr_fault *fault, int code, uint32_t pos,
		  const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));
/* The next token: 0 or -EINVAL. */
int ow_expr_lex(struct ow_expr_lexer *lx, struct ow_expr_token *tok);

#endif
