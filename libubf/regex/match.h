/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - one pattern of %% or !%, compiled
 */
#ifndef OW_UBF_EXPR_MATCH_H
#define OW_UBF_EXPR_MATCH_H

#include <regex.h>
#include <stddef.h>

enum ow_expr_how {
	OW_EXPR_M_REGEX = 1,
	OW_EXPR_M_CONTAINS,
	OW_EXPR_M_PREFIX,
	OW_EXPR_M_SUFFIX,
	OW_EXPR_M_EQUAL,
};

#define OW_EXPR_COST_MAX 2000u	/* pieces of a pattern, written out */

struct ow_expr_match {
	int how;		/* 0: not compiled */
	unsigned int len;
	union {
		regex_t re;
		char literal[sizeof(regex_t)];
	} u;
};

/* Whether regcomp() would make too much of it (see regex/cost.c). */
int ow_expr_match_too_large(const char *pattern);
/* 0, -ENOMEM, or -EINVAL: no regular expression, or one that is too large;
 * `error` says why. */
int ow_expr_match_compile(struct ow_expr_match *m, const char *pattern,
			  char *error, size_t size);
void ow_expr_match_close(struct ow_expr_match *m);
/* 1, 0, or -ENOMEM. */
int ow_expr_match_run(const struct ow_expr_match *m, const char *s,
		      size_t len);

#endif
