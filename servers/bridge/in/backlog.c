/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backlog.c - requests of other nodes that find the queue of their service full
 *
 * Both ends count what is allowed in the same way: a request takes its cost, and
 * never more than there is. Requests that were on their way when the sender was
 * told count as well, so this end never believes that more is allowed than the
 * sender does: nothing stands still. A sender that waits in vain all the same, for
 * a request got lost without memory, is freed after a second.
 */
#include "servers/bridge/in/backlog.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/wire/msg.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/send.h"

#define KEPT_OF_LINK ((uint64_t)32 << 20)
#define KEPT_OF_ALL  ((uint64_t)256 << 20)
#define ALLOW_MOST   (OW_BR_WINDOW / 4) /* of one service */
#define ALLOW_LEAST  (2u * OW_BR_COST)	/* one request, whatever its size */
#define OVER_NS	     OW_NS_PER_SEC

struct key {
	struct ow_br_peer *peer;
	uint32_t epoch;
	char svc[OW_BR_NAME];
};

struct ow_br_backlog {
	UT_hash_handle hh;
	struct key key;
	uint32_t waiting;
	uint64_t units;	  /* of those that wait */
	uint64_t allowed; /* that may come yet */
	bool told;
	uint64_t empty_ns; /* when that was first seen; 0: not empty */
};

static void key_of(const struct ow_br_origin *from, const struct ow_br_frame *f,
		   struct key *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->peer = from->peer;
	ret->epoch = from->epoch;
	strcpy(ret->svc, f->svc);
}

static bool is_counted(const struct ow_br_frame *f)
{
	return f->kind == OW_BR_REQUEST || f->kind == OW_BR_POST;
}

/* Mostly it is the same as before. */
static struct ow_br_backlog *find(struct ow_br_backlogs *bs,
				  const struct ow_br_origin *from,
				  const struct ow_br_frame *f)
{
	struct ow_br_backlog *b = bs->last;
	struct key k;

	if (b != NULL && b->key.peer == from->peer &&
	    b->key.epoch == from->epoch && strcmp(b->key.svc, f->svc) == 0)
		return b;
	key_of(from, f, &k);
	HASH_FIND(hh, bs->table, &k, sizeof(k), b);
	if (b != NULL)
		bs->last = b;
	return b;
}

void ow_br_backlog_came(struct ow_br_backlogs *bs,
			const struct ow_br_origin *from,
			const struct ow_br_frame *f)
{
	uint64_t cost = ow_br_allowance_cost(f);
	struct ow_br_backlog *b;

	if (bs->table == NULL || !is_counted(f))
		return;
	b = find(bs, from, f);
	if (b != NULL)
		b->allowed -= cost < b->allowed ? cost : b->allowed;
}

/* ---- told ---- */

/* Units more, -1: all. Lock of the peers held, and the link is there. */
static bool tell(struct ow_br_backlog *b, int64_t units)
{
	struct ow_br_out *o = ow_br_out_new(0);

	if (o == NULL)
		return false;
	o->frame.kind = OW_BR_ALLOW;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.urcode = units;
	o->deadline = OW_DEADLINE_NEVER;
	memcpy(o->frame.svc, b->key.svc, sizeof(b->key.svc));
	ow_br_queue(b->key.peer, OW_BR_REPLIES, o);
	return true;
}

static bool is_wanted(const struct ow_br_backlog *b)
{
	return b->key.peer->up && b->key.peer->epoch == b->key.epoch;
}

/* Does it use too much of the credit of the lane? Of one, a third; of several,
 * so that there is as much left as one has. Lock held. */
static bool is_long(const struct ow_br_backlog *b)
{
	const struct ow_br_lane_state *l = &b->key.peer->lane[OW_BR_REQUESTS];
	uint64_t used = l->came > l->taken ? l->came - l->taken : 0;

	return used >= OW_BR_WINDOW || b->units > (OW_BR_WINDOW - used) / 2;
}

static struct ow_br_backlog *need(struct ow_br_backlogs *bs,
				  const struct ow_br_origin *from,
				  const struct ow_br_frame *f)
{
	struct ow_br_backlog *b = find(bs, from, f);

	if (b != NULL)
		return b;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return NULL;
	key_of(from, f, &b->key);
	HASH_ADD(hh, bs->table, key, sizeof(b->key), b);
	if (b->hh.tbl != NULL)
		return b;
	free(b);
	return NULL;
}

struct ow_br_backlog *ow_br_backlog_join(struct ow_br_backlogs *bs,
					 const struct ow_br_origin *from,
					 const struct ow_br_frame *f,
					 bool *ret_told)
{
	struct ow_br_backlog *b;

	*ret_told = false;
	if (!is_counted(f))
		return NULL;
	b = need(bs, from, f);
	if (b == NULL)
		return NULL;
	b->waiting++;
	b->units += ow_br_allowance_cost(f);
	b->empty_ns = 0;
	pthread_mutex_lock(&bs->peers->lock);
	b->key.peer->held += ow_br_allowance_cost(f);
	if (!b->told && is_wanted(b) && b->key.peer->knows_allow && is_long(b) &&
	    tell(b, 0)) {
		*ret_told = b->told = true;
		b->key.peer->backlogs++;
	}
	pthread_mutex_unlock(&bs->peers->lock);
	return b;
}

bool ow_br_backlog_keep(struct ow_br_backlogs *bs, struct ow_br_backlog *b,
			const struct ow_br_frame *f)
{
	uint64_t cost = ow_br_allowance_cost(f);
	bool may;

	if (!b->told || bs->kept + cost > KEPT_OF_ALL)
		return false;
	pthread_mutex_lock(&bs->peers->lock);
	may = b->key.peer->kept + cost <= KEPT_OF_LINK;
	if (may)
		b->key.peer->kept += cost;
	pthread_mutex_unlock(&bs->peers->lock);
	if (may)
		bs->kept += cost;
	return may;
}

bool ow_br_backlog_leave(struct ow_br_backlogs *bs, struct ow_br_backlog *b,
			 const struct ow_br_frame *f, bool kept)
{
	uint64_t cost = ow_br_allowance_cost(f);
	struct ow_br_peer *p;
	bool given;

	b->waiting--;
	b->units -= cost;
	if (kept)
		bs->kept -= cost;
	p = b->key.peer;
	pthread_mutex_lock(&bs->peers->lock);
	/* The row may have become another bridge's meanwhile. */
	p->held -= cost < p->held ? cost : p->held;
	if (kept)
		p->kept -= cost < p->kept ? cost : p->kept;
	given = p->held <= OW_BR_HELD && p->withheld > 0;
	if (given) {
		p->lane[OW_BR_REQUESTS].taken += p->withheld;
		p->withheld = 0;
	}
	pthread_mutex_unlock(&bs->peers->lock);
	return given;
}

/* ---- allowed ---- */

static void forget(struct ow_br_backlogs *bs, struct ow_br_backlog *b)
{
	if (b->told && b->key.peer->backlogs > 0)
		b->key.peer->backlogs--;
	if (bs->last == b)
		bs->last = NULL;
	HASH_DEL(bs->table, b);
	free(b);
}

/* Of the same service no more than this may wait here, and be on its way. */
static uint64_t most_of(const struct ow_br_backlog *b)
{
	uint32_t n = b->key.peer->backlogs;
	uint64_t share = KEPT_OF_LINK / 2 / (n > 0 ? n : 1);

	if (share > ALLOW_MOST)
		return ALLOW_MOST;
	return share < ALLOW_LEAST ? ALLOW_LEAST : share;
}

/* Is more to come? As soon as half of it is used up. Lock held. */
static bool allow(struct ow_br_backlog *b)
{
	uint64_t most = most_of(b), have = b->units + b->allowed;

	if (have > most / 2 || !tell(b, (int64_t)(most - have)))
		return false;
	b->allowed += most - have;
	return true;
}

/* Has nothing waited for a while? */
static bool is_over(struct ow_br_backlog *b, uint64_t now)
{
	if (b->waiting > 0)
		return false;
	if (b->empty_ns == 0)
		b->empty_ns = now;
	return now - b->empty_ns >= OVER_NS;
}

bool ow_br_backlogs_look(struct ow_br_backlogs *bs, uint64_t now)
{
	struct ow_br_backlog *b, *next;
	bool said = false;

	pthread_mutex_lock(&bs->peers->lock);
	HASH_ITER(hh, bs->table, b, next)
	{
		if (!is_wanted(b)) {
			if (b->waiting == 0)
				forget(bs, b);
		} else if (is_over(b, now) && (!b->told || tell(b, -1))) {
			said |= b->told;
			forget(bs, b);
		} else if (b->told) {
			said |= allow(b);
		}
	}
	pthread_mutex_unlock(&bs->peers->lock);
	return said;
}

void ow_br_backlogs_free(struct ow_br_backlogs *bs)
{
	struct ow_br_backlog *b, *next;

	HASH_ITER(hh, bs->table, b, next)
	forget(bs, b);
}
