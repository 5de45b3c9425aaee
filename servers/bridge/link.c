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

#include "servers/bridge/bridge.h"
#include "servers/bridge/budget.h"
#include "servers/bridge/news.h"
#include "servers/bridge/talk.h"
#include "servers/bridge/wants.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

/* After which the row of a bridge may become another one's. */
#define SILENT_NS (60 * OW_NS_PER_SEC)

/* ---- peers ---- */

static struct ow_br_peer *find(const struct ow_bridge *b, uint32_t node,
			       uint32_t bridge)
{
	uint32_t i;

	for (i = 0; i < b->npeers; i++)
		if (b->peer[i]->node == node && b->peer[i]->bridge == bridge)
			return b->peer[i];
	return NULL;
}

/* The first bridge of `node`, which leads to the others; NULL: none. */
static struct ow_br_peer *find_node(const struct ow_bridge *b, uint32_t node)
{
	uint32_t i;

	for (i = 0; i < b->npeers; i++)
		if (b->peer[i]->node == node && b->peer[i]->is_first)
			return b->peer[i];
	return NULL;
}

/* The row that is silent for longest, of `node` (0: of any); NULL: each one is
 * in use. */
static struct ow_br_peer *find_silent(const struct ow_bridge *b, uint32_t node)
{
	struct ow_br_peer *p, *oldest = NULL;
	uint64_t now = ow_clock_mono_ns();
	uint32_t i;

	for (i = 0; i < b->npeers; i++) {
		p = b->peer[i];
		if (p->up || p->outstanding > 0 || p->talks > 0 ||
		    (node != 0 && p->node != node) ||
		    now - p->heard_ns < SILENT_NS)
			continue;
		if (oldest == NULL || p->heard_ns < oldest->heard_ns)
			oldest = p;
	}
	return oldest;
}

/* Take it out of the list of its node. What still knows it, knows its epoch,
 * too. */
static void forget(const struct ow_bridge *b, struct ow_br_peer *p)
{
	struct ow_br_peer *q = find_node(b, p->node);
	uint32_t epoch = p->epoch + 1, link = p->link + 1;

	if (q == p && p->sibling != NULL)
		p->sibling->is_first = true;
	while (q != p && q->sibling != p)
		q = q->sibling;
	if (q != p)
		q->sibling = p->sibling;
	log_info("node %u, bridge %u: silent for long: its row is another "
		 "one's", p->node, p->bridge);
	memset(p, 0, sizeof(*p));
	p->epoch = epoch;
	p->link = link;
}

/* A row for one more bridge of `node`. */
static struct ow_br_peer *find_row(struct ow_bridge *b, uint32_t node)
{
	struct ow_br_peer *p = NULL;

	if (ow_br_budget_has_rows(b, node))
		p = find_silent(b, node);
	else if (b->npeers == OW_BR_PEERS)
		p = find_silent(b, 0);
	else if ((p = calloc(1, sizeof(*p))) != NULL) {
		p->link = 1;
		b->peer[b->npeers++] = p;
		return p;
	}
	if (p != NULL)
		forget(b, p);
	return p;
}

struct ow_br_peer *ow_br_peer_need(struct ow_bridge *b, uint32_t node,
				   uint32_t bridge)
{
	struct ow_br_peer *p = find(b, node, bridge), *first;

	if (p != NULL)
		return p;
	p = find_row(b, node);
	if (p == NULL)
		return NULL;
	first = find_node(b, node);
	p->node = node;
	p->bridge = bridge;
	p->beat_ms = b->opt.beat_ms;
	snprintf(p->subject, sizeof(p->subject), "%s.%u.%u.%u", b->opt.root,
		 b->opt.node, node, bridge);
	p->is_first = first == NULL;
	if (first != NULL) {
		p->sibling = first->sibling;
		first->sibling = p;
	}
	return p;
}

void ow_br_peer_reset(struct ow_bridge *b, struct ow_br_peer *p,
		      struct ow_br_call **ret)
{
	struct ow_br_partial *part;

	ow_br_calls_lose(b, p, 0, ret);
	while ((part = p->partial) != NULL) {
		p->partial = part->next;
		ow_br_partial_free(b, part);
	}
	while ((part = p->saying) != NULL) {
		p->saying = part->next;
		ow_br_partial_free(b, part);
	}
	ow_br_lane_clear(&p->lane[0]);
	ow_br_lane_clear(&p->lane[1]);
	ow_br_names_clear(&p->offers);
	ow_br_gathering_drop(&p->gathering);
	memset(&p->wants, 0, sizeof(p->wants));
	p->gen = p->wants_gen = 0;
	p->knows = 0;
	p->up = p->behind = false;
	p->outstanding = p->talks = 0;
	p->epoch++;
	ow_br_talks_check(b);
	ow_br_offers_changed(b);
}

void ow_br_peer_give_up(struct ow_bridge *b, struct ow_br_peer *p,
			struct ow_br_call **ret)
{
	ow_br_peer_reset(b, p, ret);
	p->link++;
}

void ow_br_session_begin(struct ow_bridge *b, struct ow_br_call **ret)
{
	uint32_t i;

	for (i = 0; i < b->npeers; i++) {
		ow_br_peer_reset(b, b->peer[i], ret);
		b->peer[i]->session = 0;
		b->peer[i]->their_link = 0;
	}
	do {
		if (getrandom(&b->session, sizeof(b->session), 0) !=
		    sizeof(b->session))
			b->session = ow_clock_mono_ns();
	} while (b->session == 0);
}

/* ---- a message ---- */

enum verdict {
	GOOD,
	DROP,
	STALE, /* the sender does not know that we have begun anew: tell it */
};

/* Its sender is known by this session and link. Lock held. */
static void meet(struct ow_bridge *b, struct ow_br_peer *p,
		 const struct ow_br_batch *h, struct ow_br_call **lost)
{
	bool anew = p->session != h->session;

	if (anew || (h->link != 0 && p->their_link != 0 &&
		     p->their_link != h->link))
		ow_br_peer_reset(b, p, lost);
	if (anew)
		p->their_link = 0;
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
static enum verdict judge(struct ow_bridge *b, struct ow_br_peer *p,
			  const struct ow_br_batch *h, struct ow_br_call **lost)
{
	bool ours;

	/* What it says about itself holds, whoever it was meant for; calls
	 * and credits are those of one link. */
	meet(b, p, h, lost);
	ours = h->to_session == b->session &&
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
		ow_br_peer_give_up(b, p, lost);
		p->up = true;
		return STALE;
	}
	p->lane[h->lane].got_number = h->number;
	return GOOD;
}

static void take_beat(struct ow_bridge *b, struct ow_br_peer *p,
		      const char *payload)
{
	struct ow_br_frame ask = { .kind = OW_BR_ASK };
	struct ow_br_call *lost = NULL;
	struct ow_br_beat beat;
	bool behind;

	memcpy(&beat, payload, sizeof(beat));
	pthread_mutex_lock(&b->lock);
	p->tables = beat.tables;
	if (beat.beat_ms >= 10 && beat.beat_ms <= 60000)
		p->beat_ms = beat.beat_ms;
	behind = p->gen != beat.gen && !beat.leaving &&
		 !ow_br_gathering_goes_on(p, beat.gen);
	if (beat.leaving) {
		ow_br_peer_reset(b, p, &lost);
		p->left = p->session;
		p->session = 0; /* it may come again */
	}
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
	if (beat.joining)
		ow_br_beat(b, p, false, false);
	if (behind)
		ow_br_say(b, p, &ask, NULL, false);
}

static void take_pong(struct ow_bridge *b, struct ow_br_peer *p, uint64_t sent)
{
	uint64_t now = ow_clock_mono_ns();

	pthread_mutex_lock(&b->lock);
	if (sent != 0 && sent < now)
		p->rtt_ns = p->rtt_ns == 0 ? now - sent
					   : (p->rtt_ns * 7 + now - sent) / 8;
	if (sent > p->answered_ns)
		p->answered_ns = sent;
	pthread_mutex_unlock(&b->lock);
}

/* Does its node want to know who calls? May it be told news in parts? Before
 * anything is said to it because of this beat. */
static void note_wish(struct ow_bridge *b, struct ow_br_peer *p,
		      const struct ow_br_frame *f)
{
	bool wants = (f->flags & OW_BR_WANTS_CALLERS) != 0;

	pthread_mutex_lock(&b->lock);
	p->wants_callers = wants;
	p->knows_parts = (f->flags & OW_BR_KNOWS_PARTS) != 0;
	pthread_mutex_unlock(&b->lock);
	if (wants)
		atomic_store(&b->callers_wanted, true);
}

static void take_frame(struct ow_bridge *b, struct ow_br_peer *p,
		       const struct ow_br_batch *h, struct ow_br_frame *f,
		       const char *payload)
{
	struct ow_br_frame pong = { .kind = OW_BR_PONG, .total = f->total };

	switch (f->kind) {
	case OW_BR_BEAT:
		note_wish(b, p, f);
		take_beat(b, p, payload);
		ow_br_wants_heard(b, p, f);
		break;
	case OW_BR_ASK:
		ow_br_offers_tell(b, p);
		break;
	case OW_BR_NEWS:
		ow_br_news_take(b, p, f, payload);
		break;
	case OW_BR_NEWS_PART:
		ow_br_news_take_part(b, p, f, payload);
		break;
	case OW_BR_PING:
		ow_br_say(b, p, &pong, NULL, false);
		break;
	case OW_BR_PONG:
		take_pong(b, p, f->total);
		break;
	case OW_BR_WANTS:
		ow_br_wants_take(b, p, f, payload);
		break;
	case OW_BR_ASK_WANTS:
		ow_br_wants_tell(b, p);
		break;
	default:
		if (h->lane == OW_BR_REQUESTS)
			ow_br_request(b, f, payload);
		else if ((f->flags & OW_BR_OF_TALK) != 0)
			ow_br_talk_frame(b, f, payload);
		else
			ow_br_reply(b, p, f, payload);
	}
}

/* <root>.<node>.... */
uint32_t ow_br_node_of(const struct ow_bridge *b, const char *subject)
{
	size_t n = strlen(b->opt.root);

	if (strncmp(subject, b->opt.root, n) != 0 || subject[n] != '.')
		return 0;
	return (uint32_t)strtoul(subject + n + 1, NULL, 10);
}

static void count_garbage(struct ow_bridge *b, const char *subject,
			  const char *why)
{
	static _Atomic uint64_t said_ns;
	uint64_t now = ow_clock_mono_ns();

	atomic_fetch_add(&b->garbage, 1);
	if (now - atomic_load(&said_ns) < OW_NS_PER_SEC)
		return;
	atomic_store(&said_ns, now);
	log_warn("a message on %s: %s: dropped", subject, why);
}

/* May the message be read? */
static bool is_read(struct ow_bridge *b, uint32_t node,
		    const struct ow_br_batch *h, size_t len)
{
	struct ow_br_call *lost = NULL;
	bool may;

	if (node == 0)
		return true; /* it is counted as garbage */
	pthread_mutex_lock(&b->lock);
	may = ow_br_budget_message(b, node, h, len, &lost);
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
	return may;
}

void ow_br_message(void *arg, const char *subject, const void *data,
		   size_t len)
{
	struct ow_bridge *b = arg;
	struct ow_br_call *lost = NULL;
	struct ow_br_peer *p = NULL;
	struct ow_br_batch h;
	struct ow_br_frame f;
	enum verdict v = DROP;
	const char *payload;
	size_t at = 0;
	uint32_t node = ow_br_node_of(b, subject);
	int r = ow_br_batch_check(data, len, &h);

	if (r != 0 || h.node != node) {
		if (!is_read(b, node, NULL, len))
			return;
		count_garbage(b, subject, r == -EPROTO
					      ? "of another version"
					      : "malformed, or of another node");
		return;
	}
	if (h.node == b->opt.node)
		return;
	if (!is_read(b, node, &h, len))
		return;
	pthread_mutex_lock(&b->lock);
	if (b->connected) {
		p = ow_br_peer_need(b, h.node, h.bridge);
		if (p == NULL && ow_br_budget_has_rows(b, h.node))
			ow_br_budget_cut(b, h.node, OW_NODES_CUT_ROWS, &lost);
	}
	/* What other threads of a bridge sent while it left is not heard. */
	if (p != NULL && h.session != p->left)
		v = judge(b, p, &h, &lost);
	if (v == GOOD && !ow_br_budget_frames(b, p, &h, data, len, &lost))
		v = DROP;
	if (v == GOOD && h.lane == OW_BR_REQUESTS)
		ow_br_requests_begin(b, p);
	if (v == GOOD && h.lane != OW_BR_CONTROL)
		ow_br_talks_begin(b, p);
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
	if (v == STALE)
		ow_br_beat(b, p, true, false);
	while (v == GOOD &&
	       (payload = ow_br_frame_next(data, len, &at, &f)) != NULL)
		take_frame(b, p, &h, &f, payload);
	if (v != GOOD)
		return;
	if (h.lane == OW_BR_REQUESTS)
		ow_br_requests_end(b);
	if (h.lane != OW_BR_CONTROL)
		ow_br_talks_end(b);
	ow_br_credit(b, p);
	ow_br_flush(b);
}

void ow_br_undelivered(void *arg, const char *subject)
{
	struct ow_bridge *b = arg;
	const char *nr = strstr(subject, ".nr.");
	struct ow_br_call *lost = NULL;
	unsigned int node, bridge;
	uint64_t number, session;
	struct ow_br_peer *p;

	if (nr == NULL || sscanf(nr, ".nr.%u.%u.%" SCNu64 ".%" SCNu64, &node,
				 &bridge, &number, &session) != 4)
		return;
	pthread_mutex_lock(&b->lock);
	p = session == b->session ? find(b, node, bridge) : NULL;
	if (p != NULL && p->up) {
		log_info("node %u, bridge %u: nobody listens", node, bridge);
		if (number != 0)
			ow_br_calls_lose(b, p, number, &lost);
		ow_br_peer_give_up(b, p, &lost);
	}
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
}

void ow_br_up(void *arg)
{
	struct ow_bridge *b = arg;
	struct ow_br_call *lost = NULL;

	log_info("connected to NATS");
	pthread_mutex_lock(&b->lock);
	ow_br_session_begin(b, &lost);
	ow_br_room_look(b);
	b->connected = true;
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
	ow_br_beat(b, NULL, true, false);
}

void ow_br_down(void *arg)
{
	struct ow_bridge *b = arg;
	struct ow_br_call *lost = NULL;

	log_warn("not connected to NATS: services of other nodes are away");
	pthread_mutex_lock(&b->lock);
	b->connected = false;
	ow_br_session_begin(b, &lost);
	pthread_mutex_unlock(&b->lock);
	ow_br_calls_answer(b, lost);
}
