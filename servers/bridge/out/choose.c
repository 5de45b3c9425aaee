/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - the bridge of another node to which a request goes
 */
#include "servers/bridge/out/choose.h"

#include "servers/bridge/peers/allowance.h"

/* Calls under way to `p`, and what waits before a request of this service. */
static uint32_t count(const struct ow_br_peer *p, const char *svc)
{
	return p->outstanding + p->lane[0].waiting +
	       ow_br_allowance_waiting(p, svc);
}

/* Is `p` better than `q`? Fewer calls under way, then the shorter time. */
static bool is_better(const struct ow_br_peer *p, const struct ow_br_peer *q,
		      const char *svc)
{
	uint32_t a = count(p, svc), z = count(q, svc);

	return a != z ? a < z : p->rtt_ns / 2 < q->rtt_ns / 2;
}

/* Of all, or of those that are known to offer it. The search begins elsewhere
 * each time: equals get equal shares. */
static struct ow_br_peer *best_of(struct ow_br_calls *cs,
				  struct ow_br_peer *const *peers, uint32_t n,
				  const char *svc, bool known)
{
	struct ow_br_peer *p, *best = NULL;
	uint32_t i;

	cs->turn++;
	for (i = 0; i < n; i++) {
		p = peers[(cs->turn + i) % n];
		if (p->up && (known || ow_br_names_has(&p->offers, svc)) &&
		    (best == NULL || is_better(p, best, svc)))
			best = p;
	}
	return best;
}

struct ow_br_peer *ow_br_choose(struct ow_br_calls *cs, const char *svc)
{
	long at = cs->dir->unsettled || cs->dir->owner == NULL
		      ? -1
		      : ow_br_names_find(&cs->dir->wanted, svc);

	if (at < 0) /* in the last moments, its owners have changed */
		return best_of(cs, cs->peers->peer, cs->peers->npeers, svc,
			       false);
	return best_of(cs, cs->dir->owner + cs->dir->first[at],
		       cs->dir->first[at + 1] - cs->dir->first[at], svc, true);
}

static bool may_take(const struct ow_br_peer *p, const struct ow_br_out *o)
{
	return o->frame.kind != OW_BR_REQUEST ||
	       ow_br_names_has(&p->offers, o->frame.svc);
}

struct ow_br_peer *ow_br_choose_of(struct ow_br_calls *cs,
				   const struct ow_br_out *o)
{
	const char *svc = ow_br_allowance_service(&o->frame);
	struct ow_br_peer *p, *best = NULL;
	uint32_t i;

	for (i = 0; i < cs->peers->npeers; i++) {
		p = cs->peers->peer[i];
		if (p->up && p->node == o->node && may_take(p, o) &&
		    (best == NULL || is_better(p, best, svc)))
			best = p;
	}
	return best;
}
