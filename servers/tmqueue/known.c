/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - the branches of transactions that have begun at this tmqueue
 */
#include "servers/tmqueue/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/base/clock.h"

struct known_branch {
	UT_hash_handle hh;
	struct ow_mq_xid xid; /* what is not used of it is 0 */
	uint64_t since_ns;    /* the last time that somebody began to work */
	uint64_t until_ns;    /* its transaction lasts so long, at least */
	bool leaves;	      /* it ends with this batch */
	struct known_branch *next; /* of those */
};

/* As a key: without what happens to lie behind the data. */
static struct ow_mq_xid clean(const struct ow_mq_xid *xid)
{
	struct ow_mq_xid x;

	memset(&x, 0, sizeof(x));
	x.format = xid->format;
	x.gtrid = xid->gtrid;
	x.bqual = xid->bqual;
	memcpy(x.data, xid->data, (size_t)xid->gtrid + xid->bqual);
	return x;
}

/* Lock held. */
static struct known_branch *find(struct known *k, const struct ow_mq_xid *xid)
{
	struct ow_mq_xid x = clean(xid);
	struct known_branch *b = NULL;

	HASH_FIND(hh, k->first, &x, sizeof(x), b);
	return b;
}

void known_init(struct known *k)
{
	pthread_mutex_init(&k->lock, NULL);
	k->first = k->leaving = NULL;
}

void known_free(struct known *k)
{
	struct known_branch *b, *next;

	HASH_ITER(hh, k->first, b, next)
	{
		HASH_DEL(k->first, b);
		free(b);
	}
}

int known_add(struct known *k, const struct ow_mq_xid *xid)
{
	struct known_branch *b;
	int r = 0;

	pthread_mutex_lock(&k->lock);
	b = find(k, xid);
	if (b != NULL && b->leaves) {
		r = -ESTALE;
	} else if (b != NULL) {
		b->since_ns = ow_clock_mono_ns();
	} else {
		b = calloc(1, sizeof(*b));
		r = b == NULL ? -ENOMEM : 0;
		if (b != NULL) {
			b->xid = clean(xid);
			b->since_ns = ow_clock_mono_ns();
			HASH_ADD(hh, k->first, xid, sizeof(b->xid), b);
			if (b->hh.tbl == NULL) {
				free(b);
				r = -ENOMEM;
			}
		}
	}
	pthread_mutex_unlock(&k->lock);
	return r;
}

int known_go_on(struct known *k, const struct ow_mq_xid *xid)
{
	struct known_branch *b;
	bool has;

	pthread_mutex_lock(&k->lock);
	b = find(k, xid);
	has = b != NULL && !b->leaves;
	if (has)
		b->since_ns = ow_clock_mono_ns();
	pthread_mutex_unlock(&k->lock);
	return has ? 0 : -ESTALE;
}

void known_keep(struct known *k, const struct ow_mq_xid *xid, uint64_t until)
{
	struct known_branch *b;

	pthread_mutex_lock(&k->lock);
	b = find(k, xid);
	if (b != NULL && b->until_ns < until)
		b->until_ns = until;
	pthread_mutex_unlock(&k->lock);
}

bool known_any(struct known *k)
{
	bool any;

	pthread_mutex_lock(&k->lock);
	any = k->first != NULL;
	pthread_mutex_unlock(&k->lock);
	return any;
}

bool known_has(struct known *k, const struct ow_mq_xid *xid)
{
	const struct known_branch *b;
	bool has;

	pthread_mutex_lock(&k->lock);
	b = find(k, xid);
	has = b != NULL && !b->leaves;
	pthread_mutex_unlock(&k->lock);
	return has;
}

bool known_oldest(struct known *k, uint64_t before, struct ow_mq_xid *ret)
{
	struct known_branch *b, *next, *old = NULL;
	uint64_t now = ow_clock_mono_ns();

	pthread_mutex_lock(&k->lock);
	HASH_ITER(hh, k->first, b, next)
	{
		if (!b->leaves && b->since_ns < before && b->until_ns < now &&
		    (old == NULL || b->since_ns < old->since_ns))
			old = b;
	}
	if (old != NULL)
		*ret = old->xid;
	pthread_mutex_unlock(&k->lock);
	return old != NULL;
}

bool known_any_leaves(struct known *k)
{
	bool any;

	pthread_mutex_lock(&k->lock);
	any = k->leaving != NULL;
	pthread_mutex_unlock(&k->lock);
	return any;
}

bool known_leave(struct known *k, const struct ow_mq_xid *xid)
{
	struct known_branch *b;
	bool was;

	pthread_mutex_lock(&k->lock);
	b = find(k, xid);
	was = b != NULL && !b->leaves;
	if (was) {
		b->leaves = true;
		b->next = k->leaving;
		k->leaving = b;
	}
	pthread_mutex_unlock(&k->lock);
	return was;
}

void known_settle(struct known *k, bool on_disk)
{
	struct known_branch *b;

	pthread_mutex_lock(&k->lock);
	while ((b = k->leaving) != NULL) {
		k->leaving = b->next;
		b->leaves = false;
		if (on_disk) {
			HASH_DEL(k->first, b);
			free(b);
		}
	}
	pthread_mutex_unlock(&k->lock);
}
