/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.c - a server of the wait set that stands by, or gives way
 */
#include "libatmi/transport/posix/standby.h"

#include "libatmi/base/clock.h"
#include "libatmi/transport/posix/bell.h"

static void stand_by(struct posix_standby *s, struct posix_queue *q,
		     uint32_t tag)
{
	s->by = q;
	s->by_tag = tag;
	s->due_ns = ow_clock_mono_ns() + q->waking->standby_ns;
}

bool ow_posix_woken(struct posix_standby *s, struct posix_queue *q,
		    uint32_t tag)
{
	s->run = NULL;
	if (q->svc == NULL)
		return true;
	if (s->by == q)
		s->by = NULL;
	if (!ow_bell_answer(q)) {
		stand_by(s, q, tag);
		return false;
	}
	s->run = q;
	s->run_tag = tag;
	return true;
}

bool ow_posix_goes_on(struct posix_standby *s)
{
	struct posix_queue *q = s->run;
	bool held;

	if (q == NULL)
		return false;
	held = q->run.held;
	q->run.held = false;
	if (!q->run.ended && ow_bell_leaves(q)) {
		if (!held)
			return true;
		if (s->by == NULL && ow_bell_give_way(q) == OW_BELL_STANDS_BY)
			stand_by(s, q, s->run_tag);
	}
	s->run = NULL;
	return false;
}

int ow_posix_standby_left(const struct posix_standby *s, uint64_t *ret_due)
{
	uint64_t now, left = 0;

	if (s->by == NULL)
		return -1;
	now = ow_clock_mono_ns();
	if (now < s->due_ns)
		left = (s->due_ns - now + OW_NS_PER_MS - 1) / OW_NS_PER_MS;
	*ret_due = now + left * OW_NS_PER_MS;
	return (int)left;
}

bool ow_posix_standby_over(struct posix_standby *s, uint64_t due_ns)
{
	struct posix_queue *q = s->by;

	s->by = NULL;
	switch (ow_bell_look_again(q, due_ns)) {
	case OW_BELL_STANDS_BY:
		stand_by(s, q, s->by_tag);
		return false;
	case OW_BELL_SLEEPS:
		return false;
	default:
		s->run = q;
		s->run_tag = s->by_tag;
		return true;
	}
}

void ow_posix_standby_drop(struct posix_standby *s, struct posix_queue *q)
{
	q->standby = NULL;
	if (s->run == q)
		s->run = NULL;
	if (s->by != q)
		return;
	s->by = NULL;
	ow_posix_nudge(&q->base);
}
