/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - a server receives one-way requests in a run, without bytes
 */
#include "libatmi/transport/posix/run.h"

#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/waking/constants.h"
#include "libatmi/wire/msg.h"

void ow_run_note(struct ow_run *r, const struct ow_msg *m)
{
	r->oneway = m != NULL && m->kind == OW_MSG_REQUEST && m->cd == 0;
}

/* Take the bytes that are owed, and give back those of messages that are in the
 * queue: they may have been among them. */
static void settle(struct posix_queue *q)
{
	struct ow_run *r = &q->run;
	uint32_t taken = ow_fifo_take_many(q->fifo, r->owed), depth = 0;

	OW_FAULT("posix.run_settled");
	r->owed = taken == OW_FIFO_MANY ? r->owed - taken : 0;
	if (taken == 0 || ow_posix_depth(&q->base, &depth) != 0 || depth == 0)
		return;
	if (depth > taken)
		depth = taken;
	ow_fifo_put_many(q->fifo, depth);
	r->owed += depth;
}

bool ow_posix_runs_on(struct ow_queue *base, bool got)
{
	struct posix_queue *q = posix_of(base);
	struct ow_run *r = &q->run;

	/* In mode even the next server is to have the next message. */
	if (q->svc == NULL)
		return false;
	if (got && r->length > 0)
		r->owed++;
	if (got && r->oneway && r->length < q->waking->run_max) {
		r->length++;
		return true;
	}
	r->length = 0;
	if (!got && r->owed > 0)
		settle(q);
	return false;
}
