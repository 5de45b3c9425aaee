/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - tables of rows, sorted by key
 */
#include "libndrx/blackbox/rows.h"

#include <stdlib.h>
#include <string.h>

void *ow_bb_add(struct ow_bb_state *s, enum ow_bb_kind k, uint64_t key)
{
	struct ow_bb_table *t = &s->table[k];
	size_t size = ow_bb_shapes[k].size, room = t->room * 2 + 16;
	char *row;

	if (t->n == t->room) {
		row = realloc(t->rows, room * size);
		if (row == NULL)
			return NULL;
		t->rows = row;
		t->room = room;
	}
	row = t->rows + t->n++ * size;
	memset(row, 0, size);
	memcpy(row, &key, sizeof(key));
	return row;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ow_bb_key(a), y = ow_bb_key(b);

	return x < y ? -1 : x > y;
}

static bool is_sorted(const struct ow_bb_table *t, size_t size)
{
	size_t i;

	for (i = 1; i < t->n; i++)
		if (ow_bb_key(t->rows + (i - 1) * size) >=
		    ow_bb_key(t->rows + i * size))
			return false;
	return true;
}

void ow_bb_sort(struct ow_bb_state *s)
{
	struct ow_bb_table *t;
	size_t i, n, size;
	int k;

	for (k = 0; k < OW_BB_KINDS; k++) {
		t = &s->table[k];
		size = ow_bb_shapes[k].size;
		if (t->n < 2 || is_sorted(t, size))
			continue;
		qsort(t->rows, t->n, size, by_key);
		for (i = n = 1; i < t->n; i++)
			if (ow_bb_key(t->rows + i * size) !=
			    ow_bb_key(t->rows + (n - 1) * size))
				memmove(t->rows + n++ * size,
					t->rows + i * size, size);
		t->n = n;
	}
}

void *ow_bb_find(const struct ow_bb_state *s, enum ow_bb_kind k, uint64_t key)
{
	const struct ow_bb_table *t = &s->table[k];

	return t->n == 0 ? NULL
			 : bsearch(&key, t->rows, t->n, ow_bb_shapes[k].size,
				   by_key);
}

void ow_bb_empty(struct ow_bb_state *s)
{
	int k;

	for (k = 0; k < OW_BB_KINDS; k++)
		s->table[k].n = 0;
}

void ow_bb_free(struct ow_bb_state *s)
{
	int k;

	for (k = 0; k < OW_BB_KINDS; k++)
		free(s->table[k].rows);
	memset(s, 0, sizeof(*s));
}
