/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - queue objects of the shm transport
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/setting.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/shm/shm.h"
#include "libatmi/transport/shm/standby.h"
#include "libatmi/waking/rounds.h"

/* Every payload lies in a block, so a queue message is only a header. */
void ow_shm_read_shapes(struct ow_domain *d)
{
	long v = 0;

	d->service_shape = (struct ow_queue_shape){ OW_SHMQ_LIMIT,
						    sizeof(struct ow_msg) };
	if (ow_setting_long("NDRX_MSGMAX", 0, 0, 1000000, &v) == 0 && v > 0)
		d->service_shape.maxmsg = (uint32_t)v;
}

static int result_of(int r)
{
	switch (r) {
	case OW_SHMQ_GONE:
		return OW_QUEUE_GONE;
	case OW_SHMQ_NOSPACE:
		return -ENOSPC;
	default:
		return r;
	}
}

static int wrap(struct ow_domain *d, struct ow_shmq *shmq,
		struct ow_queue **ret)
{
	struct shm_queue *q = calloc(1, sizeof(*q));

	if (q == NULL) {
		ow_shmq_close(shmq);
		return -ENOMEM;
	}
	q->base.transport = &ow_transport_shm;
	q->base.msgsize = sizeof(struct ow_msg);
	q->dom = d;
	q->shmq = shmq;
	*ret = &q->base;
	return 0;
}

int ow_shm_create(struct ow_domain *d, struct ow_queue_id id,
		  struct ow_queue_shape *shape, struct ow_queue **ret)
{
	struct ow_shmq *shmq = NULL;
	int r;

	if (id.service == NULL)
		return ow_mail_queue_create(d, id.slot, shape, ret);
	shape->msgsize = sizeof(struct ow_msg);
	if (strnlen(id.service, OW_SVC_NAME) == OW_SVC_NAME)
		return -ENAMETOOLONG;
	r = ow_shmq_create(d, id.service, &shape->maxmsg, &shmq);
	return r != 0 ? result_of(r) : wrap(d, shmq, ret);
}

int ow_shm_open(struct ow_domain *d, struct ow_queue_id id,
		struct ow_queue **ret)
{
	struct ow_shmq *shmq = NULL;
	int r;

	if (id.service == NULL)
		return ow_mail_queue_open(d, id.slot, ret);
	r = ow_shmq_open(d, id.service, &shmq);
	return r != 0 ? result_of(r) : wrap(d, shmq, ret);
}

void ow_shm_close(struct ow_queue *base)
{
	ow_shm_give_up(base);
	ow_shmq_close(shm_of(base)->shmq);
	free(base);
}

int ow_shm_remove(struct ow_domain *d, struct ow_queue_id id)
{
	return result_of(ow_shmq_remove(d, id.service));
}

int ow_shm_depth(struct ow_queue *base, uint32_t *ret_depth)
{
	*ret_depth = ow_shmq_depth(shm_of(base)->shmq);
	return 0;
}

int ow_shm_peek(struct ow_domain *d, struct ow_queue_id id,
		uint32_t *ret_depth)
{
	struct ow_shmq *shmq = NULL;
	int r;

	if (id.service == NULL)
		return ow_mail_queue_peek(d, id.slot, ret_depth);
	r = ow_shmq_open(d, id.service, &shmq);
	if (r != 0)
		return result_of(r);
	*ret_depth = ow_shmq_depth(shmq);
	ow_shmq_close(shmq);
	return 0;
}

uint32_t ow_shm_waiting(struct ow_domain *d, const char *service,
			uint64_t *ret_cells, uint32_t max)
{
	struct ow_shmq *shmq = NULL;
	uint32_t n;

	if (ow_shmq_open(d, service, &shmq) != 0)
		return 0;
	n = ow_shmq_waiting(shmq, ret_cells, max);
	ow_shmq_close(shmq);
	return n;
}

void ow_shm_nudge(struct ow_queue *base)
{
	ow_shmq_nudge(shm_of(base)->shmq);
}

void ow_shm_nudge_of_many(struct ow_queue *base)
{
	ow_shmq_nudge_of_many(shm_of(base)->shmq);
}

enum ow_queue_attendance ow_shm_attendance(struct ow_queue *base)
{
	struct shm_queue *q = shm_of(base);
	enum ow_queue_attendance a;
	uint64_t taken;
	bool on_way;

	on_way = ow_shmq_wake_is_pending(q->shmq, ow_clock_mono_ns());
	taken = ow_shmq_taken(q->shmq);
	a = ow_waking_attendance(on_way, taken, q->taken_at_poll);
	if (a == OW_QUEUE_UNSURE)
		q->taken_at_poll = taken;
	return a;
}

void ow_shm_served(struct ow_queue *base, uint64_t since_ns, uint64_t took_ns)
{
	struct shm_queue *q = shm_of(base);

	/* Ticks come on time also if few requests fill the time. */
	if (q->rounds != NULL && ow_waking_was_slow(&q->dom->waking, took_ns))
		*q->rounds = 0;
	ow_shm_standby_served(q, since_ns, took_ns);
}

void ow_shm_note_wake(struct shm_queue *q)
{
	q->woken = true;
}

void ow_shm_finish_wake(struct shm_queue *q)
{
	if (!q->woken)
		return;
	q->woken = false;
	ow_shmq_finish_wake(q->shmq, q->rank);
}
