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

/* The server turns to another queue. If one stands by for the one that it leaves
 * nobody else may come for it: it comes back. */
static void leave_run(struct posix_standby *s, const struct posix_queue *next)
{
	if (s->left == next)
		s->left = NULL;
	if (s->run != NULL && s->run != next && !s->run->run.ended &&
	    ow_bell_has_standby(s->run)) {
		s->left = s->run;
		s->left_tag = s->run_tag;
	}
	s->run = NULL;
}

bool ow_posix_woken(struct posix_standby *s, struct posix_queue *q,
		    uint32_t tag)
{
	leave_run(s, q);
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

/* Is its last run to go on? Else it is over. */
static bool settle_run(struct posix_standby *s)
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

bool ow_posix_goes_on(struct posix_standby *s)
{
	if (settle_run(s))
		return true;
	s->run = s->left;
	s->run_tag = s->left_tag;
	s->left = NULL;
	return settle_run(s);
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
	if (s->left == q)
		s->left = NULL;
	if (s->by != q)
		return;
	s->by = NULL;
	ow_posix_nudge(&q->base);
}
