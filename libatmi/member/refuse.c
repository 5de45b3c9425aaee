/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c - refuse a request that no server will serve
 */
#include "libatmi/member/refuse.h"

#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/member/lost.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/transport.h"

static void count(struct ow_domain *d, const struct ow_msg *request)
{
	atomic_fetch_add(&d->tables->svc[request->svc].failed, 1);
	if (request->cd != 0)
		return;
	ow_lost_note(d, request,
		     request->tperr <= 0 ? "its server died with it in hand"
					 : "no server had begun it, and none "
					   "is expected to");
}

void ow_refuse_mark(struct ow_msg *request, int tperr)
{
	request->tperr = tperr;
}

int ow_refuse(struct ow_domain *d, const struct ow_msg *request)
{
	if (ow_reply_refuse(d, request) == OW_REPLY_FULL)
		return OW_QUEUE_FULL;
	count(d, request);
	return 0;
}

void ow_refuse_later(struct ow_domain *d, struct ow_envelope *e)
{
	uint32_t client = e->head->clt_slot;

	count(d, e->head);
	if (d->transport->postpone(d, e) != 0)
		log_warn("client %u: its mailbox is full, and so is %s: "
			 "it is not told that its request was refused, the "
			 "call ends at its deadline", client, d->shm_dir);
}
