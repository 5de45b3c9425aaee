/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.c - one woken server at a time
 */
#include "libatmi/transport/posix/bell.h"

#include <sys/ioctl.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/doze.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/standby.h"
#include "libatmi/waking/constants.h"

void ow_bell_strike(struct posix_queue *q)
{
	OW_FAULT("posix.rung");
	if (ow_doze_take(q))
		return;
	ow_fifo_put(q->fifo);
	OW_FAULT("posix.doze_again");
	ow_doze_take(q); /* who has looked for a byte before: doze.h */
}

/* Signed: our clock may have been read before that of the other process. */
static int64_t age_of(uint64_t word, uint64_t now)
{
	return OW_BELL_UNIT * ((int64_t)(now / OW_BELL_UNIT) -
			       (int64_t)(word >> OW_BELL_SHIFT));
}

static bool is_late(const struct posix_queue *q, uint64_t word, uint64_t now)
{
	uint64_t most = (word & OW_BELL_STANDBY) != 0
			    ? 2 * q->waking->standby_ns
		    : ow_standby_waits(q->svc, now) ? q->waking->waiting_ns
						    : q->waking->pending_ns;

	return age_of(word, now) >= (int64_t)most;
}

static void strike_late(struct posix_queue *q)
{
	int n = 0;

	if (ioctl(q->fifo, FIONREAD, &n) != 0 || n < OW_BELL_BYTES)
		ow_bell_strike(q);
}

void ow_bell_ring_again(struct posix_queue *q, uint64_t word, uint64_t more)
{
	_Atomic uint64_t *bell = &q->svc->bell;
	uint64_t now = ow_clock_mono_ns(), next;
	bool late;

	do {
		late = word != 0 && is_late(q, word, now);
		if (word == 0 || late)
			next = ow_bell_word(now);
		else if ((word & OW_BELL_MORE) != 0)
			return;
		else
			next = word;
		next |= word != 0 ? OW_BELL_MORE : more;
	} while (!atomic_compare_exchange_strong(bell, &word, next));
	if (late)
		strike_late(q);
	else if (word == 0)
		ow_bell_strike(q);
}

void ow_bell_nudge(struct posix_queue *q)
{
	atomic_store(&q->svc->bell,
		     ow_bell_word(ow_clock_mono_ns()) | OW_BELL_MORE);
	ow_bell_strike(q);
}

bool ow_bell_is_on_way(struct posix_queue *q)
{
	uint64_t word = ow_load_relaxed(&q->svc->bell), now;

	if (word == 0)
		return false;
	now = ow_clock_mono_ns();
	while (word != 0 && !is_late(q, word, now))
		if ((word & OW_BELL_MORE) != 0 ||
		    atomic_compare_exchange_strong(&q->svc->bell, &word,
						   word | OW_BELL_MORE))
			return true;
	return false;
}

/* ---- called by a server ---- */

static bool is_needless(const struct posix_queue *q, int64_t late_ns,
			uint64_t now)
{
	return late_ns > 0 && ow_standby_is_needless(q->standby, q->svc, now,
						     (uint64_t)late_ns);
}

static bool stand_by(struct posix_queue *q, uint64_t word, uint64_t now)
{
	bool changed = atomic_compare_exchange_strong(
		&q->svc->bell, &word,
		ow_bell_word(now) | OW_BELL_MORE | OW_BELL_STANDBY);

	OW_FAULT("posix.stands_by");
	return changed;
}

bool ow_bell_answer(struct posix_queue *q)
{
	uint64_t word = ow_load_relaxed(&q->svc->bell), now;

	if (q->standby != NULL && ow_standby_may_be(q->svc) && word != 0 &&
	    (word & OW_BELL_EMPTY) == 0) {
		now = ow_clock_mono_ns();
		if (is_needless(q, age_of(word, now), now) &&
		    stand_by(q, word, now))
			return false;
	}
	q->looks_on = (atomic_exchange(&q->svc->bell, 0) & OW_BELL_MORE) != 0;
	q->run.length = 0;
	q->run.held = false;
	OW_FAULT("posix.answered");
	return true;
}

/* A server on its way is told that nobody else may be awake. True: one stands
 * by, or did until now. */
static bool tell(struct posix_queue *q, bool ends_standby)
{
	_Atomic uint64_t *bell = &q->svc->bell;
	uint64_t word = ow_load_relaxed(bell), next;

	do {
		if (word == 0 || (word & OW_BELL_EMPTY) != 0)
			return false;
		if ((word & OW_BELL_STANDBY) == 0)
			next = word | OW_BELL_EMPTY;
		else if (ends_standby)
			next = 0;
		else
			return true;
	} while (!atomic_compare_exchange_strong(bell, &word, next));
	return next == 0;
}

bool ow_bell_was_empty(struct posix_queue *q)
{
	return tell(q, true);
}

bool ow_bell_leaves(struct posix_queue *q)
{
	return tell(q, false);
}

enum ow_bell_standby ow_bell_look_again(struct posix_queue *q,
					uint64_t due_ns)
{
	uint64_t word = atomic_load(&q->svc->bell), now = ow_clock_mono_ns();
	uint32_t depth = 1;

	if ((word & OW_BELL_STANDBY) == 0)
		return OW_BELL_SLEEPS; /* another one was woken, or serves */
	if (ow_posix_depth(&q->base, &depth) == 0 && depth == 0) {
		/* As a server that receives nothing. */
		if (!ow_bell_was_empty(q) ||
		    ow_posix_depth(&q->base, &depth) != 0 || depth == 0)
			return OW_BELL_SLEEPS;
		word = 0;
	}
	if (word != 0 && is_needless(q, (int64_t)(now - due_ns), now) &&
	    stand_by(q, word, now))
		return OW_BELL_STANDS_BY;
	atomic_exchange(&q->svc->bell, 0);
	q->looks_on = true;
	q->run.length = 0;
	return OW_BELL_SERVES;
}

enum ow_bell_standby ow_bell_give_way(struct posix_queue *q)
{
	uint64_t word = ow_load_relaxed(&q->svc->bell);
	uint64_t now = ow_clock_mono_ns();

	return (word & OW_BELL_STANDBY) != 0 && is_late(q, word, now) &&
			       stand_by(q, word, now)
		   ? OW_BELL_STANDS_BY
		   : OW_BELL_SLEEPS;
}

void ow_bell_look_on(struct posix_queue *q)
{
	uint32_t depth = 0;

	q->looks_on = false;
	OW_FAULT("posix.looks_on");
	if (ow_posix_depth(&q->base, &depth) != 0 || depth == 0)
		return;
	ow_bell_ring(q, ow_clock_mono_ns(), depth > 1 ? OW_BELL_MORE : 0);
}
