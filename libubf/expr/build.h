/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - the block of an expression while it is being filled
 *
 * A first pass over the tokens counts, so that the block is allocated once and
 * is large enough for the second pass.
 */
#ifndef OW_UBF_EXPR_BUILD_H
#define OW_UBF_EXPR_BUILD_H

#include "libubf/expr/lex.h"
#include "libubf/regex/regex.h"
#include "libubf/tables/fldtbl.h"

struct ow_expr_build {
	struct ow_expr *x;
	struct ow_expr_node *nodes;
	struct ow_expr_step *steps;
	struct ow_regex *matches;
	struct ow_expr_fault *fault;
	const struct ow_fldtbl *fields;	/* NULL until a name is looked up */
};

/* Count the tokens and allocate: 0 or -EINVAL. */
int ow_expr_build_start(struct ow_expr_build *b, const char *text,
			struct ow_expr_fault *fault);
/* Add a node; returns its index. */
uint32_t ow_expr_build_node(struct ow_expr_build *b, enum ow_expr_op op);
/* Add a node for an operand: 0 or -EINVAL. */
int ow_expr_build_leaf(struct ow_expr_build *b,
		       const struct ow_expr_token *tok, uint32_t *ret_node);
/* Compile the pattern of a node MATCH or NOMATCH; `pos` is for messages. */
int ow_expr_build_match(struct ow_expr_build *b, uint32_t node, uint32_t pos);

#endif
