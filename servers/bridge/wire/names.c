/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - ordered sets of service names, and what changes between two
 */
#include "servers/bridge/wire/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ow_br_names_free(struct ow_br_names *s)
{
	free(s->name);
	memset(s, 0, sizeof(*s));
}

void ow_br_names_clear(struct ow_br_names *s)
{
	s->n = 0;
}

void ow_br_names_fit(struct ow_br_names *s, uint32_t n)
{
	void *p = n >= s->n && n > 0 && n != s->allocated
		      ? realloc(s->name, (size_t)n * OW_BR_NAME)
		      : NULL;

	if (p == NULL)
		return;
	s->name = p;
	s->allocated = n;
}

int ow_br_names_add(struct ow_br_names *s, const char *name)
{
	uint32_t room = s->allocated == 0 ? 64 : s->allocated * 2;
	void *p;

	if (s->n == s->allocated) {
		p = realloc(s->name, (size_t)room * OW_BR_NAME);
		if (p == NULL)
			return -ENOMEM;
		s->name = p;
		s->allocated = room;
	}
	memset(s->name[s->n], 0, OW_BR_NAME);
	memcpy(s->name[s->n++], name, strnlen(name, OW_BR_NAME - 1));
	return 0;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, OW_BR_NAME);
}

void ow_br_names_order(struct ow_br_names *s)
{
	uint32_t i, n = 0;

	if (s->n == 0)
		return;
	qsort(s->name, s->n, OW_BR_NAME, compare);
	for (i = 1; i < s->n; i++)
		if (compare(s->name[n], s->name[i]) != 0)
			memmove(s->name[++n], s->name[i], OW_BR_NAME);
	s->n = n + 1;
}

long ow_br_names_find(const struct ow_br_names *s, const char *name)
{
	char key[OW_BR_NAME] = "";
	const char(*found)[OW_BR_NAME] = NULL;

	memcpy(key, name, strnlen(name, OW_BR_NAME - 1));
	if (s->n > 0)
		found = bsearch(key, s->name, s->n, OW_BR_NAME, compare);
	return found != NULL ? (long)(found - (const char(*)[OW_BR_NAME])s->name)
			     : -1;
}

bool ow_br_names_has(const struct ow_br_names *s, const char *name)
{
	return ow_br_names_find(s, name) >= 0;
}

bool ow_br_names_same(const struct ow_br_names *a,
		      const struct ow_br_names *b)
{
	return a->n == b->n &&
	       (a->n == 0 ||
		memcmp(a->name, b->name, (size_t)a->n * OW_BR_NAME) == 0);
}

int ow_br_names_minus(const struct ow_br_names *a, const struct ow_br_names *b,
		      struct ow_br_names *to)
{
	uint32_t i;
	int r = 0;

	for (i = 0; i < a->n && r == 0; i++)
		if (!ow_br_names_has(b, a->name[i]))
			r = ow_br_names_add(to, a->name[i]);
	return r;
}

/* `to`, empty, gets the names of both. */
static int merge(const struct ow_br_names *a, const struct ow_br_names *b,
		 struct ow_br_names *to)
{
	uint32_t i = 0, k = 0;
	int c;

	to->allocated = a->n + b->n;
	to->name = malloc(to->allocated > 0
				  ? (size_t)to->allocated * OW_BR_NAME
				  : 1);
	if (to->name == NULL)
		return -ENOMEM;
	while (i < a->n || k < b->n) {
		c = i == a->n	? 1
		    : k == b->n ? -1
				: compare(a->name[i], b->name[k]);
		memcpy(to->name[to->n++], c <= 0 ? a->name[i] : b->name[k],
		       OW_BR_NAME);
		i += c <= 0;
		k += c >= 0;
	}
	return 0;
}

/* Halves are merged, so each name is moved log2(n) times. */
int ow_br_names_union(const struct ow_br_names *const *sets, uint32_t n,
		      struct ow_br_names *to)
{
	static const struct ow_br_names none = { 0 };
	struct ow_br_names a = { 0 }, z = { 0 };
	int r;

	if (n <= 2)
		return merge(n > 0 ? sets[0] : &none, n > 1 ? sets[1] : &none,
			     to);
	r = ow_br_names_union(sets, n / 2, &a);
	if (r == 0)
		r = ow_br_names_union(sets + n / 2, n - n / 2, &z);
	if (r == 0)
		r = merge(&a, &z, to);
	ow_br_names_free(&a);
	ow_br_names_free(&z);
	return r;
}

int ow_br_names_parse(const char *text, struct ow_br_names *to)
{
	char name[OW_BR_NAME];
	size_t n;
	int r = 0;

	while (text != NULL && r == 0) {
		text += strspn(text, ", \t\n");
		n = strcspn(text, ", \t\n");
		if (n == 0)
			break;
		snprintf(name, sizeof(name), "%.*s", (int)n, text);
		r = ow_br_names_add(to, name);
		text += n;
	}
	ow_br_names_order(to);
	return r;
}

int ow_br_names_apply(struct ow_br_names *s, const struct ow_br_advert *n,
		      const char *names)
{
	struct ow_br_names gone = { 0 }, left = { 0 };
	uint32_t i;
	int r = 0;

	if (n->full) {
		ow_br_names_clear(s);
		ow_br_names_fit(s, n->plus);
	}
	for (i = 0; i < n->plus && r == 0; i++)
		r = ow_br_names_add(s, names + (size_t)i * OW_BR_NAME);
	ow_br_names_order(s);
	for (; i < n->plus + n->minus && r == 0; i++)
		r = ow_br_names_add(&gone, names + (size_t)i * OW_BR_NAME);
	ow_br_names_order(&gone);
	if (r == 0 && gone.n > 0) {
		r = ow_br_names_minus(s, &gone, &left);
		ow_br_names_free(s);
		*s = left;
		left = (struct ow_br_names){ 0 };
	}
	ow_br_names_free(&gone);
	ow_br_names_free(&left);
	return r;
}
