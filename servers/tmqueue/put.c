/* SPDX-License-Identifier: Apache-2.0 */
/*
 * put.c - put a message of tmqueue itself into a queue
 */
#include "servers/tmqueue/put.h"

#include "libatmi/base/clock.h"

int execute_put(struct space *sp, const char *name, struct message *m,
		bool *ret_put)
{
	struct queue *q = queues_use(&sp->queues, name);
	int r;

	*ret_put = q != NULL;
	if (q == NULL)
		return 0;
	m->order.magic = 0;
	m->head.rank = q->def.mode == MODE_PRIORITY
			   ? (uint8_t)(100 - m->head.priority) : 0;
	m->head.since_ns = ow_clock_real_ns();
	r = message_write(&sp->store, &sp->queues, q, m);
	q->now.enqueued++;
	return r != 0 ? r
		      : message_show(&sp->store, q, m,
				     q->def.automatic && q->def.wait_init_ns
					 ? m->head.since_ns +
					       q->def.wait_init_ns
					 : 0,
				     0);
}
