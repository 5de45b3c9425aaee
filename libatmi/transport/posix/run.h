/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a server receives one-way requests in a run, without bytes
 *
 * A server takes a byte from the FIFO for each message (fifo.h): it waits in
 * epoll, takes the byte, receives. That is three system calls where one would
 * do while the queue has more. One-way requests come in bursts, as their
 * sender waits for nothing. So a server that has served one tries to receive
 * the next one at once, and takes no byte for it: a run. It ends with the first
 * attempt that finds no one-way request, or after `run_max` of
 * them (libatmi/waking/constants.h).
 *
 * The bytes stay where they were, so that idle servers are woken as ever, also
 * while this one serves a slow request. The server owes the FIFO as many bytes
 * as it has received messages without one. When it finds the queue empty it
 * takes them, with one system call, then looks how many messages are in the
 * queue by now, and gives so many bytes back, at most those it has taken: if
 * another server was woken by one of them, in vain, this one has taken the byte
 * of a message that waits. What it gives back may be surplus, so it is owed
 * again.
 *
 * After that no message lacks its byte. A byte comes after its message. So the
 * message of each byte that was taken is in the queue, and counted, or a
 * server has received it.
 *
 * What a death leaves. Killed during the run: surplus bytes, which wake
 * servers in vain. Killed after the bytes were taken, before some were given
 * back: messages without a byte, as after a death between byte and message
 * (fifo.h): nudges and polls find them. A stopped server leaves the same.
 */
#ifndef OW_RUN_H
#define OW_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "libatmi/transport/posix/posix.h"
#include "libatmi/wire/msg.h"

static inline bool ow_run_is_oneway(const struct ow_msg *m)
{
	return m != NULL && m->kind == OW_MSG_REQUEST && m->cd == 0;
}

/* The rest of ow_run_attempted(). */
void ow_run_go_on(struct posix_queue *q, const struct ow_msg *m);

/* A server has tried to receive from the queue of a service, and has received
 * `m`; NULL: nothing. q->base.runs then says whether the server tries again
 * before it waits. */
static inline void ow_run_attempted(struct posix_queue *q,
				    const struct ow_msg *m)
{
	if (ow_run_is_oneway(m) || q->run.length > 0 || q->run.owed > 0)
		ow_run_go_on(q, m);
}

#endif
