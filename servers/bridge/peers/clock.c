/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - what a bridge does by the clock: heartbeats, silence, time-outs
 *
 * A bridge that was silent for three of its heartbeats is gone. While calls are
 * out to a bridge that says nothing it is asked with a PING, to which NATS
 * answers if nobody listens any more.
 */
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/clock.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/link.h"
#include "servers/bridge/peers/rows.h"
#include "servers/bridge/peers/send.h"

#define STEP_MS	     50
#define SILENT_HEARTBEATS 3u
#define LATE_NS	     (4 * STEP_MS * OW_NS_PER_MS)

/* This process did not run for `late`: whatever the others said in that time is
 * still on its way. Lock held. */
static void excuse(struct ow_br_peers *ps, uint64_t now, uint64_t late)
{
	uint32_t i;

	for (i = 0; i < ps->npeers; i++)
		if (ps->peer[i]->heard_ns + late < now)
			ps->peer[i]->heard_ns += late;
}

/* Give up those that are silent. Lock held. */
static void look_for_silence(struct ow_br_peers *ps, uint64_t now,
			     struct ow_br_call **lost)
{
	struct ow_br_peer *p;
	uint32_t i;

	for (i = 0; i < ps->npeers; i++) {
		p = ps->peer[i];
		if (!p->up || now < p->heard_ns ||
		    now - p->heard_ns <
			SILENT_HEARTBEATS * p->heartbeat_ms * OW_NS_PER_MS)
			continue;
		log_warn("node %u, bridge %u: silent for %u heartbeats: its "
			 "offers are away",
			 p->node, p->bridge, SILENT_HEARTBEATS);
		ow_br_peer_give_up(ps, p, lost);
	}
}

/* The next one to be asked, from number *i on; NULL: no more. */
static struct ow_br_peer *next_to_ask(struct ow_br_peers *ps, uint32_t *i,
				      uint64_t now)
{
	struct ow_br_peer *p = NULL;
	uint64_t gap;
	bool found = false;

	pthread_mutex_lock(&ps->lock);
	for (; *i < ps->npeers && !found; (*i)++) {
		p = ps->peer[*i];
		/* Often while something is under way, else once a heartbeat. */
		gap = p->outstanding > 0 || p->convs > 0 ? p->heartbeat_ms / 4
							 : p->heartbeat_ms;
		found = p->up && now - p->pinged_ns >= gap * OW_NS_PER_MS;
		if (found)
			p->pinged_ns = now;
	}
	pthread_mutex_unlock(&ps->lock);
	return found ? p : NULL;
}

static void ask(struct ow_br_peers *ps, uint64_t now)
{
	struct ow_br_frame ping = { .kind = OW_BR_PING };
	struct ow_br_peer *p;
	uint32_t i = 0;

	while ((p = next_to_ask(ps, &i, now)) != NULL) {
		ping.total = ow_clock_mono_ns();
		ow_br_say(ps, p, &ping, NULL, true);
	}
}

static void step(struct ow_br_peers *ps, uint64_t now, uint64_t last)
{
	struct ow_br_call *lost = NULL;
	uint32_t i;

	pthread_mutex_lock(&ps->lock);
	if (last != 0 && now - last > LATE_NS)
		excuse(ps, now, now - last);
	look_for_silence(ps, now, &lost);
	ps->above->expire(ps->above->arg, now, &lost);
	for (i = 0; i < ps->npeers; i++)
		ow_br_allowances_expire(ps, ps->peer[i], now);
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
	ps->above->step(ps->above->arg);
}

static bool has_ended(struct ow_br_peers *ps, bool *ret_connected)
{
	bool ended;

	pthread_mutex_lock(&ps->lock);
	ended = ps->ended;
	*ret_connected = ps->connected;
	pthread_mutex_unlock(&ps->lock);
	return ended;
}

void *ow_br_clock_run(void *peers)
{
	const struct timespec pause = { .tv_nsec = STEP_MS * 1000000L };
	struct ow_br_peers *ps = peers;
	uint64_t now, last = 0, heartbeat_ns = 0, full_ns = ow_clock_mono_ns();
	bool connected = false;

	while (!has_ended(ps, &connected)) {
		now = ow_clock_mono_ns();
		step(ps, now, last);
		last = now;
		if (connected) {
			ask(ps, now);
			if (now - heartbeat_ns >=
			    ps->opt.heartbeat_ms * OW_NS_PER_MS) {
				heartbeat_ns = now;
				ow_br_heartbeat(ps, NULL, false, false);
			}
			if (ps->opt.refresh_ms != 0 &&
			    now - full_ns >=
				ps->opt.refresh_ms * OW_NS_PER_MS) {
				full_ns = now;
				ps->above->refresh(ps->above->arg);
			}
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}
