/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - answer a request that was handed on, and learn whether it was sent
 */
#include <xatmi.h>

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

int ow_leave_own(void)
{
	return ow_tran_scope_end(ow_server_used(), 0);
}
