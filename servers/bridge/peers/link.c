/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - the other bridges: who is there, and what their messages are
 *
 * A session is the time between two losses of the connection to NATS; its
 * number is random. A link is the time during which two bridges have missed
 * nothing of each other; either side begins a new one, with a number one higher.
 * A message that was meant for another session or link, or whose number is not
 * the next one of its lane, is dropped: nothing comes twice. After a gap the
 * link begins anew.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "servers/bridge/peers/budget.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/link.h"
#include "servers/bridge/peers/parts.h"
#include "servers/bridge/peers/rows.h"
#include "servers/bridge/peers/send.h"
#include "servers/bridge/peers/twins.h"

void ow_br_session_begin(struct ow_br_peers *ps, struct ow_br_call **ret)
{
	uint32_t i;

	for (i = 0; i < ps->npeers; i++) {
		ow_br_peer_reset(ps, ps->peer[i], ret);
		ps->peer[i]->session = 0;
		ps->peer[i]->their_link = 0;
	}
	do {
		if (getrandom(&ps->session, sizeof(ps->session), 0) !=
		    sizeof(ps->session))
			ps->session = ow_clock_mono_ns();
	} while (ps->session == 0);
}

/* ---- a message ---- */

enum verdict {
	GOOD,
	DROP,
	STALE, /* the sender does not know that we have begun anew: tell it */
};

/* Its sender is known by this session and link. Lock held. */
static void meet(struct ow_br_peers *ps, struct ow_br_peer *p,
		 const struct ow_br_batch *h, struct ow_br_call **lost)
{
	bool anew = p->session != h->session;

	if (anew || (h->link != 0 && p->their_link != 0 &&
		     p->their_link != h->link))
		ow_br_peer_reset(ps, p, lost);
	if (anew) {
		p->their_link = 0;
		p->knows_allow = false;
	}
	if (!p->up)
		log_info("node %u, bridge %u: connected", p->node, p->bridge);
	p->session = h->session;
	if (h->link != 0)
		p->their_link = h->link;
	p->up = true;
	p->left = 0;
	p->heard_ns = ow_clock_mono_ns();
}

static void take_credit(struct ow_br_peer *p, const struct ow_br_batch *h)
{
	int i;

	for (i = 0; i < 2; i++)
		if (h->taken[i] > p->lane[i].acked &&
		    h->taken[i] <= p->lane[i].sent)
			p->lane[i].acked = h->taken[i];
}

/* May the frames of this batch be taken? Lock held. */
static enum verdict judge(struct ow_br_peers *ps, struct ow_br_peer *p,
			  const struct ow_br_batch *h, struct ow_br_call **lost)
{
	bool ours;

	/* What it says about itself holds, whoever it was meant for; calls
	 * and credits are those of one link. */
	meet(ps, p, h, lost);
	ours = h->to_session == ps->session &&
	       (h->to_link == 0 || h->to_link == p->link);
	if (ours)
		take_credit(p, h);
	if (h->lane == OW_BR_CONTROL)
		return GOOD;
	if (!ours)
		return STALE;
	if (h->number <= p->lane[h->lane].got_number)
		return DROP;
	if (h->number != p->lane[h->lane].got_number + 1) {
		log_warn("node %u: messages were lost: the link begins anew",
			 p->node);
		ow_br_peer_give_up(ps, p, lost);
		p->up = true;
		return STALE;
	}
	p->lane[h->lane].got_number = h->number;
	return GOOD;
}

static void take_heartbeat(struct ow_br_peers *ps, struct ow_br_peer *p,
			   const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_call *lost = NULL;
	struct ow_br_heartbeat heartbeat;

	memcpy(&heartbeat, payload, sizeof(heartbeat));
	pthread_mutex_lock(&ps->lock);
	if (heartbeat.heartbeat_ms >= 10 && heartbeat.heartbeat_ms <= 60000)
		p->heartbeat_ms = heartbeat.heartbeat_ms;
	if (heartbeat.leaving) {
		ow_br_peer_reset(ps, p, &lost);
		p->left = p->session;
		p->session = 0; /* it may come again */
	}
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
	if (heartbeat.leaving)
		ow_br_who_left(ps, p->node);
	if (heartbeat.joining)
		ow_br_heartbeat(ps, p, false, false);
	if (!heartbeat.leaving)
		ps->above->heard(ps->above->arg, p, f, &heartbeat);
}

static void take_pong(struct ow_br_peers *ps, struct ow_br_peer *p,
		      uint64_t sent)
{
	uint64_t now = ow_clock_mono_ns();

	pthread_mutex_lock(&ps->lock);
	if (sent != 0 && sent < now)
		p->rtt_ns = p->rtt_ns == 0 ? now - sent
					   : (p->rtt_ns * 7 + now - sent) / 8;
	if (sent > p->answered_ns)
		p->answered_ns = sent;
	pthread_mutex_unlock(&ps->lock);
}

/* Does its node want to know who calls, and what its calls wait for? Before anything is said to it because
 * of this heartbeat. */
static void note_wish(struct ow_br_peers *ps, struct ow_br_peer *p,
		      const struct ow_br_frame *f)
{
	bool wants = (f->flags & OW_BR_WANTS_CALLERS) != 0;

	pthread_mutex_lock(&ps->lock);
	p->wants_callers = wants;
	p->wants_waits = (f->flags & OW_BR_WANTS_WAITS) != 0;
	p->knows_allow = (f->flags & OW_BR_KNOWS_ALLOW) != 0;
	pthread_mutex_unlock(&ps->lock);
	if (wants)
		atomic_store(&ps->callers_wanted, true);
}

static void take_frame(struct ow_br_peers *ps, struct ow_br_peer *p,
		       enum ow_br_lane lane, const struct ow_br_frame *f,
		       const char *payload)
{
	struct ow_br_frame pong = { .kind = OW_BR_PONG, .total = f->total };

	switch (f->kind) {
	case OW_BR_HEARTBEAT:
		note_wish(ps, p, f);
		take_heartbeat(ps, p, f, payload);
		break;
	case OW_BR_PING:
		ow_br_say(ps, p, &pong, NULL, false);
		break;
	case OW_BR_PONG:
		take_pong(ps, p, f->total);
		break;
	default:
		ps->above->take(ps->above->arg, p, lane, f, payload);
	}
}

/* <root>.<node>.... */
uint32_t ow_br_node_of(const struct ow_br_peers *ps, const char *subject)
{
	size_t n = strlen(ps->opt.root);

	if (strncmp(subject, ps->opt.root, n) != 0 || subject[n] != '.')
		return 0;
	return (uint32_t)strtoul(subject + n + 1, NULL, 10);
}

static void count_garbage(struct ow_br_peers *ps, const char *subject,
			  const char *why)
{
	static _Atomic uint64_t said_ns;
	uint64_t now = ow_clock_mono_ns();

	atomic_fetch_add(&ps->garbage, 1);
	if (now - atomic_load(&said_ns) < OW_NS_PER_SEC)
		return;
	atomic_store(&said_ns, now);
	log_warn("a message on %s: %s: dropped", subject, why);
}

/* May the message be read? */
static bool is_read(struct ow_br_peers *ps, uint32_t node,
		    const struct ow_br_batch *h, size_t len)
{
	struct ow_br_call *lost = NULL;
	bool may;

	if (node == 0)
		return true; /* it is counted as garbage */
	pthread_mutex_lock(&ps->lock);
	may = ow_br_budget_message(ps, node, h, len, &lost);
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
	return may;
}

/* Which domain sends it? Also of our own node: another domain may have its
 * id. */
static void hear_who(struct ow_br_peers *ps, const struct ow_br_batch *h,
		     const void *data, size_t len)
{
	struct ow_br_who who;
	struct ow_br_frame f;
	const char *payload;
	size_t at = 0;

	while (h->lane == OW_BR_CONTROL &&
	       (payload = ow_br_frame_next(data, len, &at, &f)) != NULL) {
		if (f.kind != OW_BR_WHO)
			continue;
		memcpy(&who, payload, sizeof(who));
		ow_br_who_heard(ps, h->node, h->bridge, &who);
	}
}

void ow_br_message(struct ow_br_peers *ps, const char *subject,
		   const void *data, size_t len)
{
	struct ow_br_call *lost = NULL;
	struct ow_br_peer *p = NULL;
	struct ow_br_batch h;
	struct ow_br_frame f;
	enum verdict v = DROP;
	const char *payload;
	size_t at = 0;
	uint32_t node = ow_br_node_of(ps, subject);
	int r = ow_br_batch_check(data, len, &h);

	if (r != 0 || h.node != node) {
		if (!is_read(ps, node, NULL, len))
			return;
		count_garbage(ps, subject, r == -EPROTO
					      ? "of another version"
					      : "malformed, or of another node");
		return;
	}
	if (!is_read(ps, node, &h, len))
		return;
	hear_who(ps, &h, data, len);
	if (h.node == ps->opt.node)
		return;
	pthread_mutex_lock(&ps->lock);
	if (ps->connected) {
		p = ow_br_peer_need(ps, h.node, h.bridge);
		if (p == NULL && ow_br_node_has_rows(ps, h.node))
			ow_br_budget_cut(ps, h.node, OW_NODES_CUT_ROWS, &lost);
	}
	/* What other threads of a bridge sent while it left is not heard. */
	if (p != NULL && h.session != p->left)
		v = judge(ps, p, &h, &lost);
	if (v == GOOD && !ow_br_budget_frames(ps, p, &h, data, len, &lost))
		v = DROP;
	if (v == GOOD && h.lane != OW_BR_CONTROL)
		ps->above->begin(ps->above->arg, p, h.lane);
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
	if (v == STALE)
		ow_br_heartbeat(ps, p, true, false);
	while (v == GOOD &&
	       (payload = ow_br_frame_next(data, len, &at, &f)) != NULL)
		take_frame(ps, p, h.lane, &f, payload);
	if (v != GOOD)
		return;
	if (h.lane != OW_BR_CONTROL)
		ps->above->end(ps->above->arg, h.lane);
	ow_br_credit(ps, p);
	ow_br_flush(ps);
}

void ow_br_undelivered(struct ow_br_peers *ps, const char *subject)
{
	const char *nr = strstr(subject, ".nr.");
	struct ow_br_call *lost = NULL;
	unsigned int node, bridge;
	uint64_t number, session;
	struct ow_br_peer *p;

	if (nr == NULL || sscanf(nr, ".nr.%u.%u.%" SCNu64 ".%" SCNu64, &node,
				 &bridge, &number, &session) != 4)
		return;
	pthread_mutex_lock(&ps->lock);
	p = session == ps->session ? ow_br_peer_find(ps, node, bridge) : NULL;
	if (p != NULL && p->up) {
		log_info("node %u, bridge %u: nobody listens", node, bridge);
		if (number != 0)
			ps->above->undelivered(ps->above->arg, p, number,
					       &lost);
		ow_br_peer_give_up(ps, p, &lost);
	}
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
}

void ow_br_up(struct ow_br_peers *ps)
{
	struct ow_br_call *lost = NULL;

	log_info("connected to NATS");
	pthread_mutex_lock(&ps->lock);
	ow_br_session_begin(ps, &lost);
	ow_br_limit_look(ps);
	ps->connected = true;
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
	ow_br_heartbeat(ps, NULL, true, false);
}

void ow_br_down(struct ow_br_peers *ps)
{
	struct ow_br_call *lost = NULL;

	log_warn("not connected to NATS: services of other nodes are away");
	pthread_mutex_lock(&ps->lock);
	ps->connected = false;
	ow_br_session_begin(ps, &lost);
	pthread_mutex_unlock(&ps->lock);
	ps->above->answer(ps->above->arg, lost);
}
