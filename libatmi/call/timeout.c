/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeout.c - how long a call may take
 *
 * In this order: tpsblktime(TPBLK_NEXT), used up by the next call even when
 * it fails; tpsblktime(TPBLK_ALL); tptoutset(), for the whole process;
 * NDRX_TOUT.
 */
#include "libatmi/call/timeout.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/shared.h"

static _Atomic uint32_t process_ms; /* tptoutset(); 0: not called */

#define SECONDS_MAX (INT32_MAX / 1000)

static uint32_t process_timeout(void)
{
	return atomic_load_explicit(&process_ms, memory_order_relaxed);
}

/* What is set for each call that has nothing else. */
static inline uint32_t lasting(const struct ow_ctx *c)
{
	uint32_t ms = c->blk_all_ms;

	if (ms == 0)
		ms = process_timeout();
	return ms != 0 ? ms : c->dom->tout_ms;
}

static inline uint32_t take(struct ow_ctx *c)
{
	uint32_t ms = c->blk_next_ms;

	c->blk_next_ms = 0;
	return ms != 0 ? ms : lasting(c);
}

uint32_t ow_timeout_take(struct ow_ctx *c)
{
	return take(c);
}

uint64_t ow_timeout_deadline(struct ow_ctx *c, long flags, uint64_t now_ns)
{
	uint32_t ms = take(c);

	if (flags & TPNOTIME)
		return OW_DEADLINE_NEVER;
	return ow_deadline_after(now_ns, ms);
}

uint64_t ow_timeout_lasting(const struct ow_ctx *c, uint64_t now_ns)
{
	return ow_deadline_after(now_ns, lasting(c));
}

int tptoutset(int tout)
{
	ow_tp_clear();
	if (tout <= 0 || tout > SECONDS_MAX)
		return ow_tp_fail(TPEINVAL, "%d seconds: give 1 to %d", tout,
				  SECONDS_MAX);
	atomic_store(&process_ms, (uint32_t)tout * 1000);
	return 0;
}

int tptoutget(void)
{
	OW_SHARED;
	struct ow_ctx *c;
	uint32_t ms = process_timeout();

	ow_tp_clear();
	if (ms == 0) {
		c = ow_ctx_get();
		if (c == NULL)
			return -1;
		ms = c->dom->tout_ms;
	}
	return (int)((ms + 999) / 1000);
}

int tpsblktime(int tout, long flags)
{
	OW_SHARED;
	bool fine = (flags & TPBLK_MILLISECOND) != 0;
	long which = flags & ~(long)TPBLK_MILLISECOND;
	int most = fine ? INT32_MAX : SECONDS_MAX;
	uint32_t ms;
	struct ow_ctx *c;

	ow_tp_clear();
	if (tout < 0 || tout > most)
		return ow_tp_fail(TPEINVAL, "%d %s: give 0 (unset) to %d", tout,
				  fine ? "milliseconds" : "seconds", most);
	ms = (uint32_t)tout * (fine ? 1 : 1000);
	if (which != TPBLK_NEXT && which != TPBLK_ALL)
		return ow_tp_fail(TPEINVAL, "flags %ld: give TPBLK_NEXT or "
				  "TPBLK_ALL", flags);
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (which == TPBLK_NEXT)
		c->blk_next_ms = ms;
	else
		c->blk_all_ms = ms;
	return 0;
}

int tpgblktime(long flags)
{
	OW_SHARED;
	uint32_t unit = flags & TPBLK_MILLISECOND ? 1 : 1000;
	struct ow_ctx *c;
	uint32_t ms;

	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	switch (flags & ~(long)TPBLK_MILLISECOND) {
	case TPBLK_NEXT:
		ms = c->blk_next_ms;
		break;
	case TPBLK_ALL:
		ms = c->blk_all_ms;
		break;
	case 0: /* what the next call would have */
		ms = c->blk_next_ms != 0 ? c->blk_next_ms : lasting(c);
		break;
	default:
		return ow_tp_fail(TPEINVAL, "flags %ld: give TPBLK_NEXT, "
				  "TPBLK_ALL or 0", flags);
	}
	return (int)((ms + unit - 1) / unit);
}
