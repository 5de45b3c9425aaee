/* SPDX-License-Identifier: Apache-2.0 */
/*
 * continued.h - requests that threads answer after their service has ended
 *
 * tpsrvgetctxdata() hands the request in hand on: it gets a number and a record
 * of its own (doc/design/crash.md), and from then on any thread of the process
 * that knows the number may take it (tpsrvsetctxdata()) and end it by
 * tpreturn() or tpforward(). The service leaves by tpcontinue(); as long as no
 * thread has taken the request, it may take it back and end it itself. Whoever
 * comes first has it: each request is answered once.
 *
 *	OPEN	no thread has it
 *	HELD	a thread has taken it
 *	ENDING	that thread sends the answer, or forwards it
 *	OVER	it has left the process; to be counted
 *
 * A request of a transaction is handed on without it: the service leaves the
 * transaction, and the thread that takes the request joins it.
 *
 * One lock guards states and table. Figures are of the main thread: it counts
 * what is OVER in its tick.
 */
#ifndef OW_CONTINUED_H
#define OW_CONTINUED_H

#include <stdbool.h>
#include <stdint.h>

struct ow_server;
struct ow_proxy;

enum ow_continued_result {
	OW_CONTINUED_UNKNOWN = 1, /* it has ended, or never was */
	OW_CONTINUED_HELD,	  /* another thread has it */
	OW_CONTINUED_OUTSIDE,	  /* the thread has no request */
	OW_CONTINUED_INSIDE, /* the thread is in a transaction, and the request
				is of one */
	OW_CONTINUED_LOST, /* its transaction cannot be joined: it is refused */
};

/* ---- the service, or a thread that has taken the request ---- */

/* Hand the request on: 0 with its number, which it keeps; OUTSIDE; -ENOSPC, no
 * shared memory for its record; -ENOMEM. A service may call it several times. */
int ow_continued_begin(struct ow_server *s, uint64_t *ret_number);
/* The service function has ended without a reply. False: its request was not
 * handed on. */
bool ow_continued_leave(struct ow_server *s);
/* tpreturn() or tpforward() is called: the request is this thread's alone now,
 * and is in s->rq. False: the thread has none, or another one has taken it. */
bool ow_continued_resume(struct ow_server *s);
/* The record of the continued request that this thread answers; NULL: its block
 * is its record. */
struct ow_msg *ow_continued_record(const struct ow_server *s);

/* ---- threads, through their proxy servers ---- */

/* Take request `number`: 0, UNKNOWN, HELD, INSIDE, LOST. `keep`: its buffer becomes the
 * program's. */
int ow_continued_take(struct ow_proxy *st, uint64_t number, bool keep);
/* Let go of it; another thread can take it. */
void ow_continued_let_go(struct ow_proxy *st);
/* tpreturn() or tpforward() has done its work. In the service: nothing. */
void ow_continued_end(struct ow_server *s);
/* tpexit() in such a thread. */
void ow_continued_exit(void);

/* ---- the server's loop ---- */

/* Each second: count what is OVER; drop what nobody has taken in time. */
void ow_continued_tick(struct ow_server *s, uint64_t now);
/* The server ends: TPESVCERR to the callers of all that are left. */
void ow_continued_refuse_all(struct ow_server *s);

#endif
