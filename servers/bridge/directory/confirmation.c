/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confirmation.c - other bridges say that they know what was withdrawn
 */
#include "servers/bridge/directory/confirmation.h"

#include <stdlib.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/wire/msg.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/send.h"

#define AGAIN_NS (100 * OW_NS_PER_MS)

/* ---- asked ---- */

static bool has_confirmed(const struct ow_br_directory *d,
			  const struct ow_br_peer *p)
{
	return !p->up || p->confirmed >= d->withdrawn;
}

const struct ow_br_peer *ow_br_unconfirmed(const struct ow_br_directory *d)
{
	uint32_t i;

	for (i = 0; i < d->peers->npeers; i++)
		if (!has_confirmed(d, d->peers->peer[i]))
			return d->peers->peer[i];
	return NULL;
}

/* The next one to be asked, from number *i on; NULL: no more. */
static const struct ow_br_peer *next_to_ask(struct ow_br_directory *d,
					    uint32_t *i)
{
	const struct ow_br_peer *p = NULL;

	pthread_mutex_lock(&d->peers->lock);
	while (*i < d->peers->npeers && p == NULL) {
		p = d->peers->peer[(*i)++];
		if (has_confirmed(d, p))
			p = NULL;
	}
	pthread_mutex_unlock(&d->peers->lock);
	return p;
}

static void ask(struct ow_br_directory *d)
{
	const struct ow_br_peer *p;
	uint32_t i = 0;

	while ((p = next_to_ask(d, &i)) != NULL)
		ow_br_heartbeat_ask(d->peers, p);
}

/* Has all its place that had come when everything was confirmed? Lock held. */
static void look_for_places(struct ow_br_directory *d)
{
	if (d->placing_ns == 0) {
		d->placing_ns = d->looked_ns;
		d->turns = 0;
	}
	while (d->turns < 2 && ow_br_unplaced_turn(&d->peers->unplaced))
		d->turns++;
	if (d->turns < 2)
		return;
	atomic_store(&d->placed_ns, d->placing_ns);
	d->placing_ns = 0;
}

void ow_br_confirm_look(struct ow_br_directory *d)
{
	uint64_t now = ow_clock_mono_ns();
	bool due;

	pthread_mutex_lock(&d->peers->lock);
	due = ow_br_unconfirmed(d) != NULL;
	if (!due || d->placing_ns != 0)
		look_for_places(d);
	due = due && now - d->asked_ns >= AGAIN_NS;
	if (due)
		d->asked_ns = now;
	pthread_mutex_unlock(&d->peers->lock);
	if (due)
		ask(d);
}

void ow_br_confirm_take(struct ow_br_directory *d, struct ow_br_peer *p,
			const struct ow_br_frame *f)
{
	uint64_t gen = (uint64_t)f->urcode;

	pthread_mutex_lock(&d->peers->lock);
	if (p->up) {
		p->lane[OW_BR_REQUESTS].taken += OW_BR_COST;
		if (gen <= d->gen && gen > p->confirmed)
			p->confirmed = gen;
	}
	pthread_mutex_unlock(&d->peers->lock);
}

/* ---- answered ---- */

/* Is it to be said, now that it was asked for? Once, but for what was lost with
 * a message that nobody misses: then nothing waits in the lane. Lock held. */
static bool is_due(const struct ow_br_peer *p, uint64_t gen)
{
	return p->up && p->gen == gen &&
	       (p->confirming != gen ||
		(p->lane[OW_BR_REQUESTS].waiting == 0 && p->confirm == NULL));
}

void ow_br_confirm_heard(struct ow_br_directory *d, struct ow_br_peer *p,
			 const struct ow_br_frame *f,
			 const struct ow_br_heartbeat *heartbeat)
{
	struct ow_br_out *o = NULL;

	if ((f->flags & OW_BR_WANTS_CONFIRM) != 0)
		o = ow_br_out_new(0);
	if (o == NULL)
		return;
	o->frame.kind = OW_BR_CONFIRM;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.urcode = (int64_t)heartbeat->gen;
	o->deadline = OW_DEADLINE_NEVER;
	pthread_mutex_lock(&d->peers->lock);
	if (is_due(p, heartbeat->gen)) {
		p->confirming = heartbeat->gen;
		ow_br_queue(p, OW_BR_REQUESTS, o);
		o = NULL;
	}
	pthread_mutex_unlock(&d->peers->lock);
	free(o);
}

void ow_br_confirm_forget(struct ow_br_peer *p)
{
	p->confirmed = p->confirming = 0;
}
