/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - a program's own loop waits for a context by a descriptor
 *
 * The descriptor is that of a socket which senders make readable
 * (transport/mail/socket.h). What holds whenever the program is outside of our
 * functions:
 *
 *	The socket has a byte, or its sender is about to write it; or the
 *	mailbox is marked POLLED: then nothing has come since the program last
 *	looked and found nothing, and the next sender writes the byte.
 *
 * settle() makes it so: it takes in what has come; if something waits for the
 * program (a kept reply, a message or the end of a conversation) it leaves the
 * byte, else it takes the byte away and marks the mailbox. It is called where a
 * program learns that nothing is there: tpgetrply() and tprecv() with TPEBLOCK,
 * tpchkunsol() with 0, tpreplytimeout(). Nothing else takes a byte away: not
 * the fetching of a reply, nor a call that waits by itself. So after such a
 * call the socket may be readable for nothing, once, and never the other way
 * round.
 *
 * A notice of unsolicited messages comes through the mailbox like a reply.
 * Each notice that was taken in has left a byte, so settle() follows and arms
 * the inbox again. What comes through no mailbox (a cached reply, a handler
 * that was set, and has not armed its inbox) writes a byte itself: rouse().
 *
 * What a wait would do now and then (await.c) settle() does when it is due:
 * nudge the queues of services that were called, look whether the other ends of
 * conversations live, take in what was postponed. ow_loop_due_ns() says when.
 */
#ifndef OW_LOOP_H
#define OW_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct ow_ctx;

/* The descriptor of the context, which has a slot: made when there is none.
 * -errno. */
int ow_loop_need(struct ow_ctx *c);
/* Is something there for the program? */
bool ow_loop_has_come(const struct ow_ctx *c);
/* After settle(): when it is due again, OW_LOOP_LATEST_NS from now at the
 * latest. */
uint64_t ow_loop_due_ns(struct ow_ctx *c, uint64_t now);

/* Take in messages until something is there for the program: 0; TIMEOUT, SIGNAL,
 * -errno (transport.h). Marks and bytes stay as they are: a wait ends so. */
int ow_loop_wait(struct ow_ctx *c, uint64_t until);

#define OW_LOOP_LATEST_NS UINT64_C(1000000000)

#endif
