/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.c - the handler of a context, and how it gets its messages
 */
#include "libatmi/unsol/listen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/unsol/thread.h"

static struct ow_unsol *of(struct ow_ctx *c)
{
	return (struct ow_unsol *)c->listener;
}

static bool is_open(const struct ow_ctx *c, const struct ow_unsol *u)
{
	return c->has_slot && u->gen == c->gen && u->context == c->number;
}

static bool is_wanted(const struct ow_ctx *c, const struct ow_unsol *u)
{
	return (u->handler.plain != NULL || u->handler.with != NULL) &&
	       !c->ignores;
}

static int open_inbox(struct ow_ctx *c, struct ow_unsol *u)
{
	int r;

	ow_listen_thread_stop(u); /* of an earlier slot */
	r = ow_inbox_open(c->dom, c->slot, c->gen);
	if (r != 0)
		return r;
	u->gen = c->gen;
	u->context = c->number;
	u->dom = c->dom;
	u->clt = c->clt;
	u->slot = c->slot;
	return 0;
}

int ow_listen_adapt(struct ow_ctx *c)
{
	struct ow_unsol *u = of(c);
	int r = 0;

	if (!c->has_slot)
		return 0;
	if (is_wanted(c, u) && !is_open(c, u)) {
		r = open_inbox(c, u);
	} else if (!is_wanted(c, u) && is_open(c, u)) {
		ow_listen_thread_stop(u);
		ow_inbox_close(c->dom, c->slot);
		u->gen = 0;
	}
	if (r != 0 || !is_open(c, u))
		return r;
	if (c->threaded)
		return ow_listen_thread_start(u);
	ow_listen_thread_stop(u);
	return 0;
}

/* The thread is in the middle of a call: its results stay as they are. */
static bool deliver_in_call(struct ow_unsol *u, uint64_t ref)
{
	struct ow_ctx *c = ow_ctx_hide();
	long urcode = tpurcode;
	bool done = ow_unsol_deliver(u, ref);

	ow_ctx_show(c);
	tpurcode = urcode;
	ow_tp_clear();
	return done;
}

int ow_listen_dispatch(struct ow_ctx *c)
{
	struct ow_unsol *u = of(c);
	uint64_t ref = 0;
	uint32_t i;
	int n = 0;

	if (!is_open(c, u) || u->has_thread)
		return 0;
	for (i = 0; i < OW_INBOX_CELLS; i++) {
		if (ow_inbox_take(c->dom, c->slot, &ref) != 0)
			break;
		n += deliver_in_call(u, ref);
	}
	return n;
}

/* ---- while a call waits ---- */

static void look(struct ow_ctx *c)
{
	int r = ow_listen_adapt(c);

	if (r != 0)
		log_error("unsolicited messages: %s",
			  of(c)->gen != 0 ? "no thread" : "no inbox");
	ow_listen_dispatch(c);
}

/* A handler may take long: look again until there is nothing. */
static void arm(struct ow_ctx *c)
{
	uint32_t tries;

	if (!is_open(c, of(c)) || of(c)->has_thread)
		return;
	for (tries = 0; tries < 2 && ow_inbox_arm(c->dom, c->slot); tries++)
		ow_listen_dispatch(c);
}

/* ---- the end ---- */

static void halt(struct ow_listener *l)
{
	ow_listen_thread_halt((struct ow_unsol *)l);
}

static void stop(struct ow_listener *l)
{
	ow_listen_thread_stop((struct ow_unsol *)l);
}

static void end(struct ow_listener *l)
{
	pthread_mutex_destroy(&((struct ow_unsol *)l)->taking);
	free(l);
}

int ow_listen_set(struct ow_ctx *c, struct ow_handler h,
		  struct ow_handler *ret)
{
	struct ow_unsol *u = of(c);

	if (u == NULL) {
		u = calloc(1, sizeof(*u));
		if (u == NULL)
			return -ENOMEM;
		u->base = (struct ow_listener){ .look = look,
						.arm = arm,
						.halt = halt,
						.stop = stop,
						.end = end };
		pthread_mutex_init(&u->taking, NULL);
		ow_ctx_set_listener(c, &u->base);
	}
	pthread_mutex_lock(&u->taking);
	*ret = u->handler;
	u->handler = h;
	pthread_mutex_unlock(&u->taking);
	return 0;
}
