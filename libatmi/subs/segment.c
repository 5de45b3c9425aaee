/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment.c - the segment of subscriptions: made, mapped, read without a lock
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "libatmi/base/atomics.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/events.h"
#include "libatmi/domain/sparse.h"
#include "libatmi/subs/rows.h"

static const struct ow_sparse layout = {
	.kind = "subs",
	.magic = OW_SUBS_MAGIC,
	.head_size = SUBS_HEAD_SIZE,
	.piece_size = OW_SUBS_PIECE * sizeof(struct subs_row),
	.pieces = OW_SUBS_MAX / OW_SUBS_PIECE,
};

void ow_subs_drop_compiled(struct ow_subs *s)
{
	uint32_t i;

	for (i = 0; i < s->ncompiled; i++)
		if (s->compiled[i].used)
			ow_regex_close(&s->compiled[i].re);
	free(s->compiled);
	s->compiled = NULL;
	s->ncompiled = 0;
}

static void destroy(struct ow_subs *s)
{
	struct ow_sparse_map m = { .fd = s->fd,
				   .head = s->head,
				   .pieces = s->rows };

	ow_subs_drop_compiled(s);
	ow_sparse_unmap(&layout, &m);
	free(s);
}

static int map(struct ow_domain *d, bool create)
{
	struct ow_sparse_map m;
	struct ow_subs *s;
	int r = ow_sparse_map(d, &layout, create, &m);

	if (r != 0)
		return r == -ENOENT && !create ? OW_SUBS_ABSENT
		       : r == -ENOSPC	       ? OW_SUBS_NOSPACE
					       : r;
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		ow_sparse_unmap(&layout, &m);
		return -ENOMEM;
	}
	s->fd = m.fd;
	s->head = m.head;
	s->rows = m.pieces;
	atomic_store(&d->subs, s);
	return 0;
}

struct ow_subs *ow_subs_of(struct ow_domain *d)
{
	return atomic_load_explicit(&d->subs, memory_order_acquire);
}

int ow_subs_need(struct ow_domain *d, bool create)
{
	int r = 0;

	if (ow_subs_of(d) != NULL)
		return 0;
	ow_sparse_lock();
	if (ow_subs_of(d) == NULL)
		r = map(d, create);
	ow_sparse_unlock();
	return r;
}

void ow_subs_unmap(struct ow_domain *d)
{
	struct ow_subs *s = ow_subs_of(d);

	if (s == NULL)
		return;
	atomic_store(&d->subs, NULL);
	destroy(s);
}

bool ow_subs_read_begin(const struct ow_subs *s, uint32_t *ret_seq)
{
	uint32_t tries, seq;

	for (tries = 0; tries < 200; tries++) {
		seq = atomic_load_explicit(&s->head->seq,
					   memory_order_acquire);
		if ((seq & 1) == 0) {
			*ret_seq = seq;
			return true;
		}
		sched_yield();
	}
	return false;
}

bool ow_subs_read_end(const struct ow_subs *s, uint32_t seq)
{
	atomic_thread_fence(memory_order_acquire);
	return ow_load_relaxed(&s->head->seq) == seq;
}

uint32_t ow_subs_count(struct ow_domain *d)
{
	struct ow_subs *s = ow_subs_of(d);

	return s == NULL ? 0 : atomic_load(&s->head->used);
}

bool ow_subs_claim_event(struct ow_domain *d, const struct ow_events *ring,
			 uint64_t *ret)
{
	struct ow_subs *s = ow_subs_of(d);
	uint64_t was, next;

	if (s == NULL)
		return false;
	was = atomic_load(&s->head->of_ndrxd);
	/* Read after `was`, which never passes it: else another tpevsrv that
	 * goes on meanwhile looks like a ring made anew. */
	next = ow_events_next(ring);
	/* Later than the next one: ndrxd has made its ring anew. */
	if (was == 0 || was > next + 1) {
		atomic_compare_exchange_strong(&s->head->of_ndrxd, &was,
					       next + 1);
		return false;
	}
	while (was <= next)
		if (atomic_compare_exchange_weak(&s->head->of_ndrxd, &was,
						 was + 1)) {
			*ret = was - 1;
			return true;
		}
	return false;
}
