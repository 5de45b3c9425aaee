/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.c - what servers measure, to know whether more of them are of use
 */
#include "libatmi/transport/standby.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/cpus.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/waking/standby.h"

#define UNIT_SHIFT 20 /* a time in a service: in units of 2^20 ns */

static uint32_t cpus; /* of this process */

static void count_cpus(void)
{
	cpus = ow_cpus_usable();
	if (cpus == 0)
		cpus = 1;
}

void ow_standby_init(struct ow_standby *s, struct ow_domain *d)
{
	*s = (struct ow_standby){ .dom = d };
}

/* ---- times in the service ---- */

static uint32_t time_of(uint64_t ns)
{
	uint32_t t = (uint32_t)(ns >> UNIT_SHIFT);

	return t != 0 ? t : 1; /* 0: never */
}

/* Note the time; what was noted before. */
static uint32_t note_time(_Atomic uint32_t *word, uint64_t now)
{
	uint32_t before = ow_load_relaxed(word);

	if (before != time_of(now))
		ow_store_relaxed(word, time_of(now));
	return before;
}

static uint64_t since(const _Atomic uint32_t *word, uint64_t now)
{
	uint32_t t = ow_load_relaxed(word);
	int32_t age = (int32_t)(time_of(now) - t);

	if (t == 0)
		return UINT64_MAX;
	return age > 0 ? (uint64_t)age << UNIT_SHIFT : 0;
}

/* ---- what the kernel says of this thread ---- */

static uint64_t cpu_time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * OW_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* No descriptor is kept: programs close those that they do not know, and a
 * thousand servers would keep a thousand. */
static bool read_delay(uint64_t *ret)
{
	char text[80] = "", *second;
	int e = errno;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	errno = e;
	second = n > 0 ? strchr(text, ' ') : NULL;
	if (second == NULL)
		return false;
	*ret = strtoull(second, NULL, 10);
	return true;
}

/* ---- the use of the CPUs ---- */

static void add_use(struct ow_cpu_use *u, uint64_t used, uint64_t now)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t sum = atomic_fetch_add(&u->used_ns, used) + used;
	uint64_t from = ow_load_relaxed(&u->from_ns), before;

	if (now < from + OW_STANDBY_USE_NS ||
	    !atomic_compare_exchange_strong(&u->from_ns, &from, now))
		return;
	pthread_once(&once, count_cpus);
	before = atomic_exchange(&u->used_before_ns, sum);
	ow_store_relaxed(&u->share,
			 (uint32_t)((sum - before) * 1000 /
				    ((now - from) * cpus)));
}

static uint32_t share_of(const struct ow_cpu_use *u, uint64_t now)
{
	return now < ow_load_relaxed(&u->from_ns) + 8 * OW_STANDBY_USE_NS
		       ? ow_load_relaxed(&u->share)
		       : 0;
}

/* ---- called by a server ---- */

bool ow_standby_may_be(const struct ow_svc *svc)
{
	return ow_load_relaxed(&svc->times.computed) != 0;
}

bool ow_standby_waits(const struct ow_svc *svc, uint64_t now)
{
	return ow_load_relaxed(&svc->times.waited) != 0 &&
	       since(&svc->times.waited, now) < OW_NS_PER_SEC;
}

bool ow_standby_is_needless(const struct ow_standby *s,
			    const struct ow_svc *svc, uint64_t now,
			    uint64_t late_ns)
{
	struct ow_standby_view v = {
		.computed_ns = since(&svc->times.computed, now),
		.waited_ns = since(&svc->times.waited, now),
		.moved_ns = since(&svc->times.moved, now),
		.late_ns = late_ns,
		.share = share_of(&s->dom->tables->head->looks.use, now),
	};

	return ow_standby_is_enough(&s->dom->waking, &v);
}

/* Measure the stretch up to now. False: the kernel does not say. */
static bool measure(struct ow_standby *s, uint64_t now,
		    struct ow_stretch *ret)
{
	uint64_t cpu, delay;

	if (!read_delay(&delay))
		return false;
	cpu = cpu_time_ns();
	ret->cpu_ns = cpu - s->cpu_ns;
	ret->delay_ns = delay - s->delay_ns;
	s->cpu_ns = cpu;
	s->delay_ns = delay;
	s->at_ns = now;
	add_use(&s->dom->tables->head->looks.use, ret->cpu_ns, now);
	return true;
}

bool ow_standby_served(struct ow_standby *s, struct ow_svc *svc,
		       uint64_t since_ns, uint64_t took_ns)
{
	const struct ow_waking *k = &s->dom->waking;
	struct ow_stretch st = { .took_ns = took_ns };
	uint64_t now = since_ns + took_ns;
	bool first = s->at_ns == 0, others; /* have served meanwhile */
	uint32_t moved;

	if (k->standby_ns == 0)
		return false;
	moved = note_time(&svc->times.moved, now);
	if (took_ns < OW_STANDBY_SHORT_NS)
		return false; /* at once: it is most of the calls */
	others = (int32_t)(moved - time_of(since_ns)) > 0;
	if (!ow_standby_measures(k, took_ns, now - s->at_ns,
				 since(&svc->times.waited, now) <
				     OW_STANDBY_KNOWN_NS / 2) ||
	    !measure(s, now, &st) || first || took_ns < k->standby_judge_ns)
		return false;
	switch (ow_stretch_kind(&st)) {
	case OW_STRETCH_COMPUTED:
		note_time(&svc->times.computed, now);
		break;
	case OW_STRETCH_WAITED:
		note_time(&svc->times.waited, now);
		return false;
	default:
		break;
	}
	return others && st.delay_ns >= k->standby_held_ns &&
	       ow_standby_is_needless(s, svc, now, st.delay_ns);
}
