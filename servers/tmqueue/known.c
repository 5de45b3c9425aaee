/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - the branches of transactions that have begun at this tmqueue
 */
#include "servers/tmqueue/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "drivers/aqdisk/xid.h"
#include "libatmi/base/clock.h"
#include "libatmi/tran/tm.h"

#define AGAIN_NS (5 * OW_NS_PER_SEC)

struct known_branch {
	UT_hash_handle hh;
	struct ow_mq_xid xid; /* what is not used of it is 0 */
	bool is_ours;	      /* a tmsrv can be asked about it */
	uint64_t left_ns;     /* from then on it is left */
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

/* Lock held. */
static void go_on(const struct known *k, struct known_branch *b)
{
	b->left_ns = ow_clock_mono_ns() +
		     (b->is_ours ? k->keep_ns : k->keep_other_ns);
}

static bool is_ours(const struct ow_mq_xid *xid)
{
	XID x = xid_back(xid);
	struct ow_tm of;

	return ow_tm_read_xid(&x, &of);
}

void known_init(struct known *k, uint64_t keep_ns, uint64_t keep_other_ns)
{
	pthread_condattr_t attr;

	memset(k, 0, sizeof(*k));
	k->keep_ns = keep_ns;
	k->keep_other_ns = keep_other_ns;
	k->again_ns = keep_ns < AGAIN_NS ? keep_ns : AGAIN_NS;
	pthread_mutex_init(&k->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&k->come, &attr);
	pthread_condattr_destroy(&attr);
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
		go_on(k, b);
	} else {
		b = calloc(1, sizeof(*b));
		r = b == NULL ? -ENOMEM : 0;
		if (b != NULL) {
			b->xid = clean(xid);
			b->is_ours = is_ours(&b->xid);
			go_on(k, b);
			HASH_ADD(hh, k->first, xid, sizeof(b->xid), b);
			if (b->hh.tbl == NULL) {
				free(b);
				r = -ENOMEM;
			}
		}
		if (r == 0 && k->sleeps)
			pthread_cond_signal(&k->come);
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
		go_on(k, b);
	pthread_mutex_unlock(&k->lock);
	return has ? 0 : -ESTALE;
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

/* Lock held. One that is left. */
static struct known_branch *find_left(struct known *k, uint64_t now)
{
	struct known_branch *b, *next;

	HASH_ITER(hh, k->first, b, next)
	{
		if (!b->leaves && b->left_ns <= now)
			return b;
	}
	return NULL;
}

/* Lock held. Until there may be one: a look in time, as long as there are
 * branches at all. */
static void sleep_on(struct known *k, uint64_t now)
{
	uint64_t until = now + k->again_ns;
	struct timespec ts = { .tv_sec = (time_t)(until / OW_NS_PER_SEC),
			       .tv_nsec = (long)(until % OW_NS_PER_SEC) };

	k->sleeps = k->first == NULL;
	if (k->sleeps)
		pthread_cond_wait(&k->come, &k->lock);
	else
		pthread_cond_timedwait(&k->come, &k->lock, &ts);
	k->sleeps = false;
}

bool known_wait_left(struct known *k, struct ow_mq_xid *ret)
{
	struct known_branch *b = NULL;
	uint64_t now;

	pthread_mutex_lock(&k->lock);
	while (!k->stop) {
		now = ow_clock_mono_ns();
		b = find_left(k, now);
		if (b != NULL)
			break;
		sleep_on(k, now);
	}
	if (!k->stop) {
		b->left_ns = now + k->again_ns;
		*ret = b->xid;
	}
	pthread_mutex_unlock(&k->lock);
	return b != NULL;
}

void known_stop(struct known *k)
{
	pthread_mutex_lock(&k->lock);
	k->stop = true;
	pthread_cond_signal(&k->come);
	pthread_mutex_unlock(&k->lock);
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
