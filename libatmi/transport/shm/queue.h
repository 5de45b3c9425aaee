/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - what shm/queue.c and shm/waitset.c know of each other
 */
#ifndef OW_QUEUE_SHM_H
#define OW_QUEUE_SHM_H

#include "libatmi/transport/patience.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/transport/transport.h"

/* A service's queue, or (shmq NULL) a client's mailbox. */
struct shm_queue {
	struct ow_queue base;
	struct ow_domain *dom;
	struct ow_shmq *shmq;
	uint32_t slot; /* of the mailbox */
	uint32_t rank; /* of the server that waits for it */
	bool woken;    /* it was woken for this queue, and has not looked */
	uint32_t quick; /* services in a row that were quick */
	uint64_t taken; /* out of it, when it was last in doubt */
	struct ow_patience patience; /* of who waits at the mailbox */
};

static inline struct shm_queue *shm_of(struct ow_queue *q)
{
	return (struct shm_queue *)q;
}

int ow_waitset_shm_open(struct ow_domain *d, uint32_t srvid,
			struct ow_waitset **ret);
void ow_srv_shm_ring(struct ow_domain *d, uint32_t srvid);

#endif
