/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpreplyfd.c - a program's own loop waits for the messages of its context
 */
#include <string.h>
#include <tpbind.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/loop/loop.h"
#include "libubf/base/uncancelled.h"

/* A sleep takes longer than so many microseconds. */
#define SLEEP_USEC 5

/* The context of this thread, with a slot; NULL with tperrno. */
static struct ow_ctx *find_context(void)
{
	struct ow_ctx *c = ow_ctx_get();
	int r;

	if (c == NULL)
		return NULL;
	r = ow_ctx_need_domain(c);
	if (r == OW_CTX_GUEST)
		ow_tp_fail(TPEPROTO, "a guest has no descriptor to wait for: "
			   "its replies lie at the gate until it asks for "
			   "them");
	return r == 0 && ow_slot_need(c) == 0 ? c : NULL;
}

int tpreplyfd(void)
{
	OW_SHARED;
	OW_UNCANCELLED;
	struct ow_ctx *c;
	int r;

	ow_tp_clear();
	c = find_context();
	if (c == NULL)
		return -1;
	r = ow_loop_need(c);
	if (r >= 0)
		return r;
	return ow_tp_fail(TPEOS, "a socket for this context: %s", strerror(-r));
}

int tpreplytimeout(void)
{
	OW_SHARED;
	uint64_t now, due;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (c->loop == NULL)
		return ow_tp_fail(TPEPROTO, "this context has no descriptor: "
				  "tpreplyfd() makes one");
	c->loop->settle(c);
	ow_tp_clear();
	if (ow_loop_has_come(c))
		return 0;
	now = ow_clock_mono_ns();
	due = ow_loop_due_ns(c, now);
	if (due <= now)
		return 0;
	return (int)((due - now + OW_NS_PER_MS - 1) / OW_NS_PER_MS);
}

int tpreplywait(long usec)
{
	OW_SHARED;
	struct ow_ctx *c;
	uint64_t until;
	int r;

	ow_tp_clear();
	if (usec < 0 || usec > 1000000)
		return ow_tp_fail(TPEINVAL, "%ld microseconds: give 0 to "
				  "1,000,000", usec);
	c = find_context();
	if (c == NULL)
		return -1;
	until = usec == 0	   ? OW_DEADLINE_NOW
		: usec < SLEEP_USEC ? OW_DEADLINE_LOOK
				    : ow_clock_mono_ns() + (uint64_t)usec * 1000;
	do {
		r = ow_loop_wait(c, until);
	} while (r == OW_QUEUE_SIGNAL && c->sig_flag != 0);
	switch (r) {
	case 0:
		return 1;
	case OW_QUEUE_TIMEOUT:
	case OW_QUEUE_EMPTY:
		return 0;
	case OW_QUEUE_SIGNAL:
		return ow_tp_fail(TPGOTSIG, "signal while waiting for a "
				  "message");
	default:
		return ow_tp_fail_errno(r, "waiting for a message");
	}
}
