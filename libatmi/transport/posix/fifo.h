/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo.h - the FIFO beside a service queue: one byte for each message
 *
 * Stock kernels wake two servers per message when the queue itself is waited
 * on: mq_send() wakes one, and the receive of that one wakes another (that
 * wake-up is meant for writers, but carries no key). A FIFO wakes one. With
 * NDRX_WAKE=bell or even the sender queues its message and then writes one
 * byte; servers wait on the FIFO with EPOLLEXCLUSIVE, take one byte and
 * receive one message.
 *
 * Bytes and messages may drift apart. More bytes than messages (a queue was
 * drained, a polling server took a message): a server wakes in vain. Fewer (a
 * sender died between message and byte, a server between byte and message):
 * ndrxd's nudge and the servers' polls find the message. A full FIFO has more
 * bytes than any queue has messages: no error.
 *
 * The FIFO lies beside the shared segments, the place that every process of
 * the domain knows anyway; it comes and goes with its queue.
 */
#ifndef OW_FIFO_H
#define OW_FIFO_H

#include <stdbool.h>

struct ow_domain;

enum ow_fifo_result {
	OW_FIFO_NONE = 1,  /* queues of this domain have no FIFO */
	OW_FIFO_EMPTY = 2, /* take: another server was quicker */
};

#pragma GCC visibility push(default)

/* Open the FIFO of a service, made if `create`: 0 with *ret_fd, NONE,
 * -errno. */
int ow_fifo_open(const struct ow_domain *d, const char *service, bool create,
		 int *ret_fd);
/* Write one byte: one more message is queued. */
void ow_fifo_put(int fd);
/* Take one byte: 0 or EMPTY. */
int ow_fifo_take(int fd);
void ow_fifo_remove(const struct ow_domain *d, const char *service);

#pragma GCC visibility pop
#endif
