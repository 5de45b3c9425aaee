/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - contexts of the library: made, freed, and their transactions
 */
#include "inside.h"

#include <stdlib.h>

/* The last error, into *out: -1. */
int gow_fail(struct gow_out *out)
{
	out->err = tplasterror(out->text, sizeof(out->text), &out->urcode);
	if (out->err == 0)
		out->err = TPESYSTEM;
	return -1;
}

static void drop(struct gow *g)
{
	if (g == NULL)
		return;
	while (g->n_spares > 0) {
		g->n_spares--;
		gow_release(g->spares[g->n_spares].buf,
			    g->spares[g->n_spares].fields);
	}
	free(g->spares);
	free(g->outs);
	free(g->asks);
	free(g);
}

int gow_open(struct gow **ret, struct gow_out *out)
{
	struct gow *g = calloc(1, sizeof(*g));
	TPCONTEXT_T had;

	gow_clear(out);
	if (g != NULL) {
		g->outs = calloc(GOW_DRAIN, sizeof(*g->outs));
		g->asks = calloc(GOW_ASKS, sizeof(*g->asks));
		g->spares = calloc(GOW_DRAIN, sizeof(*g->spares));
	}
	if (g == NULL || g->outs == NULL || g->asks == NULL ||
	    g->spares == NULL) {
		drop(g);
		out->err = TPEOS;
		return -1;
	}
	g->last = &g->unsol;
	g->ctx = tpnewctxt(0, 0);
	if (g->ctx == NULL) {
		gow_fail(out);
		drop(g);
		return -1;
	}
	had = gow_enter(g);
	tpsetsigrstrt(TPSIG_RESTART);
	g->fd = tpreplyfd();
	if (g->fd == -1)
		gow_fail(out);
	gow_leave(had);
	if (out->err != 0) {
		gow_close(g);
		return -1;
	}
	*ret = g;
	return 0;
}

int gow_as(struct gow *g, const char *name, long appkey, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);

	gow_clear(out);
	if (tpsetcaller(name, appkey) == -1)
		gow_fail(out);
	gow_leave(had);
	return out->err == 0 ? 0 : -1;
}

void gow_failed(struct gow_out *out)
{
	gow_clear(out);
	gow_fail(out);
}

void gow_close(struct gow *g)
{
	struct gow_unsol *n;
	int i;

	tpfreectxt(g->ctx);
	while ((n = g->unsol) != NULL) {
		g->unsol = n->next;
		gow_release(n->out.buf, n->out.fields);
		free(n);
	}
	for (i = 0; i < GOW_KINDS; i++)
		tpfree(g->in[i]);
	tpfree(g->reply);
	free(g->put);
	free(g->get);
	drop(g);
}

void gow_release(char *buf, struct Bfield *fields)
{
	tpfree(buf);
	free(fields);
}

int gow_tran(struct gow *g, enum gow_tran what, unsigned long seconds,
	     struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	int r;

	gow_clear(out);
	r = what == GOW_OPEN	 ? tpopen()
	    : what == GOW_BEGIN	 ? tpbegin(seconds, 0)
	    : what == GOW_COMMIT ? tpcommit(0)
				 : tpabort(0);
	if (r != 0)
		gow_fail(out);
	gow_leave(had);
	return r;
}
