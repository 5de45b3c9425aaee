/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - what a bridge does by the clock: beats, silence, time-outs
 *
 * Each beat says to all: I am here, this is the generation of my offers. A
 * bridge that was silent for three of its beats is gone. While calls are out to
 * a bridge that says nothing it is asked with a PING, to which NATS answers if
 * nobody listens any more.
 */
#include <string.h>
#include <time.h>

#include "servers/bridge/bridge.h"
#include "servers/bridge/wants.h"
#include "libatmi/base/clock.h"
#include "libatmi/door/rules.h"
#include "libatmi/log/log.h"

#define STEP_MS	     50
#define SILENT_BEATS 3u
#define LATE_NS	     (4 * STEP_MS * OW_NS_PER_MS)

void ow_br_beat(struct ow_bridge *b, const struct ow_br_peer *p, bool joining,
		bool leaving)
{
	struct ow_br_beat beat = { .beat_ms = b->opt.beat_ms,
				   .joining = joining,
				   .leaving = leaving };
	struct ow_br_frame f = { .kind = OW_BR_BEAT, .len = sizeof(beat),
				 .flags = OW_BR_KNOWS_WANTS |
					  OW_BR_KNOWS_UNSOL |
					  OW_BR_KNOWS_PARTS |
					  OW_BR_KNOWS_TALKS |
					  OW_BR_KNOWS_TRAN };

	if (b->dom != NULL && ow_rules_guards(b->dom) != 0)
		f.flags |= OW_BR_WANTS_CALLERS;
	pthread_mutex_lock(&b->lock);
	beat.gen = b->gen;
	f.id = b->wants_gen;
	beat.tables = b->tables;
	beat.offers = b->own.n;
	pthread_mutex_unlock(&b->lock);
	ow_br_say(b, p, &f, &beat, false);
}

/* This process did not run for `late`: whatever the others said in that time is
 * still on its way. Lock held. */
static void excuse(struct ow_bridge *b, uint64_t now, uint64_t late)
{
	uint32_t i;

	for (i = 0; i < b->npeers; i++)
		if (b->peer[i]->heard_ns + late < now)
			b->peer[i]->heard_ns += late;
}

/* Give up those that are silent. Lock held. */
static void look_for_silence(struct ow_bridge *b, uint64_t now,
			     struct ow_br_call **lost)
{
	struct ow_br_peer *p;
	uint32_t i;

	for (i = 0; i < b->npeers; i++) {
		p = b->peer[i];
		if (!p->up || now < p->heard_ns ||
		    now - p->heard_ns < SILENT_BEATS * p->beat_ms * OW_NS_PER_MS)
			continue;
		log_warn("node %u, bridge %u: silent for %u beats: its offers "
			 "are away", p->node, p->bridge, SILENT_BEATS);
		ow_br_peer_give_up(b, p, lost);
	}
}

/* The next one to be asked, from number *i on; NULL: no more. */
static struct ow_br_peer *next_to_ask(struct ow_bridge *b, uint32_t *i,
				      uint64_t now)
{
	struct ow_br_peer *p = NULL;
	uint64_t gap;
	bool found = false;

	pthread_mutex_lock(&b->lock);
	for (; *i < b->npeers && !found; (*i)++) {
		p = b->peer[*i];
		/* Often while something is under way, else once a beat. */
		gap = p->outstanding > 0 || p->talks > 0 ? p->beat_ms / 4
							 : p->beat_ms;
		found = p->up && now - p->pinged_ns >= gap * OW_NS_PER_MS;
		if (found)
			p->pinged_ns = now;
	}
	pthread_mutex_unlock(&b->lock);
	return found ? p : NULL;
}

static void ask(struct ow_bridge *b, uint64_t now)
{
	struct ow_br_frame ping = { .kind = OW_BR_PING };
	struct ow_br_peer *p;
	uint32_t i = 0;

	while ((p = next_to_ask(b, &i, now)) != NULL) {
		ping.total = ow_clock_mono_ns();
		ow_br_say(b, p, &ping, NULL, true);
	}
}

static void step(struct ow_bridge *b, uint64_t now, uint64_t last)
{
	struct ow_br_call *lost = NULL;

	pthread_mutex_lock(&b->lock);
	if (last != 0 && now - last > LATE_NS)
		excuse(b, now, now - last);
	look_for_silence(b, now, &lost);
	ow_br_calls_expire(b, now, &lost);
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
	ow_br_offers_look(b);
	ow_br_wants_look(b);
	ow_br_flush(b);
	ow_br_report(b);
}

static bool has_ended(struct ow_bridge *b, bool *ret_connected)
{
	bool ended;

	pthread_mutex_lock(&b->lock);
	ended = b->ended;
	*ret_connected = b->connected;
	pthread_mutex_unlock(&b->lock);
	return ended;
}

void *ow_br_clock_run(void *bridge)
{
	const struct timespec pause = { .tv_nsec = STEP_MS * 1000000L };
	struct ow_bridge *b = bridge;
	uint64_t now, last = 0, beat_ns = 0, full_ns = ow_clock_mono_ns();
	bool connected = false;

	while (!has_ended(b, &connected)) {
		now = ow_clock_mono_ns();
		step(b, now, last);
		last = now;
		if (connected) {
			ask(b, now);
			if (now - beat_ns >= b->opt.beat_ms * OW_NS_PER_MS) {
				beat_ns = now;
				ow_br_beat(b, NULL, false, false);
			}
			if (b->opt.refresh_ms != 0 &&
			    now - full_ns >=
				b->opt.refresh_ms * OW_NS_PER_MS) {
				full_ns = now;
				ow_br_offers_tell(b, NULL);
			}
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}
