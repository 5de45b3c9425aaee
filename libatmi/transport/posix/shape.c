/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - how large POSIX message queues may be under the kernel's limits
 *
 * RLIMIT_MSGQUEUE counts maxmsg * (msgsize + 96) bytes for each queue of a
 * user. Queues get smaller shapes before the limit is reached, so that the
 * last service gets a queue too. A domain of many services gets smaller queues
 * from the first one on (mq_share, limits.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/setting.h"
#include "libatmi/transport/posix/posix.h"
#include "libubf/base/uncancelled.h"

/* With stock limits these allow 73 services. */
#define MAXMSG	    10u
#define MSGSIZE	    1024u
#define MSGSIZE_MIN 192u

/* Shapes to fall back to when bytes run out, largest first. The smallest
 * still holds a header and a block reference. */
static const struct ow_queue_shape shapes[] = {
	{ 10, 1024 }, { 10, 512 }, { 6, 512 }, { 4, 512 }, { 4, 256 },
	{ 2, 192 },
};

/* The shapes above 60 % and 85 % of the limit. */
#define SHAPE_60 2
#define SHAPE_85 4
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

uint32_t ow_posix_limit(const char *name, uint32_t dflt)
{
	OW_UNCANCELLED;
	char path[64], buf[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/fs/mqueue/%s", name);
	f = fopen(path, "re");
	if (f == NULL)
		return dflt;
	if (fgets(buf, sizeof(buf), f) != NULL)
		dflt = (uint32_t)strtoul(buf, NULL, 10);
	fclose(f);
	return dflt;
}

static uint32_t clamp(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* The defaults or the values of the environment, cut down to what the kernel
 * allows. */
void ow_posix_read_shapes(struct ow_domain *d)
{
	struct ow_queue_shape *s = &d->service_shape;
	uint32_t max = ow_posix_limit("msg_max", 10);
	uint32_t size = ow_posix_limit("msgsize_max", 8192);
	long v = 0;

	*s = (struct ow_queue_shape){ MAXMSG, MSGSIZE };
	if (ow_setting_long("NDRX_MSGMAX", 0, 0, 1000000, &v) == 0 && v > 0)
		s->maxmsg = (uint32_t)v;
	if (ow_setting_long("NDRX_MSGSIZEMAX", 0, 0, INT32_MAX, &v) == 0 &&
	    v > 0)
		s->msgsize = v > OW_MSG_SIZE_MAX ? OW_MSG_SIZE_MAX
						 : (uint32_t)v;
	s->maxmsg = clamp(s->maxmsg, 1, max);
	s->msgsize = clamp(s->msgsize, MSGSIZE_MIN, size);
}

void ow_posix_account(struct ow_domain *d, const struct mq_attr *a, bool add)
{
	uint64_t n = (uint64_t)a->mq_maxmsg *
		     ((uint64_t)a->mq_msgsize + MQ_OVERHEAD);
	uint64_t used;

	if (d->tables == NULL)
		return;
	if (add) {
		atomic_fetch_add(&d->tables->head->mq_bytes, n);
		return;
	}
	/* Never below 0: the queue may be older than the tables. */
	used = atomic_load(&d->tables->head->mq_bytes);
	while (!atomic_compare_exchange_weak(&d->tables->head->mq_bytes, &used,
					     used > n ? used - n : 0))
		;
}

/* One attempt with one shape. 1: the byte limit (or the depth limit)
 * refuses this shape. */
static int try_shape(const char *name, const struct ow_queue_shape *s,
		     mqd_t *ret, bool *ret_made)
{
	struct mq_attr a = { .mq_maxmsg = s->maxmsg, .mq_msgsize = s->msgsize };
	mqd_t mq;
	int r = 0;

	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &a);
	*ret_made = mq != (mqd_t)-1;
	if (*ret_made)
		*ret = mq;
	else
		r = errno == EEXIST ? ow_owned_mq_open(name, O_RDWR, ret)
				    : -errno;
	return r == -EMFILE || r == -EINVAL ? 1 : r;
}

/* Bound the shape by what each queue may cost, and by the part of the byte
 * limit that is in use. */
static void bound_shape(const struct ow_domain *d, struct ow_queue_shape *s)
{
	uint64_t used, share, each;
	size_t i = 0;

	if (d->tables == NULL || d->mq_limit == 0)
		return;
	used = atomic_load(&d->tables->head->mq_bytes);
	share = atomic_load(&d->tables->head->mq_share);
	if (used > d->mq_limit / 100 * 85)
		i = SHAPE_85;
	else if (used > d->mq_limit / 100 * 60)
		i = SHAPE_60;
	for (; share != 0 && i < N_SHAPES - 1; i++) {
		each = (uint64_t)shapes[i].maxmsg *
		       (shapes[i].msgsize + MQ_OVERHEAD);
		if (each <= share)
			break;
	}
	if (i == 0)
		return;
	s->maxmsg = clamp(s->maxmsg, 1, shapes[i].maxmsg);
	s->msgsize = clamp(s->msgsize, 1, shapes[i].msgsize);
}

int ow_posix_open_fitting(const struct ow_domain *d, const char *name,
			  struct ow_queue_shape shape, mqd_t *ret,
			  bool *ret_made)
{
	size_t i;
	int r;

	bound_shape(d, &shape);
	r = try_shape(name, &shape, ret, ret_made);
	for (i = 0; r == 1 && i < N_SHAPES; i++) {
		if (shapes[i].maxmsg > shape.maxmsg ||
		    shapes[i].msgsize > shape.msgsize)
			continue;
		r = try_shape(name, &shapes[i], ret, ret_made);
	}
	return r == 1 || r == -ENOSPC ? OW_QUEUE_LIMIT : r;
}
