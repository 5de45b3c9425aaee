/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranges.c - the ranges of a <route>
 */
#include "libatmi/route/ranges.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/numtext.h"

#define NEARLY 1e-6

struct bound {
	bool open; /* MIN, MAX */
	char *text;
	double real;
};

struct range {
	bool any;
	struct bound from, to;
	char group[OW_ROUTE_GROUP];
};

struct ow_ranges {
	struct range *r;
	size_t n;
};

static const char *skip(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* ---- values ---- */

/* A text in quotes; behind it, or NULL. */
static const char *parse_quoted(const char *p, char *to)
{
	for (p++; *p != '\0' && *p != '\''; p++) {
		if (*p == '\\' && p[1] != '\0')
			p++;
		*to++ = *p;
	}
	*to = '\0';
	return *p == '\'' ? p + 1 : NULL;
}

/* A word or number, which may begin with a minus. */
static const char *parse_word(const char *p, char *to)
{
	const char *begin = p;

	if (*p == '-') {
		*to++ = *p++;
		begin++;
	}
	while (*p != '\0' && strchr(" \t\n,:-*'", *p) == NULL)
		*to++ = *p++;
	*to = '\0';
	return p > begin ? p : NULL;
}

/* `edge`: the word for no bound. Behind the value; NULL: it is none, or there is
 * no memory. */
static const char *parse_bound(const char *p, const char *edge,
			       struct bound *ret)
{
	bool quoted = *p == '\'';

	ret->text = malloc(strlen(p) + 1);
	if (ret->text == NULL)
		return NULL;
	p = quoted ? parse_quoted(p, ret->text) : parse_word(p, ret->text);
	ret->open = !quoted && strcmp(ret->text, edge) == 0;
	ret->real = ow_numtext_to_double(ret->text, NULL);
	return p;
}

/* FROM-TO or VALUE. */
static const char *parse_bounds(const char *p, struct range *r)
{
	p = parse_bound(p, "MIN", &r->from);
	if (p == NULL)
		return NULL;
	p = skip(p);
	if (*p == '-')
		return parse_bound(skip(p + 1), "MAX", &r->to);
	r->to.text = strdup(r->from.text);
	r->to.real = r->from.real;
	r->to.open = r->from.open;
	return r->to.text != NULL ? p : NULL;
}

static const char *parse_group(const char *p, struct range *r)
{
	size_t n;

	p = skip(p);
	if (*p != ':')
		return NULL;
	p = skip(p + 1);
	n = strcspn(p, " \t\n,:'");
	if (n == 0 || n >= sizeof(r->group))
		return NULL;
	memcpy(r->group, p, n);
	r->group[n] = '\0';
	return skip(p + n);
}

static const char *parse_range(const char *p, struct range *r)
{
	p = skip(p);
	if (*p == '*') {
		r->any = true;
		return parse_group(p + 1, r);
	}
	p = parse_bounds(p, r);
	return p != NULL ? parse_group(p, r) : NULL;
}

/* ---- all ranges ---- */

struct ow_ranges *ow_ranges_free(struct ow_ranges *all)
{
	size_t i;

	for (i = 0; all != NULL && i < all->n; i++) {
		free(all->r[i].from.text);
		free(all->r[i].to.text);
	}
	if (all != NULL)
		free(all->r);
	free(all);
	return NULL;
}

static struct range *add(struct ow_ranges *all)
{
	struct range *p = realloc(all->r, (all->n + 1) * sizeof(*p));

	if (p == NULL)
		return NULL;
	all->r = p;
	memset(&p[all->n], 0, sizeof(*p));
	return &p[all->n++];
}

int ow_ranges_parse(const char *text, struct ow_ranges **ret)
{
	struct ow_ranges *all = calloc(1, sizeof(*all));
	const char *p = text;
	struct range *r;

	if (all == NULL)
		return -ENOMEM;
	for (;; p++) {
		r = add(all);
		if (r == NULL) {
			ow_ranges_free(all);
			return -ENOMEM;
		}
		p = parse_range(p, r);
		if (p == NULL || (*p != ',' && *p != '\0')) {
			ow_ranges_free(all);
			return -EINVAL;
		}
		if (*p == '\0')
			break;
	}
	*ret = all;
	return 0;
}

/* ---- find ---- */

static int compare_real(double a, double b)
{
	double d = a - b;

	if (d < NEARLY && d > -NEARLY)
		return 0;
	return d < 0 ? -1 : 1;
}

static int compare(const struct ow_ranges_value *v, const struct bound *b)
{
	char *end = NULL;
	long n;

	if (v->kind == OW_RANGES_TEXT)
		return strcmp(v->text, b->text);
	if (v->kind == OW_RANGES_REAL)
		return compare_real(v->real, b->real);
	n = strtol(b->text, &end, 10);
	if (*end != '\0') /* a fraction */
		return compare_real((double)v->integer, b->real);
	return v->integer < n ? -1 : v->integer > n;
}

const char *ow_ranges_find(const struct ow_ranges *all,
			   const struct ow_ranges_value *v)
{
	const struct range *r;
	size_t i;

	for (i = 0; i < all->n; i++) {
		r = &all->r[i];
		if (r->any || ((r->from.open || compare(v, &r->from) >= 0) &&
			       (r->to.open || compare(v, &r->to) <= 0)))
			return r->group;
	}
	return NULL;
}

const char *ow_ranges_group(const struct ow_ranges *r, size_t i)
{
	return i < r->n ? r->r[i].group : NULL;
}
