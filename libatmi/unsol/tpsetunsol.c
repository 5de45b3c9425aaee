/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsetunsol.c - the program's handler of unsolicited messages; tpchkunsol()
 * runs it
 */
#include <errno.h>
#include <string.h>
#include <tpbind.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/unsol/listen.h"
#include "libubf/base/compatible.h"

/* The handler that a server has set: nobody sends it anything. */
static __thread struct ow_handler of_server;

/* The context of this thread, which may listen; NULL with tperrno. */
static struct ow_ctx *find_context(void)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL)
		return NULL;
	if (c->srvid != 0 && ow_compat_tuxedo()) {
		ow_tp_fail(TPEPROTO, "a server gets no unsolicited messages");
		return NULL;
	}
	if (c->guest != NULL) {
		ow_tp_fail(TPEPROTO, "a guest gets no unsolicited messages");
		return NULL;
	}
	return c;
}

/* Have a slot, by which senders know this context, and an inbox: 0, or -1 with
 * tperrno. Before the domain runs it has neither: the first call will. */
static int begin(struct ow_ctx *c)
{
	int r;

	if (c->dom->tables == NULL || c->ignores)
		return 0;
	if (ow_slot_need(c) != 0)
		return -1;
	r = ow_listen_adapt(c);
	if (r == 0)
		return 0;
	return ow_tp_fail(TPEOS, "inbox: no shared memory: %s", strerror(-r));
}

/* 0 with the handler before, or -1 with tperrno. */
static int set(struct ow_handler h, struct ow_handler *old)
{
	OW_SHARED;
	struct ow_handler ignored;
	struct ow_ctx *c;

	ow_tp_clear();
	c = find_context();
	if (c == NULL)
		return -1;
	if (c->srvid != 0) {
		*old = of_server;
		of_server = h;
		return 0;
	}
	if (ow_listen_set(c, h, old) != 0)
		return ow_tp_fail(TPEOS, "no memory for a handler");
	if (h.plain == NULL && h.with == NULL) {
		ow_listen_adapt(c);
		return 0;
	}
	if (begin(c) != 0) {
		ow_listen_set(c, *old, &ignored);
		return -1;
	}
	if (c->loop != NULL)
		c->loop->rouse(c); /* it looks, and the inbox is armed */
	return 0;
}

void (*tpsetunsol(void (*disp)(char *, long, long)))(char *, long, long)
{
	struct ow_handler old = { 0 };

	if (set((struct ow_handler){ .plain = disp }, &old) != 0)
		return TPUNSOLERR;
	return old.plain;
}

int tpsetunsol_cb(void (*fn)(char *, long, long, void *), void *data)
{
	struct ow_handler old = { 0 };

	return set((struct ow_handler){ .with = fn, .ptr = data }, &old);
}

int tpchkunsol(void)
{
	OW_SHARED;
	struct ow_ctx *c;
	int n;

	ow_tp_clear();
	c = find_context();
	if (c == NULL)
		return -1;
	if (c->srvid != 0 || c->listener == NULL)
		return 0;
	if (c->dom->tables == NULL && ow_ctx_need_domain(c) != 0) {
		ow_tp_clear();
		return 0; /* nobody could have sent anything */
	}
	if (begin(c) != 0)
		return -1;
	n = ow_listen_dispatch(c);
	if (n == 0)
		ow_ctx_settle(c);
	return n;
}
