/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standing_by.h - for tests of both transports: others are always enough
 */
#ifndef OW_TEST_STANDING_BY_H
#define OW_TEST_STANDING_BY_H

#include "libatmi/base/clock.h"
#include "tests/unit/libatmi/domain_fixture.h"

/* Each server that comes is late, and however little the CPUs are used. */
static inline void others_are_enough(void)
{
	dom->waking.standby_late_ns = 0;
	dom->waking.standby_share = 0;
	dom->waking.standby_ns = 10 * OW_NS_PER_MS;
}

/* It was seen to compute just now, and a request to be served. */
static inline void computes(struct ow_svc *s)
{
	uint32_t now = (uint32_t)(ow_clock_mono_ns() >> 20) | 1;

	atomic_store(&s->times.computed, now);
	atomic_store(&s->times.moved, now + 2000); /* for two seconds */
	atomic_store(&s->times.waited, 0);
}

/* Nobody serves any more: whoever is stopped, killed, or waits. */
static inline void stands_still(struct ow_svc *s)
{
	atomic_store(&s->times.moved, (uint32_t)(ow_clock_mono_ns() >> 20) - 10);
}

static inline void nap_ms(long ms)
{
	struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

#endif
