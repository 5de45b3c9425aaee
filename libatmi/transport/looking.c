/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looking.c - look for a message before sleeping, as far as the domain allows
 */
#include "libatmi/transport/looking.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/cpus.h"
#include "libatmi/domain/domain.h"

#define CHECKS	    4	/* of the word between two readings of the clock */
#define FLUSH_LOOKS 256 /* figures go to the tables after so many looks */

static uint32_t seats; /* for each kind, of this process's CPUs */

static void count_seats(void)
{
	seats = ow_look_seats(ow_cpus_usable());
	if (seats > OW_LOOK_SEATS)
		seats = OW_LOOK_SEATS;
}

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static struct ow_looks *looks_of(const struct ow_looker *l)
{
	return &l->dom->tables->head->looks;
}

static const struct ow_waking *waking_of(const struct ow_looker *l)
{
	return &l->dom->waking;
}

/* <spin>, in per cent of one CPU. */
static uint32_t share_of(const struct ow_looks *s)
{
	uint32_t given = ow_load_relaxed(&s->spin);

	return given == 0 ? OW_SPIN_DEFAULT : given - 1;
}

void ow_looker_init(struct ow_looker *l, struct ow_domain *d,
		    enum ow_look_kind kind)
{
	*l = (struct ow_looker){ .dom = d, .kind = kind };
}

/* ---- what the domain allows ---- */

static bool has_seat(struct ow_looker *l, uint64_t now)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct ow_waking *k = waking_of(l);
	_Atomic uint64_t *seat = looks_of(l)->kind[l->kind].seat;
	uint64_t until = now + k->look_seat_ns;
	uint32_t i;

	if (now + k->look_max_ns < l->seat_ns)
		return true;
	/* Ours, unless it ended and another process took it. */
	if (l->seat_ns != 0 &&
	    atomic_compare_exchange_strong(&seat[l->seat], &l->seat_ns,
					   until)) {
		l->seat_ns = until;
		return true;
	}
	l->seat_ns = 0;
	pthread_once(&once, count_seats);
	for (i = 0; i < seats; i++) {
		uint64_t taken = ow_load_relaxed(&seat[i]);

		if (taken >= now ||
		    !atomic_compare_exchange_strong(&seat[i], &taken, until))
			continue;
		l->seat = i;
		l->seat_ns = until;
		return true;
	}
	return false;
}

static bool may_look(struct ow_looker *l, uint64_t now)
{
	const struct ow_waking *k = waking_of(l);
	struct ow_looks *s = looks_of(l);
	uint32_t share = share_of(s);

	if (share == OW_SPIN_ALWAYS)
		return true;
	if (share > 0 && ow_look_is_paid(k, ow_load_relaxed(&s->paid_ns), now)
	    && has_seat(l, now))
		return true;
	l->learned.skip = (uint32_t)k->look_pause_min;
	return false;
}

static void charge(struct ow_looker *l, bool found, uint64_t from,
		   uint64_t now)
{
	struct ow_looks *s = looks_of(l);
	uint64_t paid = ow_load_relaxed(&s->paid_ns);
	uint64_t add = ow_look_charge(waking_of(l), share_of(s), found,
				      now - from);

	if (add == 0)
		return;
	ow_store_relaxed(&s->paid_ns, (paid > now ? paid : now) + add);
}

/* ---- figures ---- */

static void flush(struct ow_looker *l)
{
	struct ow_look_figures *f = &looks_of(l)->kind[l->kind].figures;

	ow_count_shared(&f->looks, l->looks);
	ow_count_shared(&f->hits, l->hits);
	ow_count_shared(&f->ns, l->ns);
	l->looks = l->hits = l->ns = 0;
}

static void count(struct ow_looker *l, bool found, uint64_t took)
{
	l->looks++;
	l->hits += found;
	l->ns += took;
	if (l->looks >= FLUSH_LOOKS || !found)
		flush(l);
}

/* ---- looking ---- */

bool ow_looker_begin(struct ow_looker *l)
{
	l->step = ow_look_begin(&l->learned, waking_of(l));
	if (l->step == OW_LOOK_NOT)
		return false;
	l->from_ns = ow_clock_mono_ns();
	if (l->step == OW_LOOK && !may_look(l, l->from_ns))
		l->step = OW_LOOK_NOT;
	return l->step == OW_LOOK;
}

/* One part of a look: until the clock is read again. */
static bool check(bool (*seen)(void *arg), void *arg)
{
	int i;

	for (i = 0; i < CHECKS; i++) {
		if (seen(arg))
			return true;
		relax();
	}
	return false;
}

/* <spin>always</spin>: the machine has CPUs to give away. */
static bool always(const struct ow_looker *l)
{
	return share_of(looks_of(l)) == OW_SPIN_ALWAYS;
}

/* Is the process alone on its CPU? Asked by a yield. */
static bool yields_alone(struct ow_looker *l, uint64_t *now)
{
	uint64_t begin = *now;

	sched_yield();
	*now = ow_clock_mono_ns();
	return always(l) ||
	       ow_look_is_alone(&l->learned, waking_of(l), *now - begin);
}

/* Look, from `*now` on; `*now` is the time at the end. */
static bool look(struct ow_looker *l, bool (*seen)(void *arg), void *arg,
		 uint64_t *now)
{
	const struct ow_waking *k = waking_of(l);
	uint64_t last, yielded, end = *now + l->learned.limit_ns;

	do {
		if (!yields_alone(l, now))
			return seen(arg);
		yielded = last = *now;
		while (last < yielded + k->look_yield_ns) {
			if (check(seen, arg)) {
				*now = ow_clock_mono_ns();
				return true;
			}
			*now = ow_clock_mono_ns();
			if (!always(l) &&
			    ow_look_lost_cpu(&l->learned, k, *now - last))
				return seen(arg);
			last = *now;
		}
	} while (*now < end);
	return false;
}

bool ow_looker_look(struct ow_looker *l, bool (*seen)(void *arg), void *arg)
{
	uint64_t now = l->from_ns;
	bool found = look(l, seen, arg, &now);

	charge(l, found, l->from_ns, now);
	count(l, found, now - l->from_ns);
	if (found)
		l->step = OW_LOOK_NOT; /* this wait is over */
	return found;
}

void ow_looker_end(struct ow_looker *l)
{
	if (l->step != OW_LOOK_NOT)
		ow_look_learn(&l->learned, waking_of(l),
			      ow_clock_mono_ns() - l->from_ns);
	l->step = OW_LOOK_NOT;
}
