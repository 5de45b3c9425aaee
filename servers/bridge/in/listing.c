/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.c - which requests of other nodes are out in this domain
 */
#include "servers/bridge/in/listing.h"

#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"

void ow_br_listing_note(struct ow_br_listing *l, int cd, uint64_t seq,
			const struct ow_br_frame *f, uint32_t node)
{
	struct ow_br_listed *p = &l->noted[cd];

	memcpy(p->id, f->span_id, sizeof(p->id));
	p->node = node;
	p->seq = seq;
	p->since_ns = ow_clock_mono_ns();
}

/* The youngest of the list makes way for one that is older. */
static void add(struct ow_br_listing *l, const struct ow_br_listed *p)
{
	uint32_t i, at = 0;

	if (l->n < OW_WAITS_CALLS) {
		l->list[l->n++] = *p;
		return;
	}
	for (i = 1; i < l->n; i++)
		if (l->list[i].since_ns > l->list[at].since_ns)
			at = i;
	if (p->since_ns < l->list[at].since_ns)
		l->list[at] = *p;
}

void ow_br_listing_fill(struct ow_br_listing *l, const struct ow_ctx *c)
{
	uint64_t now;
	int cd;

	if (atomic_load(&l->state) != OW_BR_LISTING_WANTED)
		return;
	now = ow_clock_mono_ns();
	l->n = 0;
	l->slot = c->slot;
	l->gen = c->gen;
	for (cd = 1; cd < c->ncalls; cd++) {
		if (c->calls[cd].state != OW_CALL_WAITING ||
		    c->calls[cd].seq != l->noted[cd].seq ||
		    now - l->noted[cd].since_ns <
			OW_WAITS_OLD_MS * OW_NS_PER_MS)
			continue;
		l->noted[cd].svc = c->calls[cd].svc;
		add(l, &l->noted[cd]);
	}
	atomic_store(&l->state, OW_BR_LISTING_FILLED);
}
