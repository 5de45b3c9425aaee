/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll.c - look into the queues of a server without having been woken
 *
 * The wake-up for a message is lost when the server that got it dies or is
 * stopped before it receives. So idle servers poll, each once a second, of
 * thousands of servers each less often: more polls would not help, and would
 * cost the busy servers their caches.
 *
 * Messages that a woken server is expected to take are left to it. If that is
 * not clear, the server polls again soon. What comes after a poll wakes a
 * server as usual.
 */
#include "libatmisrv/poll.h"

#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/waking/poll.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/server.h"

/* How many of the `depth` messages in the queue may this server take? */
static uint32_t backlog_of(struct ow_offer *o, uint32_t depth, bool *unsure)
{
	enum ow_queue_attendance a;

	if (depth == 0)
		return 0;
	a = ow_queue_attendance(o->queue);
	*unsure |= a == OW_QUEUE_UNSURE;
	return ow_waking_backlog(a, depth);
}

void ow_poll_queues(struct ow_server *s)
{
	bool unsure = false;
	struct ow_offer *o;
	uint32_t depth;
	uint64_t now;

	for (o = s->offers; o < s->offers + s->noffers; o++) {
		o->backlog = 0;
		now = ow_clock_mono_ns();
		if (o->queue == NULL || ow_queue_depth(o->queue, &depth) != 0)
			continue;
		ow_figures_depth(&s->adv[o - s->offers], depth, now);
		if (o->paused)
			continue;
		o->backlog = backlog_of(o, depth, &unsure);
		if (o->backlog > 0)
			s->backlog = true;
	}
	s->unsure = ow_waking_polls_again(unsure, s->unsure);
}

uint64_t ow_poll_period(const struct ow_server *s)
{
	uint32_t n, fewest = UINT32_MAX; /* servers of a queue */
	const struct ow_offer *o;

	for (o = s->offers; o < s->offers + s->noffers; o++) {
		if (o->queue == NULL)
			continue;
		n = ow_svc_servers(&s->dom->tables->svc[o->svc]);
		if (n < fewest)
			fewest = n;
	}
	if (fewest == UINT32_MAX)
		fewest = 1;
	return ow_waking_poll_period(&s->dom->waking,
				     s->dom->transport->bounds_polls(s->dom),
				     fewest);
}
