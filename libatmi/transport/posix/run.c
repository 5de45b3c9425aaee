/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - a server receives one-way requests in a run, without bytes
 */
#include "libatmi/transport/posix/run.h"

#include "libatmi/base/fault.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/waking/constants.h"

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

void ow_run_go_on(struct posix_queue *q, const struct ow_msg *m)
{
	struct ow_run *r = &q->run;

	if (m == NULL && r->owed > 0)
		settle(q);
	if (m != NULL && r->length > 0)
		r->owed++;
	q->base.runs = ow_run_is_oneway(m) && r->length < q->waking->run_max;
	r->length = q->base.runs ? r->length + 1 : 0;
}
