/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.c - a server of the wait set that stands by, or gives way
 */
#include "libatmi/transport/shm/standby.h"

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/shm/pending.h"
#include "libatmi/transport/shm/segment.h"

static _Atomic uint64_t *pending_of(const struct shm_queue *q)
{
	return &q->shmq->head->pending_wake;
}

/* Change the pending wake-up `was` to that of a server that stands by. */
static bool stand_by(struct shm_standby *s, struct shm_queue *q, uint64_t was,
		     uint64_t now)
{
	if (!atomic_compare_exchange_strong(
		pending_of(q), &was, ow_pending_make(OW_SHMQ_STANDBY, now)))
		return false;
	s->by = q;
	s->due_ns = now + q->dom->waking.standby_ns;
	OW_FAULT("shmq.stands_by");
	return true;
}

static bool is_needless(const struct shm_standby *s, const struct shm_queue *q,
			int64_t late_ns, uint64_t now)
{
	return late_ns > 0 && ow_standby_is_needless(&s->measured, q->svc, now,
						     (uint64_t)late_ns);
}

bool ow_shm_stands_by(struct shm_standby *s, struct shm_queue *q)
{
	struct shmq_head *h = q->shmq->head;
	uint64_t word = ow_load_relaxed(&h->pending_wake), now;

	if (s->by == q)
		s->by = NULL;
	if (q->svc == NULL || !ow_standby_may_be(q->svc) ||
	    !ow_pending_is_of(word, q->rank) ||
	    atomic_load(&h->emptied) == word)
		return false;
	now = ow_clock_mono_ns();
	if (!is_needless(s, q, ow_pending_age(word, now), now) ||
	    !stand_by(s, q, word, now))
		return false;
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load(&h->emptied) != word)
		return true;
	s->by = NULL;
	ow_pending_end(h, OW_SHMQ_STANDBY);
	return false;
}

void ow_shm_standby_served(struct shm_queue *q, uint64_t since_ns,
			   uint64_t took_ns)
{
	if (q->standby != NULL && q->svc != NULL &&
	    ow_standby_served(&q->standby->measured, q->svc, since_ns,
			      took_ns))
		q->standby->held = q;
}

bool ow_shm_gives_way(struct shm_standby *s)
{
	struct shm_queue *q = s->held;
	uint64_t word, now;

	if (q == NULL)
		return false;
	s->held = NULL;
	word = ow_load_relaxed(pending_of(q));
	if (!ow_pending_is_of(word, OW_SHMQ_STANDBY))
		return false;
	now = ow_clock_mono_ns();
	return ow_shmq_wake_is_pending(q->shmq, now) ||
	       (s->by == NULL && stand_by(s, q, word, now));
}

void ow_shm_was_empty(struct shm_queue *q)
{
	struct shmq_head *h = q->shmq->head;
	uint64_t word;

	if (q->svc == NULL || !ow_standby_may_be(q->svc))
		return;
	word = ow_load_relaxed(&h->pending_wake);
	if (word == 0)
		return;
	if (!ow_pending_is_of(word, OW_SHMQ_STANDBY)) {
		atomic_store(&h->emptied, word);
		OW_FAULT("shmq.emptied");
		atomic_thread_fence(memory_order_seq_cst);
	}
	ow_pending_end(h, OW_SHMQ_STANDBY);
}

struct shm_queue *ow_shm_standby_over(struct shm_standby *s, uint64_t from_ns)
{
	struct shm_queue *q = s->by;
	uint64_t now, word, due;

	if (q == NULL)
		return NULL;
	now = ow_clock_mono_ns();
	if (now < s->due_ns)
		return NULL;
	due = s->due_ns > from_ns ? s->due_ns : from_ns;
	s->by = NULL;
	word = ow_load_relaxed(pending_of(q));
	if (!ow_pending_is_of(word, OW_SHMQ_STANDBY))
		return NULL; /* another one was woken, or serves */
	if (!ow_shmq_has_message(q->shmq)) {
		/* As a server that finds nothing. */
		ow_shm_was_empty(q);
		atomic_thread_fence(memory_order_seq_cst);
		return ow_shmq_has_message(q->shmq) ? q : NULL;
	}
	if (is_needless(s, q, (int64_t)(now - due), now) &&
	    stand_by(s, q, word, now))
		return NULL;
	ow_pending_end(q->shmq->head, OW_SHMQ_STANDBY);
	return q;
}

void ow_shm_standby_join(struct shm_standby *s, struct shm_queue *q)
{
	/* In mode even the next server is to have the next message. */
	int svc = q->dom->wake != OW_WAKE_EVEN
		      ? ow_svc_find(q->dom->tables, q->shmq->svc)
		      : -1;

	q->standby = s;
	q->svc = svc >= 0 ? &q->dom->tables->svc[svc] : NULL;
}

void ow_shm_standby_drop(struct shm_standby *s, struct shm_queue *q)
{
	q->standby = NULL;
	if (s->held == q)
		s->held = NULL;
	if (s->by != q)
		return;
	s->by = NULL;
	ow_pending_end(q->shmq->head, OW_SHMQ_STANDBY);
	ow_shmq_notify(q->shmq, 0);
}
