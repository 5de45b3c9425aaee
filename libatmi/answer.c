/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - send the reply to a request
 *
 * A queue that somebody holds open counts against the byte limit even after
 * its name is gone. So a client's reply queue is kept open only from its
 * second request on (clients that call once and leave cost nothing), and the
 * sweep closes those of clients that have left.
 */
#include "libatmi/answer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <xatmi.h>

#include "libatmi/block.h"
#include "libatmi/clock.h"
#include "libatmi/queue.h"
#include "libatmi/tables.h"

#define LIVENESS_NS UINT64_C(200000000) /* look at a slow client this often */

struct entry {
	UT_hash_handle hh;
	uint32_t slot, gen;
	struct ow_queue *queue; /* NULL until the second request */
};

struct ow_answers {
	struct ow_domain *dom;
	struct entry *entries;
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

struct ow_answers *ow_answers_close(struct ow_answers *as)
{
	struct entry *e, *next;

	if (as == NULL)
		return NULL;
	HASH_ITER(hh, as->entries, e, next)
	{
		drop(as, e);
	}
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
	const struct ow_clt *c = &d->tables->clt[slot];
	char name[sizeof(c->queue)];
	int r;

	memcpy(name, c->queue, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	r = ow_queue_open(d, name, ret);
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

static int pack(struct ow_domain *d, const struct ow_answer *a, size_t room,
		struct parcel *p)
{
	void *to;
	int r;

	memset(&p->m, 0, sizeof(p->m));
	p->m.magic = OW_MSG_MAGIC;
	p->m.version = OW_MSG_VERSION;
	p->m.kind = OW_MSG_REPLY;
	p->m.buftype = (uint8_t)a->type;
	p->m.clt_slot = a->request->clt_slot;
	p->m.clt_gen = a->request->clt_gen;
	p->m.cd = a->request->cd;
	p->m.seq = a->request->seq;
	p->m.deadline_ns = a->request->deadline_ns;
	p->m.tperr = a->tperr;
	p->m.urcode = a->urcode;
	p->m.len = a->wire_len;
	p->len = sizeof(p->m);
	if (a->wire_len == 0)
		return 0;
	if (room <= sizeof(p->bytes) && room >= sizeof(p->m) &&
	    a->wire_len <= room - sizeof(p->m)) {
		memcpy(p->bytes + sizeof(p->m), a->data, a->wire_len);
		p->len += a->wire_len;
		return 0;
	}
	r = ow_block_alloc(d->blocks, a->wire_len, a->request->deadline_ns,
			   &p->m.block, &to);
	if (r != 0)
		return r == OW_BLOCK_FULL ? OW_ANSWER_NOROOM : r;
	memcpy(to, a->data, a->wire_len);
	return 0;
}

/* Send before the deadline, looking now and then whether the client is
 * still there. */
static int push(struct ow_domain *d, struct ow_queue *q,
		const struct ow_answer *a, const struct parcel *p)
{
	uint64_t now, until = a->deadline_ns;
	int r;

	for (;;) {
		if (a->deadline_ns != OW_QUEUE_NOWAIT) {
			now = ow_clock_mono_ns();
			until = now + LIVENESS_NS;
			if (a->deadline_ns != OW_QUEUE_FOREVER &&
			    a->deadline_ns < until)
				until = a->deadline_ns;
		}
		r = ow_queue_send(q, p->bytes, p->len, 50, until);
		if (r == 0 || r < 0)
			return r;
		if (!client_there(d, p->m.clt_slot, p->m.clt_gen))
			return OW_ANSWER_NOBODY;
		if (r == OW_QUEUE_FULL ||
		    (r == OW_QUEUE_TIMEOUT && until == a->deadline_ns))
			return OW_ANSWER_FULL;
	}
}

int ow_answer_send(struct ow_domain *d, struct ow_answers *as,
		   const struct ow_answer *a)
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
		r = push(d, q, a, &p);
		/* A client that left meanwhile has emptied its queue perhaps
		 * before our reply came: then nobody else frees the block. */
		if (p.m.block != 0 &&
		    (r != 0 || !client_there(d, p.m.clt_slot, p.m.clt_gen)))
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
