/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lone.h - a domain of one program: segments and queues, no servers
 *
 * For measurements of transport operations (libatmi/transport/transport.h),
 * which need no supervisor. The environment names the domain; bench/domain.py
 * chooses a random name and removes what a killed program leaves.
 */
#ifndef OW_BENCH_LONE_H
#define OW_BENCH_LONE_H

#include <stddef.h>
#include <stdint.h>

struct ow_domain;
struct ow_queue;

#define OW_LONE_QUEUE ow_service_queue("BENCH")

/* Make the domain; ends the program with a message when that fails. */
struct ow_domain *ow_lone_open(void);
/* Its only queue, with the largest possible depth up to `depth`, which goes to
 * *ret_depth. Ends the program when no depth is possible. */
struct ow_queue *ow_lone_queue(struct ow_domain *d, uint32_t depth,
			       uint32_t msgsize, uint32_t *ret_depth);
/* Send `len` bytes as a request to a queue, receive the next message into
 * `buf` (at most `size` bytes of payload): as ow_queue_send, ow_queue_recv. */
int ow_lone_send(struct ow_domain *d, struct ow_queue *q, const void *bytes,
		 size_t len, unsigned int prio, uint64_t deadline);
int ow_lone_recv(struct ow_domain *d, struct ow_queue *q, void *buf,
		 size_t size, uint64_t deadline);
/* Remove the queue and the segments. */
void ow_lone_close(struct ow_domain *d, struct ow_queue *q);

#endif
