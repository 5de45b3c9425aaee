/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_cost.c - how large a regular expression becomes when compiled
 *
 * regcomp() writes repetitions out: x+ as xx*, x{2,9} nine times, and what is
 * repeated may hold repetitions, so that 40 bytes can ask for all the memory
 * there is; worse, it takes memory by the square of what that makes. This
 * counts before it is tried.
 */
#include "libubf/expr_match.h"

#include <string.h>

#define GROUPS_MAX 128	/* parentheses in parentheses */

struct group {
	unsigned long all;	/* of what the group has so far */
	unsigned long last;	/* of the last piece, which may be repeated */
};

/* Behind "[...]", at p = "[". */
static const char *skip_bracket(const char *p)
{
	p++;
	p += *p == '^';
	p += *p == ']';
	for (; *p != '\0' && *p != ']'; p++) {
		if (*p == '[' && p[1] != '\0' && strchr(":.=", p[1]) != NULL) {
			char end[] = { p[1], ']', '\0' };
			const char *q = strstr(p + 2, end);

			p = q != NULL ? q + 1 : p;
		}
	}
	return *p == ']' ? p + 1 : p;
}

/* How often "{n,m}" repeats; 1 if it is no such thing. */
static unsigned long times(const char *p)
{
	unsigned long n = 0, most = 1;

	for (p++; *p != '\0' && strchr("0123456789,", *p) != NULL; p++) {
		n = *p == ',' ? 0 : n * 10 + (unsigned long)(*p - '0');
		n = n > OW_EXPR_COST_MAX ? OW_EXPR_COST_MAX : n;
		most = n > most ? n : most;
	}
	return most;
}

static void repeat(struct group *g, unsigned long k)
{
	g->all += g->last * (k - 1);
	g->last *= k;
}

static void add(struct group *g, unsigned long cost)
{
	g->all += cost;
	g->last = cost;
}

/* One piece of a pattern; where the next one begins. */
static const char *take(const char *p, struct group *g, int *depth)
{
	switch (*p) {
	case '(':
		g[++*depth] = (struct group){ 1, 0 };
		return p + 1;
	case ')':
		if (*depth > 0) {
			--*depth;
			add(g + *depth, g[*depth + 1].all);
		}
		return p + 1;
	case '+':
		repeat(g + *depth, 2);
		return p + 1;
	case '{':
		repeat(g + *depth, times(p));
		return p + 1;
	case '*':
	case '?':
		return p + 1;
	case '[':
		add(g + *depth, 1);
		return skip_bracket(p);
	case '\\':
		p += p[1] != '\0';
		/* fall through */
	default:
		add(g + *depth, 1);
		return p + 1;
	}
}

int ow_expr_match_too_large(const char *pattern)
{
	struct group g[GROUPS_MAX + 1] = { { 0, 0 } };
	int depth = 0;

	while (*pattern != '\0') {
		if (depth == GROUPS_MAX)
			return 1;
		pattern = take(pattern, g, &depth);
		if (g[depth].all > OW_EXPR_COST_MAX)
			return 1;
	}
	return 0;
}
