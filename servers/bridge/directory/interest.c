/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interest.c - which events nodes want of each other
 */
#include "servers/bridge/directory/interest.h"

#include <string.h>

#include "libatmi/log/log.h"
#include "libatmi/subs/remote.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/send.h"

/* ---- of this node ---- */

void ow_br_interest_look(struct ow_br_directory *d)
{
	struct ow_interest now;
	bool changed;

	if (!ow_interest_is_old(d->peers->dom, &d->interest_seen))
		return;
	if (ow_interest_of_domain(d->peers->dom, &now) != 0) {
		d->interest_seen = 0; /* a writer is at work: the next time */
		return;
	}
	pthread_mutex_lock(&d->peers->lock);
	changed = memcmp(&now, &d->interest, sizeof(now)) != 0;
	if (changed) {
		d->interest = now;
		d->interest_gen++;
	}
	pthread_mutex_unlock(&d->peers->lock);
	if (changed)
		ow_br_heartbeat(d->peers, NULL, false, false);
}

void ow_br_interest_tell(struct ow_br_directory *d, const struct ow_br_peer *p)
{
	struct ow_br_frame f = { .kind = OW_BR_INTEREST,
				 .len = sizeof(struct ow_interest) };
	struct ow_interest now;

	pthread_mutex_lock(&d->peers->lock);
	now = d->interest;
	f.id = d->interest_gen;
	pthread_mutex_unlock(&d->peers->lock);
	ow_br_say(d->peers, p, &f, &now, false);
}

/* ---- of others ---- */

void ow_br_interest_heard(struct ow_br_directory *d, struct ow_br_peer *p,
			  const struct ow_br_frame *heartbeat)
{
	struct ow_br_frame ask = { .kind = OW_BR_ASK_INTEREST };
	bool behind;

	pthread_mutex_lock(&d->peers->lock);
	behind = p->up && p->left == 0 && p->interest_gen != heartbeat->id;
	pthread_mutex_unlock(&d->peers->lock);
	if (behind)
		ow_br_say(d->peers, p, &ask, NULL, false);
}

void ow_br_interest_take(struct ow_br_directory *d, struct ow_br_peer *p,
		      const struct ow_br_frame *f, const char *payload)
{
	pthread_mutex_lock(&d->peers->lock);
	if (p->up && p->left == 0) {
		memcpy(&p->interest, payload, sizeof(p->interest));
		p->interest_gen = f->id;
		ow_br_offers_changed(d);
	}
	pthread_mutex_unlock(&d->peers->lock);
}

void ow_br_interest_forget(struct ow_br_peer *p)
{
	memset(&p->interest, 0, sizeof(p->interest));
	p->interest_gen = 0;
}

void ow_br_interest_add_up(struct ow_br_directory *d)
{
	struct ow_interest all = { 0 };
	uint32_t i;

	for (i = 0; i < d->peers->npeers; i++)
		if (d->peers->peer[i]->up)
			ow_interest_merge(&all, &d->peers->peer[i]->interest);
	d->remote_interest = all;
}

void ow_br_interest_show(struct ow_br_directory *d)
{
	struct ow_interest all;

	pthread_mutex_lock(&d->peers->lock);
	all = d->remote_interest;
	pthread_mutex_unlock(&d->peers->lock);
	if (ow_interest_show(d->peers->dom, d->peers->id, &all) != 0)
		log_error("events that other nodes want: no place for them: "
			  "too many bridges run, or no shared memory");
}
