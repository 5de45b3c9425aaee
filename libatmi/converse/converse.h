/* SPDX-License-Identifier: Apache-2.0 */
/*
 * converse.h - what the functions of conversations share: finding, waiting, events
 *
 * A program that waits for the other end of a conversation receives whatever
 * comes for its context: replies and messages of other conversations are kept.
 * It looks every 43 ms whether the other end still lives; so it needs neither
 * a supervisor nor a time-out to hear of a kill.
 *
 * Onlookers are told of a wait at the first of these looks that finds nothing,
 * and at each one after it since when the queue is known to be empty
 * (domain/wait_note.h).
 */
#ifndef OW_CONVERSE_H
#define OW_CONVERSE_H

#include <stdbool.h>
#include <stdint.h>

struct ow_ctx;
struct ow_msg;
struct ow_conv;

/* Beside the results of a queue (transport.h): the conversation has ended. */
#define OW_CONVERSE_OVER 100

/* The conversations of the context, which has a slot, with room for one more
 * of request `m` (of the slot, or to it): 0, or -1 with tperrno. */
int ow_converse_begin(struct ow_ctx *c, bool began, const struct ow_msg *m,
		      struct ow_conv **ret);
/* The conversation `cd` of this thread: 0, or -1 with tperrno. */
int ow_converse_find(int cd, struct ow_ctx **ret, struct ow_conv **ret_conv);

/* At the beginning of a function: take in what has come, unless that was done a
 * moment ago. `now` is a recent reading of the clock. */
void ow_converse_refresh(struct ow_ctx *c, struct ow_conv *t, uint64_t now);
/* Does the other end live? If not, the conversation is over, once all that came
 * from it is taken in. */
void ow_converse_look(struct ow_ctx *c, struct ow_conv *t, uint64_t now);
/*
 * One step of waiting for something to come, until the deadline at most: 0 (see
 * whether it has), TIMEOUT, SIGNAL, -errno. *ret_direct: the next message of
 * `t` is in c->in; NULL: each message is kept, and the thread, which owns
 * something, is not cancelled here.
 */
int ow_converse_wait(struct ow_ctx *c, struct ow_conv *t, uint64_t deadline,
		     bool *ret_direct);
/* The same while the queue of the other end is full: until it has room. */
int ow_converse_wait_room(struct ow_ctx *c, struct ow_conv *t,
			  uint64_t deadline);
/* Waiting is over, whatever its outcome. */
void ow_converse_waited(struct ow_ctx *c, struct ow_conv *t);
/* The error of a wait that failed with `r`, which is not 0: -1. */
int ow_converse_fail(struct ow_ctx *c, int r, const char *what);

/*
 * The conversation is over: tell the program. -1 with tperrno TPEEVENT and
 * *revent (NULL: not wanted); the data of tpreturn() go to *data unless `data`
 * is NULL. The descriptor is free afterwards. An event other than TPEV_SVCSUCC
 * dooms the transaction of both.
 */
int ow_converse_event(struct ow_ctx *c, struct ow_conv *t, char **data,
		      long *len, long flags, long *revent);
/* Is a conversation open that takes part in the transaction of the context?
 * `began`: one that this context has begun. */
bool ow_converse_is_in(const struct ow_ctx *c, bool began);
/* Transaction `tran` has ended: leave the conversations that this context has
 * begun in it. */
void ow_converse_end_of(struct ow_ctx *c, uint64_t tran);

/* ---- for servers ---- */

/* Accept the conversation that request `m` begins: 0, or -1 with tperrno. */
int ow_converse_accept(struct ow_ctx *c, const struct ow_msg *m, int *ret_cd);
/* The tperrno with which the service may end conversation `cd`: `tperr`;
 * another one, because it is the other end's turn to send; -1: the other end
 * has left. */
int ow_converse_outcome(const struct ow_ctx *c, int cd, int tperr,
			bool with_data);
/* The service has ended, conversation `cd` (-1: none) by its reply: close all
 * that are open. There have been some: c->convs is not NULL. */
void ow_converse_end_service(struct ow_ctx *c, int cd);

#endif
