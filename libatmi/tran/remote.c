/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.c - what tmsrv of different nodes say to each other
 */
#include "libatmi/tran/remote.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/system.h"
#include "libatmi/domain/tcp_link.h"

bool ow_tm_remote_is(const char *data, long len)
{
	struct ow_tm m;

	if (len != (long)sizeof(struct ow_tm_remote) || !ow_tm_is(data, len))
		return false;
	memcpy(&m, data, sizeof(m));
	return m.op >= OW_TM_REMOTE_STATUS;
}

const char *ow_tm_remote_service(uint32_t node, char (*name)[16])
{
	struct ow_ctx *c = ow_ctx_get();

	return c == NULL || c->dom == NULL
		   ? OW_TM_REMOTE
		   : ow_tcp_link_to(c->dom->tables, node, OW_TM_REMOTE, name);
}

int ow_tm_remote_ask(const char *svc, struct ow_tm_remote *f, int seconds)
{
	struct ow_system_call q = { .svc = svc,
				    .flags = TPNOTRAN | TPSIGRSTRT };
	struct ow_ctx *c = ow_ctx_get();
	struct ow_system_answer a;
	int r;

	if (c == NULL)
		return -1;
	q.deadline = ow_clock_mono_ns() + (uint64_t)seconds * OW_NS_PER_SEC;
	f->m.magic = OW_TM_MAGIC;
	ow_system_add(&q, f, sizeof(*f));
	r = ow_system_call(c, &q, &a);
	if (r == 0 && ow_tm_is(a.data, (long)a.len))
		memcpy(f, a.data, a.len < sizeof(*f) ? a.len : sizeof(*f));
	else if (r == 0)
		r = ow_tp_fail(TPESYSTEM, "%s: not the answer of a tmsrv", svc);
	ow_system_done(c, &a);
	return r;
}

int ow_tm_remote_ask_owner(struct ow_tm_remote *f, int seconds)
{
	char svc[OW_TM_SERVICE];

	ow_tm_service_of(tpgetnodeid(), f->m.tran, svc);
	return ow_tm_remote_ask(svc, f, seconds);
}
