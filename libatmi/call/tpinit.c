/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpinit.c - join a domain, leave it, identify this process
 */
#include <stdlib.h>
#include <unistd.h>
#include <userlog.h>
#include <stdbool.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/life.h"

/* How unsolicited messages come: 0, or -1 with tperrno. */
static int choose_way(struct ow_ctx *c, long flags)
{
	long way = flags & (TPU_MASK | TPU_THREAD);

	if ((way & TPU_THREAD) != 0 && way != TPU_THREAD)
		return ow_tp_fail(TPEINVAL, "TPU_THREAD beside TPU_SIG, "
				  "TPU_DIP or TPU_IGN");
	c->ignores = way == TPU_IGN;
	c->threaded = way == TPU_THREAD;
	if (way == TPU_SIG)
		userlog("tpinit: TPU_SIG: unsolicited messages do not "
			"interrupt a program here: TPU_DIP is taken");
	if (c->listener != NULL)
		c->listener->look(c);
	return 0;
}

int tpinit(TPINIT *tpinfo)
{
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (tpinfo == NULL)
		return ow_guests()->login(c, NULL);
	if (choose_way(c, tpinfo->flags) != 0)
		return -1;
	return ow_guests()->login(c, tpinfo);
}

int tpterm(void)
{
	struct ow_ctx *c = ow_ctx_peek();
	bool was_in;

	ow_tp_clear();
	if (ow_ctx_is_hidden())
		return ow_tp_fail(TPEPROTO, "a handler of unsolicited messages "
				  "may not end the context");
	if (c != NULL && c->srvid != 0)
		return ow_tp_fail(TPEPROTO, "a server leaves by tpexit()");
	was_in = c != NULL && c->tran != 0;
	if (c != NULL && c->tran_hooks != NULL)
		c->tran_hooks->abandon(c);
	ow_ctx_leave();
	if (was_in)
		return ow_tp_fail(TPEPROTO, "the transaction was not ended: it "
				  "is rolled back");
	return 0;
}

int tpappthrinit(TPINIT *tpinfo)
{
	return tpinit(tpinfo);
}

int tpappthrterm(void)
{
	return tpterm();
}

int tpchkauth(void)
{
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	return c == NULL ? -1 : ow_guests()->login_level(c);
}

long tpgetnodeid(void)
{
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	return c != NULL ? c->dom->nodeid : -1;
}

int tpgetsrvid(void)
{
	struct ow_ctx *c = ow_ctx_peek();

	return c != NULL ? (int)c->srvid : 0;
}

/* Programs may call these around a fork() of their own. Nothing is to be done:
 * life.c handles fork(). */
void ndrx_atfork_prepare(void)
{
}

void ndrx_atfork_parent(void)
{
}

void ndrx_atfork_child(void)
{
}

pid_t ndrx_fork(void)
{
	return fork();
}
