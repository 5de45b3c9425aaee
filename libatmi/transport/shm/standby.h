/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standby.h - a server of the wait set that stands by, or gives way
 *
 * shmq.h describes the protocol, libatmi/waking/standby.h when a server does
 * that. A server stands by for one queue at a time.
 */
#ifndef OW_SHM_STANDBY_H
#define OW_SHM_STANDBY_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/transport/shm/shm.h"
#include "libatmi/transport/standby.h"

struct shm_standby {
	struct ow_standby measured;
	struct shm_queue *by; /* for which this server stands by, or NULL */
	uint64_t due_ns;      /* until then */
	struct shm_queue *held; /* for which it is to give way, or NULL */
};

/* The server was woken for the queue: does it stand by? */
bool ow_shm_stands_by(struct shm_standby *s, struct shm_queue *q);
/* It has served a request of the queue. */
void ow_shm_standby_served(struct shm_queue *q, uint64_t since_ns,
			   uint64_t took_ns);
/* Before it looks for work: does it give way, and goes to sleep? */
bool ow_shm_gives_way(struct shm_standby *s);
/* It has found the queue empty, and is about to go idle. */
void ow_shm_was_empty(struct shm_queue *q);
/* It has slept from `from_ns` on, for it stood by: is that over? Then the queue
 * for which it receives, as if woken for it; else NULL. */
struct shm_queue *ow_shm_standby_over(struct shm_standby *s,
				      uint64_t from_ns);
/* The queue joins the wait set, leaves it. */
void ow_shm_standby_join(struct shm_standby *s, struct shm_queue *q);
void ow_shm_standby_drop(struct shm_standby *s, struct shm_queue *q);

#endif
