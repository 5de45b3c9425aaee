/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsetunsol.c - the program's handler of unsolicited messages; tpchkunsol()
 * runs it
 */
#include <errno.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/slot.h"
#include "libatmi/unsol/listen.h"
#include "libubf/base/compatible.h"

/* The handler that a server has set: nobody sends it anything. */
static __thread ow_handler_fn *of_server;

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

void (*tpsetunsol(void (*disp)(char *, long, long)))(char *, long, long)
{
	ow_handler_fn *old = NULL, *ignored;
	struct ow_ctx *c;

	ow_tp_clear();
	c = find_context();
	if (c == NULL)
		return TPUNSOLERR;
	if (c->srvid != 0) {
		old = of_server;
		of_server = disp;
		return old;
	}
	if (ow_listen_set(c, disp, &old) != 0) {
		ow_tp_fail(TPEOS, "no memory for a handler");
		return TPUNSOLERR;
	}
	if (disp == NULL) {
		ow_listen_adapt(c);
		return old;
	}
	if (begin(c) != 0) {
		ow_listen_set(c, old, &ignored);
		return TPUNSOLERR;
	}
	return old;
}

int tpchkunsol(void)
{
	struct ow_ctx *c;

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
	return begin(c) == 0 ? ow_listen_dispatch(c) : -1;
}
