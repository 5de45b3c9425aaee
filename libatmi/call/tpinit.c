/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpinit.c - join a domain, leave it, identify this process
 */
#include <stdlib.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"

int tpinit(TPINIT *tpinfo)
{
	(void)tpinfo; /* users and groups have no meaning here */
	ow_tp_clear();
	return ow_ctx_get() != NULL ? 0 : -1;
}

int tpterm(void)
{
	struct ow_ctx *c = ow_ctx_peek();

	ow_tp_clear();
	if (c != NULL && c->srvid != 0)
		return ow_tp_fail(TPEPROTO, "a server leaves by tpexit()");
	ow_ctx_leave();
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
	ow_tp_clear();
	return TPNOAUTH;
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
