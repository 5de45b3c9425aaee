/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - a queue object that stands for a mailbox
 *
 * Private to this folder: queue.c makes it, exchange.c sends and receives.
 */
#ifndef OW_MAIL_QUEUE_H
#define OW_MAIL_QUEUE_H

#include "libatmi/transport/looking.h"
#include "libatmi/transport/transport.h"
#include "libatmi/waking/yield.h"

struct mail_queue {
	struct ow_queue base;
	struct ow_domain *dom;
	uint32_t slot;
	/* of the context that receives */
	struct ow_yield yield;
	struct ow_looker looker;
};

static inline struct mail_queue *mail_of(struct ow_queue *q)
{
	return (struct mail_queue *)q;
}

/* Operations of the table (transport.h). */
int ow_mail_send(struct ow_queue *q, struct ow_envelope *e, unsigned int prio,
		 uint64_t deadline);
int ow_mail_recv(struct ow_queue *q, struct ow_envelope *e, uint64_t deadline);
int ow_mail_wait_either(struct ow_queue *full, struct ow_queue *in,
			uint64_t deadline);

#endif
