/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fifo.h - the FIFO beside a service queue: one byte for each message
 *
 * Stock kernels wake two servers per message if servers wait on the queue
 * itself: mq_send() wakes one, and when that server receives, the kernel
 * wakes another (a wake-up meant for writers that carries no key). A FIFO
 * wakes one. With NDRX_WAKE=bell or even the sender queues its message, then
 * writes one byte; servers wait on the FIFO with EPOLLEXCLUSIVE, take one
 * byte and receive one message.
 *
 * The number of bytes may differ from the number of messages. More bytes (a
 * queue was drained, a polling server took a message): a server wakes in
 * vain. Fewer bytes (a sender died between message and byte, a server between
 * byte and message): ndrxd's nudge and the polls of servers find the message.
 * A full FIFO is no error: it holds more bytes than any queue has messages.
 *
 * The FIFO lies beside the shared segments, in a folder that every process of
 * the domain knows. It is created and removed with its queue.
 */
#ifndef OW_FIFO_H
#define OW_FIFO_H

#include <stdbool.h>
#include <stdint.h>

#define OW_FIFO_MANY 4096u /* bytes of one system call */

struct ow_domain;

enum ow_fifo_result {
	OW_FIFO_NONE = 1,  /* queues of this domain have no FIFO */
	OW_FIFO_EMPTY = 2, /* take: another server was quicker */
};

/* Open the FIFO of a service, creating it if `create`: 0 with *ret_fd, NONE,
 * -errno. */
int ow_fifo_open(const struct ow_domain *d, const char *service, bool create,
		 int *ret_fd);
/* Write one byte, for one more message in the queue. */
void ow_fifo_put(int fd);
/* Take one byte: 0 or EMPTY. */
int ow_fifo_take(int fd);
/* The same with up to `n` bytes, at most OW_FIFO_MANY. Returns how many were
 * taken. */
void ow_fifo_put_many(int fd, uint32_t n);
uint32_t ow_fifo_take_many(int fd, uint32_t n);
void ow_fifo_remove(const struct ow_domain *d, const char *service);

#endif
