/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.c - one woken server at a time
 */
#include "libatmi/transport/posix/bell.h"

#include <sys/ioctl.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/waking/constants.h"

void ow_bell_strike(struct posix_queue *q)
{
	OW_FAULT("posix.rung");
	ow_fifo_put(q->fifo);
}

/* Signed: our clock may have been read before that of the other process. */
static bool is_late(const struct posix_queue *q, uint64_t word, uint64_t now)
{
	int64_t age = (int64_t)(now / OW_BELL_UNIT) -
		      (int64_t)(word >> OW_BELL_SHIFT);

	return age * OW_BELL_UNIT >= (int64_t)q->waking->pending_ns;
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

void ow_bell_answer(struct posix_queue *q)
{
	q->looks_on = (atomic_exchange(&q->svc->bell, 0) & OW_BELL_MORE) != 0;
	q->run.length = 0;
	OW_FAULT("posix.answered");
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
