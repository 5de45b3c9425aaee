/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo.h - the FIFO beside a service queue: a byte wakes a server
 *
 * Stock kernels wake two servers per message if servers wait on the queue
 * itself: mq_send() wakes one, and when that server receives, the kernel
 * wakes another (a wake-up meant for writers that carries no key). A FIFO
 * wakes one. With NDRX_WAKE=bell or even the sender queues its message, then
 * writes one byte, with bell only if no woken server is on its way (bell.h);
 * servers wait on the FIFO with EPOLLEXCLUSIVE, take one byte and receive one
 * message.
 *
 * Surplus bytes (a queue was drained, a polling server took a message): a
 * server wakes in vain. A byte too few (a sender died between message and
 * byte, a server between byte and message): nudges and the polls of servers
 * find the message. A full FIFO is no error: each byte wakes a server.
 *
 * The FIFO lies beside the shared segments, in a folder that every process of
 * the domain knows. It is created and removed with its queue.
 */
#ifndef OW_FIFO_H
#define OW_FIFO_H

#include <stdbool.h>
#include <stdint.h>

struct ow_domain;

enum ow_fifo_result {
	OW_FIFO_NONE = 1,  /* queues of this domain have no FIFO */
	OW_FIFO_EMPTY = 2, /* take: another server was quicker */
};

/* Open the FIFO of a service, creating it if `create`: 0 with *ret_fd, NONE,
 * -errno. */
int ow_fifo_open(const struct ow_domain *d, const char *service, bool create,
		 int *ret_fd);
/* Write one byte: wake one server. */
void ow_fifo_put(int fd);
/* Take one byte: 0 or EMPTY. */
int ow_fifo_take(int fd);
void ow_fifo_remove(const struct ow_domain *d, const char *service);

#endif
