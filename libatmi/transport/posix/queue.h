/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - what posix/queue.c and posix/waitset.c know of each other
 */
#ifndef OW_QUEUE_POSIX_H
#define OW_QUEUE_POSIX_H

#include <mqueue.h>

#include "libatmi/transport/patience.h"
#include "libatmi/transport/transport.h"

struct posix_queue {
	struct ow_queue base;
	mqd_t mq;
	int bell; /* see bell.h; -1: none */
	size_t msgsize;
	struct ow_patience patience; /* of who waits at a reply queue */
};

static inline struct posix_queue *posix_of(struct ow_queue *q)
{
	return (struct posix_queue *)q;
}

int ow_waitset_posix_open(struct ow_domain *d, uint32_t srvid,
			  struct ow_waitset **ret);
void ow_srv_posix_ring(struct ow_domain *d, uint32_t srvid);

#endif
