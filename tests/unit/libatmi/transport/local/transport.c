/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - a transport inside one process, for tests
 *
 * Queues are lists in memory; a waiting client or server is an actor of
 * world.h. There is no kernel object, no second process and no real time, so a
 * run depends on its seed alone. The folder is the whole transport: the build
 * of the tests names it to registry.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/record.h"
#include "libatmi/transport/transport.h"
#include "tests/unit/libatmi/transport/local/world.h"

#define MSGSIZE 512u
#define DEPTH	8u

extern const struct ow_transport ow_transport_local;

struct message {
	struct message *next;
	unsigned int prio;
	size_t len;
	_Alignas(struct ow_msg) uint8_t bytes[];
};

/* A queue as all of the process see it: by name until it is removed. */
struct store {
	struct store *next;
	char service[OW_SVC_NAME]; /* "": a mailbox */
	uint32_t slot;
	bool removed;
	uint32_t users, depth, maxmsg;
	struct message *first; /* by priority, then in order of sending */
};

struct local_queue {
	struct ow_queue base;
	struct ow_domain *dom;
	struct store *store;
};

struct member {
	struct local_queue *q;
	uint32_t tag;
};

struct local_waitset {
	struct ow_waitset base;
	struct member members[OW_ADV_MAX];
	uint32_t n;
	uint64_t period_ns, tick_ns;
	bool kicked;
};

static struct store *stores;
static uint8_t records[OW_SRV_MAX][OW_RX_SIZE];

static struct local_queue *of(struct ow_queue *q)
{
	return (struct local_queue *)q;
}

static struct local_waitset *set_of(struct ow_waitset *w)
{
	return (struct local_waitset *)w;
}

/* ---- queues ---- */

static void read_shapes(struct ow_domain *d)
{
	d->service_shape = (struct ow_queue_shape){ DEPTH, MSGSIZE };
}

static struct store *find(struct ow_queue_id id)
{
	struct store *s;

	for (s = stores; s != NULL; s = s->next)
		if (!s->removed &&
		    (id.service != NULL ? strcmp(s->service, id.service) == 0
					: s->service[0] == '\0' &&
					      s->slot == id.slot))
			return s;
	return NULL;
}

static int wrap(struct ow_domain *d, struct store *s, struct ow_queue **ret)
{
	struct local_queue *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return -ENOMEM;
	q->base.transport = &ow_transport_local;
	q->base.msgsize = MSGSIZE;
	q->dom = d;
	q->store = s;
	s->users++;
	*ret = &q->base;
	return 0;
}

static int create(struct ow_domain *d, struct ow_queue_id id,
		  struct ow_queue_shape *shape, struct ow_queue **ret)
{
	struct store *s = find(id);

	if (s == NULL) {
		s = calloc(1, sizeof(*s));
		if (s == NULL)
			return -ENOMEM;
		if (id.service != NULL)
			strncpy(s->service, id.service, OW_SVC_NAME - 1);
		s->slot = id.slot;
		s->maxmsg = id.service != NULL ? shape->maxmsg : DEPTH;
		s->next = stores;
		stores = s;
	}
	*shape = (struct ow_queue_shape){ s->maxmsg, MSGSIZE };
	return wrap(d, s, ret);
}

static int open_queue(struct ow_domain *d, struct ow_queue_id id,
		      struct ow_queue **ret)
{
	struct store *s = find(id);

	return s != NULL ? wrap(d, s, ret) : OW_QUEUE_GONE;
}

static void free_unused(struct ow_domain *d, struct store *s)
{
	struct store **at;
	struct message *m;

	if (!s->removed || s->users > 0)
		return;
	while ((m = s->first) != NULL) {
		s->first = m->next;
		if (((struct ow_msg *)m->bytes)->block != 0)
			ow_block_free(d->blocks,
				      ((struct ow_msg *)m->bytes)->block);
		free(m);
	}
	for (at = &stores; *at != s; at = &(*at)->next)
		;
	*at = s->next;
	free(s);
}

static void close_queue(struct ow_queue *q)
{
	of(q)->store->users--;
	free_unused(of(q)->dom, of(q)->store);
	free(q);
}

static int remove_queue(struct ow_domain *d, struct ow_queue_id id)
{
	struct store *s = find(id);

	if (s == NULL)
		return OW_QUEUE_GONE;
	s->removed = true;
	free_unused(d, s);
	return 0;
}

static int depth(struct ow_queue *q, uint32_t *ret_depth)
{
	*ret_depth = of(q)->store->depth;
	return 0;
}

static int peek(struct ow_domain *d, struct ow_queue_id id,
		uint32_t *ret_depth)
{
	struct store *s = find(id);

	(void)d;
	if (s == NULL)
		return OW_QUEUE_GONE;
	*ret_depth = s->depth;
	return 0;
}

/* ---- messages ---- */

static bool has_room(void *store)
{
	return ((struct store *)store)->depth < ((struct store *)store)->maxmsg;
}

static bool has_message(void *store)
{
	return ((struct store *)store)->first != NULL;
}

/* Wait for a store: 0, `at_once` (the deadline is NOW) or TIMEOUT. */
static int await(struct store *s, bool (*ready)(void *), uint64_t deadline,
		 int at_once)
{
	world_yield();
	if (ready(s))
		return 0;
	if (deadline == OW_DEADLINE_NOW)
		return at_once;
	if (world_wait(ready, s, deadline == OW_DEADLINE_NEVER ? WORLD_FOREVER
							       : deadline))
		return 0;
	return OW_QUEUE_TIMEOUT;
}

static int put(struct store *s, struct ow_envelope *e, unsigned int prio)
{
	size_t len = ow_envelope_len(e);
	struct message *m = malloc(sizeof(*m) + len), **at;

	if (m == NULL)
		return -ENOMEM;
	m->prio = prio;
	m->len = len;
	memcpy(m->bytes, e->head, len);
	for (at = &s->first; *at != NULL && (*at)->prio >= prio;
	     at = &(*at)->next)
		;
	m->next = *at;
	*at = m;
	s->depth++;
	e->payload.owner = OW_PAYLOAD_UNOWNED;
	return 0;
}

static int send_message(struct ow_queue *q, struct ow_envelope *e,
			unsigned int prio, uint64_t deadline)
{
	struct store *s = of(q)->store;
	int r = await(s, has_room, deadline, OW_QUEUE_FULL);

	if (r == 0)
		r = put(s, e, prio);
	if (r == 0)
		world_yield();
	return r;
}

static int recv_message(struct ow_queue *q, struct ow_envelope *e,
			uint64_t deadline)
{
	struct store *s = of(q)->store;
	struct message *m;
	size_t len;
	int r = await(s, has_message, deadline, OW_QUEUE_EMPTY);

	if (r != 0)
		return r;
	m = s->first;
	if (m->len > e->room)
		return -EMSGSIZE;
	s->first = m->next;
	s->depth--;
	len = m->len;
	memcpy(e->head, m->bytes, len);
	free(m);
	return ow_envelope_accept(e, len) == 0 ? 0 : OW_QUEUE_GARBAGE;
}

struct pair {
	struct store *full, *in;
};

static bool either(void *pair)
{
	struct pair *p = pair;

	return has_room(p->full) || has_message(p->in);
}

static int wait_either(struct ow_queue *full, struct ow_queue *in,
		       uint64_t deadline)
{
	struct pair p = { of(full)->store, of(in)->store };

	if (ow_deadline_passed(deadline, ow_clock_mono_ns()))
		return OW_QUEUE_TIMEOUT;
	world_wait(either, &p, deadline == OW_DEADLINE_NEVER ? WORLD_FOREVER
							     : deadline);
	return 0;
}

/* All servers of a queue are told of each message. */
static void nudge(struct ow_queue *q)
{
	(void)q;
}

/* ---- waiting servers ---- */

static int waitset_open(struct ow_domain *d, uint32_t srvid,
			struct ow_waitset **ret)
{
	struct local_waitset *w = calloc(1, sizeof(*w));

	(void)d, (void)srvid;
	if (w == NULL)
		return -ENOMEM;
	w->base.transport = &ow_transport_local;
	*ret = &w->base;
	return 0;
}

static void waitset_close(struct ow_waitset *w)
{
	free(w);
}

static int add_queue(struct ow_waitset *base, struct ow_queue *q, uint32_t tag)
{
	struct local_waitset *w = set_of(base);

	w->members[w->n++] = (struct member){ of(q), tag };
	return 0;
}

static int del_queue(struct ow_waitset *base, struct ow_queue *q)
{
	struct local_waitset *w = set_of(base);
	uint32_t i;

	for (i = 0; i < w->n; i++)
		if (w->members[i].q == of(q)) {
			w->members[i] = w->members[--w->n];
			return 0;
		}
	return -ENOENT;
}

/* Nothing outside of the world is waited for. */
static int add_fd(struct ow_waitset *w, int fd, uint32_t events, uint32_t tag,
		  enum ow_waitset_fd how)
{
	(void)w, (void)fd, (void)events, (void)tag, (void)how;
	return 0;
}

static int del_fd(struct ow_waitset *w, int fd, enum ow_waitset_fd how)
{
	(void)w, (void)fd;
	return 0;
}

static int tick(struct ow_waitset *base, uint64_t period_ns)
{
	struct local_waitset *w = set_of(base);

	w->period_ns = period_ns;
	w->tick_ns = period_ns != 0 ? world_now() + period_ns : WORLD_FOREVER;
	return 0;
}

static void kick(struct ow_waitset *w)
{
	set_of(w)->kicked = true;
}

/* The tag of something that is ready: members in an order by the seed. */
static bool find_ready(struct local_waitset *w, uint32_t *ret_tag)
{
	uint32_t i, from = w->n > 0 ? world_random(w->n) : 0;

	if (w->kicked) {
		w->kicked = false;
		*ret_tag = OW_WAITSET_KICK;
		return true;
	}
	for (i = 0; i < w->n; i++) {
		struct member *m = &w->members[(from + i) % w->n];

		if (has_message(m->q->store)) {
			*ret_tag = m->tag;
			return true;
		}
	}
	if (w->tick_ns == 0 || world_now() < w->tick_ns)
		return false;
	w->tick_ns = world_now() + w->period_ns;
	*ret_tag = OW_WAITSET_TICK;
	return true;
}

static bool anything(void *waitset)
{
	struct local_waitset *w = waitset;
	uint32_t i;

	for (i = 0; i < w->n; i++)
		if (has_message(w->members[i].q->store))
			return true;
	return w->kicked;
}

static int wait_set(struct ow_waitset *base, bool wait, uint32_t *ret_tag,
		    uint32_t *ret_events)
{
	struct local_waitset *w = set_of(base);

	(void)ret_events;
	world_yield();
	while (!find_ready(w, ret_tag)) {
		if (!wait)
			return OW_QUEUE_TIMEOUT;
		world_wait(anything, w,
			   w->tick_ns != 0 ? w->tick_ns : WORLD_FOREVER);
	}
	return 0;
}

/* ---- the request in hand ---- */

static void *record(struct ow_domain *d, uint32_t srvid)
{
	(void)d;
	return records[srvid];
}

static struct ow_msg *recorded(struct ow_domain *d, uint32_t srvid)
{
	return record(d, srvid);
}

struct reclaim {
	struct ow_domain *dom;
	ow_refuse_fn *settle;
	struct ow_record_full full;
};

/* This process lives: only postponed refusals are left to nobody. */
static bool reclaim_one(const struct ow_orphan *o, void *arg)
{
	struct reclaim *r = arg;

	if (o->kind == OW_BLOCK_TAKEN)
		ow_record_reclaim(r->dom, o, r->settle, &r->full);
	return false;
}

static int reclaim_of(struct ow_domain *d, uint32_t prc, ow_refuse_fn *settle)
{
	struct reclaim r = { d, settle, { OW_CLT_MAX } };

	return ow_blocks_sweep(d->blocks, prc, reclaim_one, &r);
}

/* What is no request goes to its context although there is no room. */
static int postpone(struct ow_domain *d, struct ow_envelope *e)
{
	struct store *s;
	int r;

	if (e->head->kind == OW_MSG_REQUEST)
		return ow_record_postpone(d, e);
	s = find(ow_mailbox(e->head->clt_slot));
	r = s != NULL ? put(s, e, 50) : 0;
	ow_envelope_close(e);
	return r;
}

static int reclaim(struct ow_domain *d, ow_refuse_fn *settle)
{
	return reclaim_of(d, 0, settle);
}

/* Its servers are few, and poll by the clock of the test. */
static bool bounds_polls(const struct ow_domain *d)
{
	(void)d;
	return false;
}

static const enum ow_wake wakes[] = { OW_WAKE_EVEN };

const struct ow_transport ow_transport_local = {
	.name = "local",
	.about = "lists in one process, for tests",
	.id = 99,
	.wakes = wakes,
	.nwakes = 1,

	.read_shapes = read_shapes,
	.bounds_polls = bounds_polls,

	.create = create,
	.open = open_queue,
	.close = close_queue,
	.remove = remove_queue,
	.peek = peek,
	.depth = depth,

	.send = send_message,
	.recv = recv_message,
	.wait_either = wait_either,
	.nudge = nudge,

	.waitset_open = waitset_open,
	.waitset_close = waitset_close,
	.add_queue = add_queue,
	.del_queue = del_queue,
	.add_fd = add_fd,
	.del_fd = del_fd,
	.tick = tick,
	.kick = kick,
	.wait = wait_set,

	.record = record,
	.recorded = recorded,
	.reclaim = reclaim,
	.reclaim_of = reclaim_of,
	.drain_into = ow_record_open,
	.postpone = postpone,
};
