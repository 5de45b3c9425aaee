/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.c - cursors of one process, a bounded number
 */
#include "libatmi/mib/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"

#define STEP 64 /* places that a list grows by at first */

struct cursor {
	uint32_t number; /* 0: free */
	uint64_t used_ns;
	struct ow_mib_found found;
};

struct ow_mib_cursors {
	uint32_t max, last; /* last: number given last */
	uint64_t hold_ns;
	struct cursor c[];
};

int ow_mib_found_add(struct ow_mib_found *f, uint64_t at)
{
	uint32_t room = f->room == 0 ? STEP : f->room * 2;
	uint64_t *p;

	if (f->n == f->room) {
		p = realloc(f->at, room * sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		f->at = p;
		f->room = room;
	}
	f->at[f->n++] = at;
	return 0;
}

void ow_mib_found_clear(struct ow_mib_found *f)
{
	free(f->at);
	memset(f, 0, sizeof(*f));
}

struct ow_mib_cursors *ow_mib_cursors_new(uint32_t max, uint32_t hold_s)
{
	struct ow_mib_cursors *c =
	    calloc(1, sizeof(*c) + (size_t)max * sizeof(c->c[0]));

	if (c == NULL)
		return NULL;
	c->max = max;
	c->hold_ns = hold_s * OW_NS_PER_SEC;
	return c;
}

static void forget(struct cursor *k)
{
	ow_mib_found_clear(&k->found);
	k->number = 0;
}

struct ow_mib_cursors *ow_mib_cursors_free(struct ow_mib_cursors *c)
{
	uint32_t i;

	for (i = 0; c != NULL && i < c->max; i++)
		forget(&c->c[i]);
	free(c);
	return NULL;
}

/* A free place, or that of the cursor that was used the longest time ago. */
static struct cursor *place(struct ow_mib_cursors *c)
{
	struct cursor *oldest = &c->c[0];
	uint32_t i;

	for (i = 0; i < c->max; i++) {
		if (c->c[i].number == 0)
			return &c->c[i];
		if (c->c[i].used_ns < oldest->used_ns)
			oldest = &c->c[i];
	}
	forget(oldest);
	return oldest;
}

void ow_mib_cursor_return(struct ow_mib_cursors *c, uint32_t number,
			  struct ow_mib_found *f)
{
	struct cursor *k = place(c);

	k->number = number;
	k->used_ns = ow_clock_mono_ns();
	k->found = *f;
	memset(f, 0, sizeof(*f));
}

uint32_t ow_mib_cursor_keep(struct ow_mib_cursors *c, struct ow_mib_found *f)
{
	c->last = c->last % 999999999 + 1;
	ow_mib_cursor_return(c, c->last, f);
	return c->last;
}

bool ow_mib_cursor_take(struct ow_mib_cursors *c, uint32_t number,
			struct ow_mib_found *ret)
{
	uint32_t i;

	ow_mib_cursors_tidy(c);
	for (i = 0; i < c->max; i++) {
		if (number == 0 || c->c[i].number != number)
			continue;
		*ret = c->c[i].found;
		memset(&c->c[i], 0, sizeof(c->c[i]));
		return true;
	}
	return false;
}

void ow_mib_cursors_tidy(struct ow_mib_cursors *c)
{
	uint64_t now = ow_clock_mono_ns();
	uint32_t i;

	for (i = 0; i < c->max; i++)
		if (c->c[i].number != 0 &&
		    now - c->c[i].used_ns > c->hold_ns)
			forget(&c->c[i]);
}
