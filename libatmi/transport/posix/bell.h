/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.h - a pipe beside a service queue that says "one more message"
 *
 * Stock kernels wake two servers per message when the queue itself is waited
 * on: mq_send() wakes one, and the receive of that one wakes another (it is
 * meant for writers, but carries no key). A pipe does it right. With wake
 * "bell" the sender queues its message and then writes one byte; servers wait
 * on the pipe with EPOLLEXCLUSIVE, take one byte and receive one message.
 *
 * Bytes and messages may drift apart. More bytes than messages (a queue was
 * drained, a sweep took a message): somebody wakes for nothing. Fewer (a
 * sender died between message and byte, a server between byte and message):
 * ndrxd's nudge and the servers' sweep find the message. A full pipe has
 * more bytes than any queue has messages: no error.
 *
 * The pipe is a FIFO beside the shared segments, for that is where every
 * process of the domain looks anyway; it comes and goes with its queue.
 */
#ifndef OW_BELL_H
#define OW_BELL_H

#include <stdbool.h>

struct ow_domain;

enum ow_bell_result {
	OW_BELL_NONE = 1, /* this domain or this queue has no bells */
	OW_BELL_QUIET = 2, /* take: another server was quicker */
};

#pragma GCC visibility push(default)

/* Open the bell of queue `name`, made if `create`: 0 with *ret_fd, NONE,
 * -errno. */
int ow_bell_open(const struct ow_domain *d, const char *name, bool create,
		 int *ret_fd);
/* One more message is queued. */
void ow_bell_ring(int fd);
/* Take one byte: 0 or QUIET. */
int ow_bell_take(int fd);
void ow_bell_remove(const struct ow_domain *d, const char *name);

#pragma GCC visibility pop
#endif
