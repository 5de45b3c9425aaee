/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - reply queues that a server keeps open
 */
#include "libatmi/reply/queues.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Slots of clients are small numbers, close together. */
#define HASH_FUNCTION(key, len, hashv) \
	((hashv) = *(const uint32_t *)(key) * 0x9e3779b9u >> 16)
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/domain/tables.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/transport.h"

struct ow_kept_queue {
	UT_hash_handle hh;
	uint32_t slot, gen;
	struct ow_queue *queue; /* NULL until the second request */
};

bool ow_reply_client_lives(const struct ow_domain *d, const struct ow_msg *m)
{
	return ow_clt_lives(d->tables, m->clt_slot, m->clt_gen);
}

static void drop(struct ow_reply_queues *qs, struct ow_kept_queue *k)
{
	HASH_DEL(qs->kept, k);
	if (qs->last == k)
		qs->last = NULL;
	ow_queue_close(k->queue);
	free(k);
}

void ow_reply_queues_sweep(struct ow_domain *d, struct ow_reply_queues *qs)
{
	struct ow_kept_queue *k, *next;

	HASH_ITER(hh, qs->kept, k, next)
	{
		if (!ow_clt_lives(d->tables, k->slot, k->gen))
			drop(qs, k);
	}
}

void ow_reply_queues_close(struct ow_reply_queues *qs)
{
	struct ow_kept_queue *k, *next;

	HASH_ITER(hh, qs->kept, k, next)
	{
		drop(qs, k);
	}
}

/* Open the queue of a client slot. When the process is out of descriptors,
 * those that it keeps for speed are given up first. */
static int open_slot(struct ow_domain *d, struct ow_reply_queues *qs,
		     uint32_t slot, struct ow_queue **ret)
{
	struct ow_kept_queue *k, *next;
	int r = ow_queue_open(d, ow_reply_queue(slot), ret);

	if ((r == -EMFILE || r == -ENFILE) && qs != NULL) {
		HASH_ITER(hh, qs->kept, k, next)
		{
			k->queue = ow_queue_close(k->queue);
		}
		r = ow_queue_open(d, ow_reply_queue(slot), ret);
	}
	return r == OW_QUEUE_GONE ? OW_REPLY_UNWANTED : r;
}

/* The first request of a client: remember it. Out of memory it is not, and
 * the queue will not be kept. */
static void remember(struct ow_reply_queues *qs, const struct ow_msg *m)
{
	struct ow_kept_queue *k = calloc(1, sizeof(*k));

	if (k == NULL)
		return;
	k->slot = m->clt_slot;
	k->gen = m->clt_gen;
	HASH_ADD(hh, qs->kept, slot, sizeof(uint32_t), k);
	if (k->hh.tbl == NULL)
		free(k);
}

static bool is_open(const struct ow_kept_queue *k, const struct ow_msg *m)
{
	return k != NULL && k->slot == m->clt_slot && k->gen == m->clt_gen &&
	       k->queue != NULL;
}

__attribute__((noinline)) static int
find_or_open(struct ow_domain *d, struct ow_reply_queues *qs,
	     const struct ow_msg *m, struct ow_queue **ret, bool *ret_own)
{
	struct ow_kept_queue *k = NULL;
	int r;

	*ret_own = true;
	if (qs != NULL)
		HASH_FIND(hh, qs->kept, &m->clt_slot, sizeof(uint32_t), k);
	if (is_open(k, m)) {
		qs->last = k;
		*ret = k->queue;
		*ret_own = false;
		return 0;
	}
	r = open_slot(d, qs, m->clt_slot, ret);
	if (r != 0 || qs == NULL)
		return r;
	if (k != NULL && k->gen == m->clt_gen) { /* second request: keep */
		k->queue = *ret;
		*ret_own = false;
		return 0;
	}
	if (k != NULL)
		drop(qs, k);
	remember(qs, m);
	return 0;
}

int ow_reply_queue_open(struct ow_domain *d, struct ow_reply_queues *qs,
			const struct ow_msg *m, struct ow_queue **ret,
			bool *ret_own)
{
	if (qs == NULL || !is_open(qs->last, m))
		return find_or_open(d, qs, m, ret, ret_own);
	*ret = qs->last->queue;
	*ret_own = false;
	return 0;
}
