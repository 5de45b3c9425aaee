/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - refuse regular expressions that take too long
 *
 * Three things in a pattern let glibc run for minutes or take all memory:
 *
 *  - Repetitions. regcomp() writes them out: x+ as xx*, x{2,9} nine times, and
 *    what is repeated may hold repetitions, so 40 bytes can ask for gigabytes.
 *    Its memory grows with the square of the result.
 *  - Empty pieces. regcomp() walks all paths that consume no byte. A repeated
 *    piece that may be empty doubles them, so does an optional anchor (^, $,
 *    \b...), so 20 bytes can take hours.
 *  - Back-references. regexec() tries all ways to divide the text among the
 *    groups: ^(a*)(a*)(a*)\1\2\3c$ takes 6 s on 100 letters a, four minutes
 *    on 200. Some patterns crash glibc 2.36.
 *
 * The first two are counted before regcomp() sees the pattern. Back-references
 * are refused. POSIX has none in extended regular expressions, they are an
 * addition of glibc's. A library with match limits would have kept them, but
 * no such library has this dialect: PCRE2 takes the first alternative that
 * matches where POSIX takes the longest match, and reads \w, (?..) and *?
 * in its own way, so expressions that work would change their meaning.
 */
#include "libubf/regex/guard.h"

#include <string.h>

#define GROUPS_MAX 128	/* parentheses in parentheses */

#define LOOPS_MAX 8	/* pieces that may be empty and repeat */
#define OPTIONAL_MAX 8	/* anchors that may be left out */

/* What a piece of a pattern, written out, is made of. */
struct piece {
	unsigned long size;
	unsigned long loops;	/* sizes of pieces that repeat and may be
				 * empty */
	unsigned long anchors;	/* outside of groups */
	unsigned long optional;	/* anchors in groups */
	int empty;		/* it may match nothing */
};

struct group {
	struct piece all;	/* the group so far */
	struct piece last;	/* the last piece, which may be repeated */
	int branch_empty;	/* all between the last | and `last` may be
				 * empty */
	int endless;		/* a loop over an anchor and nothing else */
};

/* The first character behind a bracket expression; p is at its "[". */
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

struct repeat {
	unsigned long times;	/* copies */
	unsigned long extra;	/* choices between them: go on or leave */
	int maybe;		/* zero repetitions are allowed */
	int loop;		/* there is no upper limit */
};

/* Read "{n,m}", p at its "{": returns its end, or NULL if it is no interval. */
static const char *braces(const char *p, struct repeat *r)
{
	unsigned long n = 0, first = 0;
	int commas = 0;

	*r = (struct repeat){ .times = 1 };
	for (p++; *p != '\0' && strchr("0123456789,", *p) != NULL; p++) {
		commas += *p == ',';
		r->loop = *p == ',';
		n = *p == ',' ? 0 : n * 10 + (unsigned long)(*p - '0');
		n = n > OW_REGEX_COST_MAX ? OW_REGEX_COST_MAX : n;
		first = commas == 0 ? n : first;
		r->times = n > r->times ? n : r->times;
	}
	r->maybe = first == 0;
	r->times += (unsigned long)r->loop;
	r->extra = r->times > first ? r->times - first : 0;
	return *p == '}' ? p + 1 : NULL;
}

static void add_up(struct piece *to, const struct piece *p, unsigned long k)
{
	to->size += p->size * k;
	to->loops += p->loops * k;
	to->anchors += p->anchors * k;
	to->optional += p->optional * k;
}

static void repeat(struct group *g, struct repeat r)
{
	struct piece *last = &g->last, was = *last;
	struct piece choice = { .size = r.extra };

	if (last->empty) {
		g->endless |= r.loop && was.anchors + was.optional > 0;
		choice.loops = was.size * r.extra;
	}
	add_up(&g->all, &was, r.times - 1);
	add_up(last, &was, r.times - 1);
	add_up(&g->all, &choice, 1);
	add_up(last, &choice, 1);
	last->empty |= r.maybe;
}

static void add(struct group *g, const struct piece *p)
{
	add_up(&g->all, p, 1);
	g->branch_empty &= g->last.empty;
	g->last = *p;
}

/* At | and at the end of a group. */
static void end_branch(struct group *g)
{
	g->all.empty |= g->branch_empty && g->last.empty;
	g->branch_empty = 1;
	g->last = (struct piece){ .empty = 1 };
}

static void open_group(struct group *g)
{
	*g = (struct group){ .all.size = 1, .branch_empty = 1,
			     .last.empty = 1 };
}

/* A group becomes a piece of the one around it. */
static void close_group(struct group *outer, struct group *inner)
{
	end_branch(inner);
	inner->all.optional += inner->all.anchors;
	inner->all.anchors = 0;
	add(outer, &inner->all);
	outer->endless |= inner->endless;
}

/* Take one character, escape or bracket expression; returns where the next
 * piece begins. */
static const char *take_one(const char *p, struct group *g)
{
	struct piece one = { .size = 1 };

	if (*p == '^' || *p == '$' ||
	    (*p == '\\' && p[1] != '\0' && strchr("bB<>`'", p[1]) != NULL))
		one.anchors = one.empty = 1;
	add(g, &one);
	if (*p == '[')
		return skip_bracket(p);
	return p + 1 + (*p == '\\' && p[1] != '\0');
}

/* Take one piece of a pattern; returns where the next one begins. */
static const char *take(const char *p, struct group *g, int *depth)
{
	struct group *at = g + *depth;
	struct repeat r;

	switch (*p) {
	case '(':
		open_group(g + ++*depth);
		return p + 1;
	case ')':
		if (*depth == 0)
			return take_one(p, at);
		close_group(g + --*depth, at);
		return p + 1;
	case '|':
		end_branch(at);
		return p + 1;
	case '+':
		repeat(at, (struct repeat){ 2, 1, 0, 1 });
		return p + 1;
	case '*':
		repeat(at, (struct repeat){ 1, 1, 1, 1 });
		return p + 1;
	case '?':
		repeat(at, (struct repeat){ 1, 1, 1, 0 });
		return p + 1;
	case '{':
		if (braces(p, &r) == NULL)
			return take_one(p, at);
		repeat(at, r);
		return braces(p, &r);
	default:
		return take_one(p, at);
	}
}

static int too_large(const struct group *g)
{
	const struct piece *p = &g->all;

	return g->endless || p->size > OW_REGEX_COST_MAX ||
	       p->optional > OPTIONAL_MAX || p->loops > LOOPS_MAX;
}

const char *ow_regex_refusal(const char *pattern)
{
	static const char large[] = "its repetitions make it too large";
	struct group g[GROUPS_MAX + 1];
	int depth = 0;

	open_group(g);
	while (*pattern != '\0') {
		if (*pattern == '\\' && pattern[1] >= '1' && pattern[1] <= '9')
			return "\\1 to \\9 are back-references, which can take "
			       "forever to match";
		if (depth == GROUPS_MAX)
			return large;
		pattern = take(pattern, g, &depth);
		if (too_large(g + depth))
			return large;
	}
	return NULL;
}
