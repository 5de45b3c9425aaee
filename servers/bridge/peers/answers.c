/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.c - has each bridge answered on both connections to NATS?
 *
 * For wire/handover.c, which goes from one to the other when all have.
 */
#include "servers/bridge/peers/answers.h"

#include <stdio.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "servers/bridge/peers/link.h"
#include "servers/bridge/peers/rows.h"
#include "servers/bridge/peers/send.h"

#define PATIENCE_NS (1500 * OW_NS_PER_MS) /* half of the heartbeats of silence */
#define AGAIN_NS    (50 * OW_NS_PER_MS)   /* a PING was lost: the next one */

void ow_br_answers_note(struct ow_br_peers *ps, const char *subject,
			const void *data, size_t len)
{
	struct ow_br_batch h;
	struct ow_br_frame f;
	struct ow_br_peer *p;
	size_t at = 0;

	if (ow_br_batch_check(data, len, &h) != 0 ||
	    h.lane != OW_BR_CONTROL || h.node == ps->opt.node ||
	    h.node != ow_br_node_of(ps, subject))
		return;
	pthread_mutex_lock(&ps->lock);
	p = ow_br_peer_need(ps, h.node, h.bridge);
	while (p != NULL && ow_br_frame_next(data, len, &at, &f) != NULL)
		if (f.kind == OW_BR_PONG && f.total > p->answered_there_ns)
			p->answered_there_ns = f.total;
	pthread_mutex_unlock(&ps->lock);
}

/* Has every bridge answered a PING that was sent after `since`, on both ways?
 * Those that have not are in *ret_node. */
static bool have_answered(struct ow_br_peers *ps, uint64_t since,
			  uint32_t *ret_node)
{
	const struct ow_br_peer *p;
	uint32_t i;
	bool all = true;

	pthread_mutex_lock(&ps->lock);
	for (i = 0; i < ps->npeers && all; i++) {
		p = ps->peer[i];
		all = !p->up || (p->answered_ns >= since &&
				 p->answered_there_ns >= since);
		if (!all)
			*ret_node = p->node;
	}
	pthread_mutex_unlock(&ps->lock);
	return all;
}

/* Ask those that have not. */
static void ask(struct ow_br_peers *ps, uint64_t since)
{
	struct ow_br_frame ping = { .kind = OW_BR_PING };
	struct ow_br_peer *p;
	uint32_t i, n;
	bool due;

	pthread_mutex_lock(&ps->lock);
	n = ps->npeers;
	pthread_mutex_unlock(&ps->lock);
	for (i = 0; i < n; i++) {
		pthread_mutex_lock(&ps->lock);
		p = ps->peer[i];
		due = p->up && (p->answered_ns < since ||
				p->answered_there_ns < since);
		pthread_mutex_unlock(&ps->lock);
		ping.total = ow_clock_mono_ns();
		if (due)
			ow_br_say(ps, p, &ping, NULL, true);
	}
}

int ow_br_answers_wait(struct ow_br_peers *ps, char *why, size_t size)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t since = ow_clock_mono_ns(), now = since, asked = 0;
	uint32_t node = 0;

	while (!have_answered(ps, since, &node)) {
		if (now - since > PATIENCE_NS) {
			snprintf(why, size, "node %u does not answer", node);
			return -1;
		}
		if (now - asked >= AGAIN_NS) {
			asked = now;
			ask(ps, since);
		}
		nanosleep(&moment, NULL);
		now = ow_clock_mono_ns();
	}
	return 0;
}
