/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - a service queue on a computed machine, with the words of shmq.h
 */
#ifndef OW_SIM_QUEUE_H
#define OW_SIM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/whom.h"

/* LOOKING: as IDLE, but the server looks at its word and needs no futex. */
enum sim_word { SIM_AWAKE, SIM_IDLE, SIM_LOOKING, SIM_WOKEN };

#define SIM_STANDBY UINT32_MAX /* in place of 1 + rank: a server stands by */

struct sim_message {
	uint64_t sent_ns;
	uint32_t caller;
};

struct sim_queue {
	const struct ow_waking *k;
	struct sim_message *ring;
	uint64_t first, room;
	uint32_t n; /* messages */
	uint64_t taken;
	uint32_t pending; /* 1 + rank; 0: no wake-up is pending */
	uint64_t pending_ns;
	uint64_t emptied_ns; /* of the pending wake-up, when a server found the
				queue empty */
	struct ow_waking_ranks ranks;
	_Atomic uint64_t *idle;
	uint32_t last_woken; /* 1 + rank */
	bool was_looking;    /* that server, when it was chosen */
	enum sim_word *word; /* by rank */
};

void sim_queue_open(struct sim_queue *q, uint32_t servers, bool even,
		    const struct ow_waking *k);
void sim_queue_close(struct sim_queue *q);

void sim_queue_put(struct sim_queue *q, struct sim_message m);
/* The queue has a message. */
struct sim_message sim_queue_take(struct sim_queue *q);

/* There may be messages: choose a server and set its words as
 * ow_shmq_notify() and ow_shmq_nudge() do. Its rank, for the caller to wake;
 * -1: none. */
int sim_queue_notify(struct sim_queue *q, uint64_t now_ns);
int sim_queue_nudge(struct sim_queue *q, uint64_t now_ns);
bool sim_queue_on_way(const struct sim_queue *q, uint64_t now_ns);

void sim_queue_set_idle(struct sim_queue *q, uint32_t rank, bool warm);
/* The server was woken for the queue: the time since then. 0: another wake-up
 * is pending, or the queue was empty since. */
uint64_t sim_queue_late(const struct sim_queue *q, uint32_t rank,
			uint64_t now_ns);
/* A server stands by from now on. */
void sim_queue_stand_by(struct sim_queue *q, uint64_t now_ns);
/* A server has found the queue empty. */
void sim_queue_was_empty(struct sim_queue *q);
/* The server is not on its way any more. */
void sim_queue_finish_wake(struct sim_queue *q, uint32_t rank);

#endif
