/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - answer a request that was handed on, and learn whether it was sent;
 * go on with its trace elsewhere; serve until what is under way has ended
 */
#include <string.h>
#include <xatmi.h>

#include "libatmi/call/life.h"
#include "libatmi/wire/trace.h"
#include "libatmisrv/own.h"
#include "libatmisrv/tran_scope.h"
#include "libatmisrv/server.h"

int ow_answer_own(char *ctxdata, char *data, long len)
{
	struct ow_server *s;

	if (tpsrvsetctxdata(ctxdata, 0) != 0) {
		tpfree(data);
		return 1;
	}
	s = ow_server_used();
	s->rq.unsent = false;
	tpreturn(TPSUCCESS, 0, data, len, 0);
	return s->rq.unsent;
}

static struct ow_waitset *own_waitset; /* of the main thread; NULL: none */

void ow_own_ends(bool (*may_end)(void))
{
	struct ow_server *s = ow_server_self();

	s->may_end = may_end;
	own_waitset = s->waitset;
}

void ow_own_wake(void)
{
	if (own_waitset != NULL)
		ow_waitset_kick(own_waitset);
}

int ow_leave_own(void)
{
	return ow_tran_scope_end(ow_server_used(), 0);
}

bool ow_own_trace(struct ow_trace *ret)
{
	static const uint8_t none[sizeof(ret->trace_id)];
	const struct ow_server *s = ow_server_used();

	if (s == NULL || s->ctx == NULL ||
	    memcmp(s->ctx->trace.trace_id, none, sizeof(none)) == 0)
		return false;
	*ret = s->ctx->trace;
	return true;
}

void ow_own_go_on(const struct ow_trace *t)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c != NULL && t != NULL)
		c->trace = *t;
	else if (c != NULL)
		ow_trace_leave(&c->trace);
}
