/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c - refuse a request that no server will serve
 */
#include "libatmi/member/refuse.h"

#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/domain/tables.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/transport.h"

void ow_refuse_count(struct ow_domain *d, const struct ow_msg *request)
{
	atomic_fetch_add(&d->tables->svc[request->svc].failed, 1);
}

int ow_refuse(struct ow_domain *d, const struct ow_msg *request)
{
	if (ow_reply_error(d, request, TPESVCERR) == OW_REPLY_FULL)
		return OW_QUEUE_FULL;
	ow_refuse_count(d, request);
	return 0;
}
