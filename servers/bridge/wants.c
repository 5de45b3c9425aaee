/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wants.c - which events nodes want of each other
 */
#include "servers/bridge/wants.h"

#include <string.h>

#include "servers/bridge/bridge.h"
#include "libatmi/log/log.h"
#include "libatmi/subs/abroad.h"

/* ---- of this node ---- */

void ow_br_wants_look(struct ow_bridge *b)
{
	struct ow_interest now;
	bool changed;

	if (!ow_interest_is_old(b->dom, &b->wants_seen))
		return;
	if (ow_interest_of_domain(b->dom, &now) != 0) {
		b->wants_seen = 0; /* a writer is at work: the next time */
		return;
	}
	pthread_mutex_lock(&b->lock);
	changed = memcmp(&now, &b->wants, sizeof(now)) != 0;
	if (changed) {
		b->wants = now;
		b->wants_gen++;
	}
	pthread_mutex_unlock(&b->lock);
	if (changed)
		ow_br_beat(b, NULL, false, false);
}

void ow_br_wants_tell(struct ow_bridge *b, const struct ow_br_peer *p)
{
	struct ow_br_frame f = { .kind = OW_BR_WANTS,
				 .len = sizeof(struct ow_interest) };
	struct ow_interest now;

	pthread_mutex_lock(&b->lock);
	now = b->wants;
	f.id = b->wants_gen;
	pthread_mutex_unlock(&b->lock);
	ow_br_say(b, p, &f, &now, false);
}

/* ---- of others ---- */

void ow_br_wants_heard(struct ow_bridge *b, struct ow_br_peer *p,
		       const struct ow_br_frame *beat)
{
	struct ow_br_frame ask = { .kind = OW_BR_ASK_WANTS };
	bool behind;

	pthread_mutex_lock(&b->lock);
	if (p->up && p->left == 0 && p->knows != beat->flags) {
		p->knows = beat->flags;
		ow_br_offers_changed(b);
	}
	behind = p->up && p->left == 0 && (beat->flags & OW_BR_KNOWS_WANTS) &&
		 p->wants_gen != beat->id;
	pthread_mutex_unlock(&b->lock);
	if (behind)
		ow_br_say(b, p, &ask, NULL, false);
}

void ow_br_wants_take(struct ow_bridge *b, struct ow_br_peer *p,
		      const struct ow_br_frame *f, const char *payload)
{
	pthread_mutex_lock(&b->lock);
	if (p->up && p->left == 0) {
		memcpy(&p->wants, payload, sizeof(p->wants));
		p->wants_gen = f->id;
		ow_br_offers_changed(b);
	}
	pthread_mutex_unlock(&b->lock);
}

void ow_br_wants_add_up(struct ow_bridge *b)
{
	struct ow_interest all = { 0 };
	uint32_t i;

	for (i = 0; i < b->npeers; i++)
		if (b->peer[i]->up)
			ow_interest_merge(&all, &b->peer[i]->wants);
	b->wanted_events = all;
}

void ow_br_wants_show(struct ow_bridge *b)
{
	struct ow_interest all;

	pthread_mutex_lock(&b->lock);
	all = b->wanted_events;
	pthread_mutex_unlock(&b->lock);
	if (ow_interest_show(b->dom, b->id, &all) != 0)
		log_error("events that other nodes want: no place for them: "
			  "too many bridges run, or no shared memory");
}
