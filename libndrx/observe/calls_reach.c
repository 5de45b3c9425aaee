/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_reach.c - for which requests at other nodes one of this domain waits
 *
 * A request can be finished if one of all that it may wait for can be: that is
 * the rule of calls_chain.c, so what matters to others is the set of requests
 * that were sent to them, if nothing else of what can be reached goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/calls_chain.h"

struct reach {
	const struct ow_calls_chains *w;
	struct ow_waits_call *ret;
	size_t *todo; /* servers that were met */
	size_t n;
	bool *met; /* by server */
};

static bool add_out(struct ow_waits_call *c, const uint8_t id[8])
{
	uint32_t i;

	for (i = 0; i < c->outs; i++)
		if (memcmp(c->out[i], id, sizeof(c->out[i])) == 0)
			return true;
	if (c->outs == OW_WAITS_OUTS)
		return false;
	memcpy(c->out[c->outs++], id, sizeof(c->out[0]));
	return true;
}

/* False: this one goes on. */
static bool add_server(struct reach *k, size_t at)
{
	if (at == OW_CALLS_NONE || !ow_calls_server_waits(&k->w->servers[at]))
		return false;
	if (!k->met[at])
		k->todo[k->n++] = at;
	k->met[at] = true;
	return true;
}

/* What a request waits for. False: it may go on. */
static bool add_row(struct reach *k, const struct ow_calls_row *row)
{
	const struct ow_calls_chains *w = k->w;
	uint32_t svc;
	size_t at;

	if (ow_calls_was_sent(w, row))
		return add_out(k->ret, row->span_id);
	if (row->state == OW_CALLS_SERVED)
		return row->srvid != 0 &&
		       add_server(k, ow_calls_find_server(w, row->srvid));
	if (row->state != OW_CALLS_WAITS)
		return false;
	svc = ow_calls_queue_of(w, row);
	at = ow_calls_first_offer(w, svc);
	if (!ow_calls_is_offer(w, at, svc))
		return false;
	for (; ow_calls_is_offer(w, at, svc); at++)
		if (!add_server(k, w->offers[at].server))
			return false;
	return true;
}

/* For what the contexts of a server wait. */
static bool add_waiters(struct reach *k, size_t at)
{
	const struct ow_calls_chains *w = k->w;
	const struct ow_calls_waiter *a;
	size_t i;

	for (i = 0; i < w->n_held; i++) {
		a = &w->waiters[w->held[i]];
		if (a->server == at && a->seat != 0 &&
		    (a->row == OW_CALLS_NONE || a->any ||
		     ow_calls_is_accepted(&w->c->row[a->row]) ||
		     !add_row(k, &w->c->row[a->row])))
			return false;
	}
	return true;
}

void ow_calls_reach(const struct ow_calls_chains *w,
		    const struct ow_calls_row *row, struct ow_waits_call *ret)
{
	struct reach k = { .w = w, .ret = ret };
	size_t i;
	bool all;

	ret->state = OW_WAITS_DOUBT;
	ret->outs = 0;
	k.todo = calloc(w->n_servers + 1, sizeof(*k.todo));
	k.met = calloc(w->n_servers + 1, sizeof(*k.met));
	all = k.todo != NULL && k.met != NULL && add_row(&k, row);
	for (i = 0; all && i < k.n; i++)
		all = add_waiters(&k, k.todo[i]);
	if (all)
		ret->state = OW_WAITS_OTHERS;
	else
		ret->outs = 0;
	free(k.todo);
	free(k.met);
}
