/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - queue objects of the posix transport
 *
 * The queue of a service is called "/<prefix>,svc,<SERVICE>".
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/queue_name.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libubf/base/uncancelled.h"

/* The full name of a service's queue: 0, -ENAMETOOLONG. */
static int full_name(const struct ow_domain *d, const char *service, char *buf)
{
	if (strnlen(service, OW_SVC_NAME) == OW_SVC_NAME)
		return -ENAMETOOLONG;
	ow_queue_name_of(d, service, buf, OW_QUEUE_NAME_MAX);
	return 0;
}

/* Make a queue object of an open descriptor, which is closed on failure. */
static int wrap(struct ow_domain *d, mqd_t mq, struct mq_attr *ret_attr,
		struct posix_queue **ret)
{
	struct posix_queue *q;

	if (mq_getattr(mq, ret_attr) < 0) {
		mq_close(mq);
		return -errno;
	}
	q = calloc(1, sizeof(*q));
	if (q == NULL) {
		mq_close(mq);
		return -ENOMEM;
	}
	q->base.transport = &ow_transport_posix;
	q->base.msgsize = (size_t)ret_attr->mq_msgsize;
	q->mq = mq;
	q->fifo = -1;
	q->waking = &d->waking;
	q->tables = d->tables;
	*ret = q;
	return 0;
}

static int open_fifo(struct ow_domain *d, const char *service, bool create,
		     struct posix_queue *q)
{
	int r, svc;

	r = ow_fifo_open(d, service, create, &q->fifo);
	if (r != 0)
		return r == OW_FIFO_NONE ? 0 : r;
	svc = ow_svc_find(d->tables, service);
	/* In mode even the next server is another one than the one that looks. */
	if (svc >= 0 && d->wake != OW_WAKE_EVEN)
		q->svc = &d->tables->svc[svc];
	if (q->svc != NULL)
		q->base.runs_while = &q->svc->bell;
	return 0;
}

int ow_posix_create(struct ow_domain *d, struct ow_queue_id id,
		    struct ow_queue_shape *shape, struct ow_queue **ret)
{
	char name[OW_QUEUE_NAME_MAX];
	struct posix_queue *q;
	struct mq_attr a;
	bool made = false;
	mqd_t mq = (mqd_t)-1;
	int r;

	if (id.service == NULL)
		return ow_mail_queue_create(d, id.slot, shape, ret);
	r = full_name(d, id.service, name);
	if (r != 0)
		return r;
	r = ow_posix_open_fitting(d, name, *shape, &mq, &made);
	if (r != 0)
		return r;
	r = wrap(d, mq, &a, &q);
	if (r < 0)
		return r;
	if (made)
		ow_posix_account(d, &a, true);
	r = open_fifo(d, id.service, true, q);
	if (r < 0) {
		ow_posix_close(&q->base);
		return r;
	}
	if (made && q->svc != NULL)
		atomic_store(&q->svc->bell, 0);
	shape->maxmsg = (uint32_t)a.mq_maxmsg;
	shape->msgsize = (uint32_t)a.mq_msgsize;
	*ret = &q->base;
	return 0;
}

int ow_posix_open(struct ow_domain *d, struct ow_queue_id id,
		  struct ow_queue **ret)
{
	char name[OW_QUEUE_NAME_MAX];
	struct posix_queue *q;
	struct mq_attr a;
	mqd_t mq;
	int r;

	if (id.service == NULL)
		return ow_mail_queue_open(d, id.slot, ret);
	r = full_name(d, id.service, name);
	if (r != 0)
		return r;
	r = ow_owned_mq_open(name, O_RDWR, &mq);
	if (r < 0)
		return r == -ENOENT ? OW_QUEUE_GONE : r;
	r = wrap(d, mq, &a, &q);
	if (r < 0)
		return r;
	r = open_fifo(d, id.service, false, q);
	if (r == 0) {
		*ret = &q->base;
		return 0;
	}
	ow_posix_close(&q->base);
	return r == -ENOENT ? OW_QUEUE_GONE : r;
}

void ow_posix_close(struct ow_queue *base)
{
	OW_UNCANCELLED;
	struct posix_queue *q = posix_of(base);

	mq_close(q->mq);
	if (q->fifo >= 0)
		close(q->fifo);
	free(q);
}

static int remove_full(struct ow_domain *d, const char *name)
{
	mqd_t mq = mq_open(name, O_RDONLY | O_CLOEXEC);
	struct mq_attr a;
	int r = ow_owned_mq_unlink(name);

	if (r == 0 && mq != (mqd_t)-1 && mq_getattr(mq, &a) == 0)
		ow_posix_account(d, &a, false);
	if (mq != (mqd_t)-1)
		mq_close(mq);
	return r == -ENOENT ? OW_QUEUE_GONE : r;
}

int ow_posix_remove(struct ow_domain *d, struct ow_queue_id id)
{
	char name[OW_QUEUE_NAME_MAX];
	int r = full_name(d, id.service, name);

	if (r != 0)
		return r;
	r = remove_full(d, name);
	ow_fifo_remove(d, id.service);
	return r;
}

int ow_posix_remove_named(struct ow_domain *d, const char *name)
{
	const char *service = ow_queue_name_parse(name);
	char full[OW_QUEUE_NAME_MAX];
	int r = ow_queue_name_full(d, name, full, sizeof(full));

	if (r != 0)
		return r;
	r = remove_full(d, full);
	if (service != NULL)
		ow_fifo_remove(d, service);
	return r;
}

/* Remove all queues whose names begin with the prefix from the mounted queue
 * file system: the tables may be unreadable, and queues may have been created
 * by hand. */
int ow_posix_remove_strays(struct ow_domain *d)
{
	DIR *dir = opendir(ow_env_str("NDRX_QPATH", "/dev/mqueue"));
	size_t n = strlen(d->prefix);
	struct dirent *e;
	char name[300];
	int removed = 0;

	if (dir == NULL)
		return 0;
	while (ow_domain_may_remove(d) && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, d->prefix, n) != 0 ||
		    e->d_name[n] != ',')
			continue;
		snprintf(name, sizeof(name), "/%s", e->d_name);
		removed += ow_owned_mq_unlink(name) == 0;
	}
	closedir(dir);
	return removed;
}

int ow_posix_peek(struct ow_domain *d, struct ow_queue_id id,
		  uint32_t *ret_depth)
{
	char name[OW_QUEUE_NAME_MAX];
	struct mq_attr a;
	mqd_t mq;
	int r;

	if (id.service == NULL)
		return ow_mail_queue_peek(d, id.slot, ret_depth);
	r = full_name(d, id.service, name);
	if (r != 0)
		return r;
	r = ow_owned_mq_open(name, O_RDONLY, &mq);
	if (r < 0)
		return r == -ENOENT ? OW_QUEUE_GONE : r;
	if (mq_getattr(mq, &a) == 0)
		*ret_depth = (uint32_t)a.mq_curmsgs;
	else
		r = -errno;
	mq_close(mq);
	return r;
}

int ow_posix_depth(struct ow_queue *q, uint32_t *ret_depth)
{
	struct mq_attr a;

	if (mq_getattr(posix_of(q)->mq, &a) < 0)
		return -errno;
	*ret_depth = (uint32_t)a.mq_curmsgs;
	return 0;
}
