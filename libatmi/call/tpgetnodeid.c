/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpgetnodeid.c - identify this process; what programs call around a fork()
 */
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"

long tpgetnodeid(void)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	return c != NULL ? c->dom->nodeid : -1;
}

int tpgetsrvid(void)
{
	OW_SHARED;
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
