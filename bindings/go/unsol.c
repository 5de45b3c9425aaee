/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsol.c - events and unsolicited messages
 */
#include "inside.h"

#include <stdlib.h>

/* The handler may not keep the buffer, nor call: its content is copied. */
static void on_unsol(char *data, long len, long flags, void *ptr)
{
	struct gow *g = ptr;
	struct gow_unsol *n = calloc(1, sizeof(*n));

	(void)flags;
	if (n == NULL)
		return;
	gow_look_apart(gow_copy(data, len), len, &n->out);
	*g->last = n;
	g->last = &n->next;
}

int gow_subscribe(struct gow *g, const char *expression, const char *filter,
		  struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	long r;

	gow_clear(out);
	r = tpsetunsol_cb(on_unsol, g);
	if (r == 0)
		r = tpsubscribe((char *)expression, (char *)filter, NULL,
				TPNOTRAN);
	if (r < 0)
		gow_fail(out);
	gow_leave(had);
	return r < 0 ? -1 : 0;
}

int gow_post(struct gow *g, const char *event, struct gow_in in,
	     struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	char *data;
	int r = gow_prepare(g, in, &data, out);

	if (r == 0) {
		r = tppost((char *)event, data, in.len, 0);
		if (r < 0)
			gow_fail(out);
	}
	gow_leave(had);
	return r < 0 ? -1 : 0;
}

int gow_unsol(struct gow *g, struct gow_out *out, int *ms)
{
	TPCONTEXT_T had = TPNULLCONTEXT;
	struct gow_unsol *n = g->unsol;

	if (n == NULL) {
		had = gow_enter(g);
		while (tpchkunsol() > 0)
			;
		*ms = tpreplytimeout();
		gow_leave(had);
		n = g->unsol;
	}
	if (n == NULL)
		return 1;
	*out = n->out;
	g->unsol = n->next;
	if (g->unsol == NULL)
		g->last = &g->unsol;
	free(n);
	return 0;
}
