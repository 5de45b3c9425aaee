/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - send the reply to a request
 *
 * A queue that somebody holds open counts against the byte limit even after
 * its name is gone. So a client's reply queue is kept open only from its
 * second request on (clients that call once and leave cost nothing), and the
 * sweep closes those of clients that have left.
 */
#include "libatmi/answer/answer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

/* Slots of clients are small numbers, close together. */
#define HASH_FUNCTION(key, len, hashv) \
	((hashv) = *(const uint32_t *)(key) * 0x9e3779b9u >> 16)
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/probe.h"
#include "libatmi/transport/queue.h"
#include "libatmi/domain/tables.h"

#define LIVENESS_NS UINT64_C(200000000) /* look at a slow client this often */
#define PATIENCE_NS UINT64_C(20000000)	/* then its reply is parked */
#define PARKED_MAX  4096u		/* then the server waits after all */

struct entry {
	UT_hash_handle hh;
	uint32_t slot, gen;
	struct ow_queue *queue; /* NULL until the second request */
};

/* A reply as it would lie in the queue. Should the server die, its caller
 * sees the time-out: only the request in hand is on record. */
struct parked {
	struct parked *next;
	uint64_t deadline_ns;
	size_t len;
	_Alignas(struct ow_msg) uint8_t bytes[];
};

struct ow_answers {
	struct ow_domain *dom;
	struct entry *entries;
	struct parked *parked;
	uint32_t nparked;
};

int ow_answers_open(struct ow_domain *d, struct ow_answers **ret)
{
	struct ow_answers *as = calloc(1, sizeof(*as));

	if (as == NULL)
		return -ENOMEM;
	as->dom = d;
	*ret = as;
	return 0;
}

static void drop(struct ow_answers *as, struct entry *e)
{
	HASH_DEL(as->entries, e);
	ow_queue_close(e->queue);
	free(e);
}

/* Take the reply that `at` points to off the list. */
static void unpark(struct ow_answers *as, struct parked **at, bool lost)
{
	struct parked *p = *at;
	const struct ow_msg *m = (const struct ow_msg *)p->bytes;

	if (lost && m->block != 0)
		ow_block_free(as->dom->blocks, m->block);
	*at = p->next;
	as->nparked--;
	free(p);
}

struct ow_answers *ow_answers_close(struct ow_answers *as)
{
	struct entry *e, *next;

	if (as == NULL)
		return NULL;
	HASH_ITER(hh, as->entries, e, next)
	{
		drop(as, e);
	}
	while (as->parked != NULL)
		unpark(as, &as->parked, true);
	free(as);
	return NULL;
}

static bool client_there(const struct ow_domain *d, uint32_t slot,
			 uint32_t gen)
{
	/* Slots past the mark were never used: do not touch their pages. */
	return slot < atomic_load(&d->tables->head->clt_high) &&
	       (gen & 1) == 1 &&
	       atomic_load(&d->tables->clt[slot].gen) == gen;
}

void ow_answers_sweep(struct ow_answers *as)
{
	struct entry *e, *next;

	HASH_ITER(hh, as->entries, e, next)
	{
		if (!client_there(as->dom, e->slot, e->gen))
			drop(as, e);
	}
}

static int open_queue(struct ow_domain *d, uint32_t slot,
		      struct ow_queue **ret)
{
	int r = ow_queue_open_reply(d, slot, ret);

	return r == OW_QUEUE_GONE ? OW_ANSWER_NOBODY : r;
}

/* The same; when the process is out of descriptors, those that it keeps for
 * speed are given up first. */
static int open_somehow(struct ow_domain *d, struct ow_answers *as,
			uint32_t slot, struct ow_queue **ret)
{
	struct entry *e, *next;
	int r = open_queue(d, slot, ret);

	if ((r != -EMFILE && r != -ENFILE) || as == NULL)
		return r;
	HASH_ITER(hh, as->entries, e, next)
	{
		e->queue = ow_queue_close(e->queue);
	}
	return open_queue(d, slot, ret);
}

/* The client's queue; *ret_own when the caller must close it. */
static int find_queue(struct ow_domain *d, struct ow_answers *as,
		      const struct ow_msg *rq, struct ow_queue **ret,
		      bool *ret_own)
{
	struct entry *e = NULL;
	int r;

	*ret_own = true;
	if (as != NULL)
		HASH_FIND(hh, as->entries, &rq->clt_slot, sizeof(uint32_t), e);
	if (e != NULL && e->gen == rq->clt_gen && e->queue != NULL) {
		*ret = e->queue;
		*ret_own = false;
		return 0;
	}
	r = open_somehow(d, as, rq->clt_slot, ret);
	if (r != 0 || as == NULL)
		return r;
	if (e != NULL && e->gen == rq->clt_gen) { /* second request: keep */
		e->queue = *ret;
		*ret_own = false;
		return 0;
	}
	if (e != NULL)
		drop(as, e);
	e = calloc(1, sizeof(*e));
	if (e != NULL) {
		e->slot = rq->clt_slot;
		e->gen = rq->clt_gen;
		HASH_ADD(hh, as->entries, slot, sizeof(uint32_t), e);
		if (e->hh.tbl == NULL)
			free(e); /* it will not be kept, that is all */
	}
	return 0;
}

struct parcel {
	union {
		struct ow_msg m;
		uint8_t bytes[OW_RX_SIZE];
	};
	size_t len;
};

static void put_payload(const struct ow_answer *a, uint8_t *to)
{
	if (a->sub_len != 0)
		memcpy(to, a->subtype, a->sub_len);
	memcpy(to + a->sub_len, a->data, a->wire_len - a->sub_len);
}

static void fill_head(const struct ow_answer *a, struct ow_msg *m)
{
	memset(m, 0, sizeof(*m));
	m->magic = OW_MSG_MAGIC;
	m->version = OW_MSG_VERSION;
	m->kind = OW_MSG_REPLY;
	m->svc = a->request->svc;
	m->buftype = (uint8_t)a->type;
	m->clt_slot = a->request->clt_slot;
	m->clt_gen = a->request->clt_gen;
	m->cd = a->request->cd;
	m->seq = a->request->seq;
	memcpy(m->trace_id, a->request->trace_id, sizeof(m->trace_id));
	memcpy(m->span_id, a->request->span_id, sizeof(m->span_id));
	m->deadline_ns = a->request->deadline_ns;
	m->tperr = a->tperr;
	m->urcode = a->urcode;
	m->len = a->wire_len;
	m->sub_len = a->sub_len;
}

static int pack(struct ow_domain *d, struct ow_answer *a, size_t room,
		struct parcel *p)
{
	void *to;
	int r;

	fill_head(a, &p->m);
	p->len = sizeof(p->m);
	if (a->wire_len == 0) {
		a->block = 0;
		return 0;
	}
	if (room <= sizeof(p->bytes) && room >= sizeof(p->m) &&
	    a->wire_len <= room - sizeof(p->m)) {
		put_payload(a, p->bytes + sizeof(p->m));
		a->block = 0;
		p->len += a->wire_len;
		return 0;
	}
	if (a->block != 0) {
		p->m.block = a->block;
		return 0;
	}
	/* Without deadline: the caller may fetch a reply long after it. */
	r = ow_block_alloc(d->blocks, a->wire_len, 0, &p->m.block, &to);
	if (r != 0)
		return r == OW_BLOCK_FULL ? OW_ANSWER_NOROOM : r;
	put_payload(a, to);
	return 0;
}

/* The reply is queued: its block is the client's, no longer this server's. A
 * client that left meanwhile has emptied its queue perhaps before our reply
 * came: then nobody else frees the block. */
static void hand_over(struct ow_domain *d, const struct ow_msg *m)
{
	const struct ow_clt *c = &d->tables->clt[m->clt_slot];

	if (m->block == 0)
		return;
	ow_block_pass_on(d->blocks, m->block, atomic_load(&c->prc));
	if (!client_there(d, m->clt_slot, m->clt_gen))
		ow_block_free(d->blocks, m->block);
}

/* Send before `deadline_ns`, looking now and then whether the client is still
 * there. FULL: it is, and its queue too. */
static int push(struct ow_domain *d, struct ow_queue *q, uint64_t deadline_ns,
		const struct parcel *p)
{
	uint64_t until = deadline_ns;
	int r;

	for (;;) {
		if (deadline_ns != OW_QUEUE_NOWAIT) {
			until = ow_clock_mono_ns() + LIVENESS_NS;
			if (deadline_ns != OW_QUEUE_FOREVER &&
			    deadline_ns < until)
				until = deadline_ns;
		}
		r = ow_queue_send(q, p->bytes, p->len, 50, until);
		if (r == 0)
			hand_over(d, &p->m);
		if (r == 0 || r < 0)
			return r;
		if (!client_there(d, p->m.clt_slot, p->m.clt_gen))
			return OW_ANSWER_NOBODY;
		if (r == OW_QUEUE_FULL ||
		    (r == OW_QUEUE_TIMEOUT && until == deadline_ns))
			return OW_ANSWER_FULL;
	}
}

static int park(struct ow_answers *as, const struct ow_answer *a,
		const struct parcel *p)
{
	struct parked *k;

	if (as->nparked >= PARKED_MAX)
		return OW_ANSWER_FULL;
	k = malloc(sizeof(*k) + p->len);
	if (k == NULL)
		return OW_ANSWER_FULL;
	k->deadline_ns = a->deadline_ns;
	k->len = p->len;
	memcpy(k->bytes, p->bytes, p->len);
	k->next = as->parked;
	as->parked = k;
	as->nparked++;
	return OW_ANSWER_PARKED;
}

/* Has this client a reply parked already? Then there is no use in waiting. */
static bool is_lazy(const struct ow_answers *as, const struct parcel *p)
{
	const struct parked *k;

	for (k = as->parked; k != NULL; k = k->next)
		if (((const struct ow_msg *)k->bytes)->clt_slot ==
		    p->m.clt_slot)
			return true;
	return false;
}

/* Send with some patience, park with some more; wait only at the limit. */
static int push_or_park(struct ow_answers *as, struct ow_queue *q,
			const struct ow_answer *a, const struct parcel *p)
{
	uint64_t until;
	int r = push(as->dom, q, OW_QUEUE_NOWAIT, p);

	if (r != OW_ANSWER_FULL)
		return r;
	until = ow_clock_mono_ns() + PATIENCE_NS;
	if (is_lazy(as, p))
		until = OW_QUEUE_NOWAIT;
	else if (a->deadline_ns != OW_QUEUE_FOREVER && a->deadline_ns < until)
		until = a->deadline_ns;
	r = push(as->dom, q, until, p);
	if (r != OW_ANSWER_FULL || until == a->deadline_ns)
		return r;
	r = park(as, a, p);
	if (r == OW_ANSWER_FULL)
		r = push(as->dom, q, a->deadline_ns, p);
	return r;
}

/* One parked reply: 0 sent, FULL, or not to be sent any more. */
static int retry(struct ow_answers *as, struct parked *k)
{
	struct ow_msg *m = (struct ow_msg *)k->bytes;
	struct ow_queue *q = NULL;
	bool own = false;
	int r;

	if (!client_there(as->dom, m->clt_slot, m->clt_gen))
		return OW_ANSWER_NOBODY;
	if (k->deadline_ns != OW_QUEUE_FOREVER &&
	    ow_clock_mono_ns() > k->deadline_ns)
		return OW_ANSWER_NOBODY;
	r = find_queue(as->dom, as, m, &q, &own);
	if (r != 0)
		return r;
	r = ow_queue_send(q, k->bytes, k->len, 50, OW_QUEUE_NOWAIT);
	if (r == 0)
		hand_over(as->dom, m);
	if (own)
		ow_queue_close(q);
	return r == OW_QUEUE_FULL ? OW_ANSWER_FULL : r;
}

void ow_answers_retry(struct ow_answers *as, uint32_t *ret_lost)
{
	struct parked **at = &as->parked;
	int r;

	*ret_lost = 0;
	while (*at != NULL) {
		r = retry(as, *at);
		if (r == OW_ANSWER_FULL || r == OW_QUEUE_SIGNAL) {
			at = &(*at)->next;
			continue;
		}
		*ret_lost += r != 0;
		unpark(as, at, r != 0);
	}
}

uint32_t ow_answers_parked(const struct ow_answers *as)
{
	return as->nparked;
}

int ow_answer_send(struct ow_domain *d, struct ow_answers *as,
		   struct ow_answer *a)
{
	struct ow_queue *q = NULL;
	struct parcel p;
	bool own = false;
	int r;

	if (a->request->cd == 0 ||
	    !client_there(d, a->request->clt_slot, a->request->clt_gen))
		return OW_ANSWER_NOBODY;
	r = find_queue(d, as, a->request, &q, &own);
	if (r != 0)
		return r;
	p.m.block = 0;
	r = pack(d, a, ow_queue_msgsize(q), &p);
	if (r == 0) {
		OW_PROBE3(reply_sent, p.m.span_id, p.m.tperr, p.m.len);
		if (as != NULL && a->deadline_ns != OW_QUEUE_NOWAIT)
			r = push_or_park(as, q, a, &p);
		else
			r = push(d, q, a->deadline_ns, &p);
		if (p.m.block != 0 && p.m.block != a->block && r != 0 &&
		    r != OW_ANSWER_PARKED)
			ow_block_free(d->blocks, p.m.block);
	}
	if (own)
		ow_queue_close(q);
	return r;
}

int ow_answer_error(struct ow_domain *d, const struct ow_msg *request,
		    int tperr)
{
	struct ow_answer a = { .request = request,
			       .tperr = tperr,
			       .type = OW_BUF_NULL,
			       .deadline_ns = OW_QUEUE_NOWAIT };

	return ow_answer_send(d, NULL, &a);
}
