/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand_in.h - what a thread that answers a continued request uses as server
 *
 * tpreturn() and tpforward() work on the server object of their thread. For a
 * thread that has taken a continued request this is a copy of what they need:
 * with the thread's context, and with figures and slot of its own, because
 * those of the server have one writer. It is made by the thread's first
 * tpsrvsetctxdata() and freed when the thread ends.
 */
#ifndef OW_STAND_IN_H
#define OW_STAND_IN_H

#include "libatmisrv/server.h"

struct ow_stand_in {
	struct ow_server server; /* rq.continued: the request that it has */
	struct ow_server *before; /* what the thread used before */
	struct ow_adv figures;
	struct ow_srv slot;
	char *kept; /* TPNOAUTBUF: the buffer that the program keeps */
	/* The thread ends and has a request. */
	void (*abandon)(struct ow_stand_in *st);
};

/* The stand-in of this thread; NULL: no memory. */
struct ow_stand_in *ow_stand_in_need(void);
/* Of the same server object; NULL: it is no stand-in. */
struct ow_stand_in *ow_stand_in_of(struct ow_server *s);

/* This thread has taken a request of service row `row`: use it from now on. */
void ow_stand_in_use(struct ow_stand_in *st, struct ow_server *host,
		     uint32_t row);
/* It has none any more: use what it used before. */
void ow_stand_in_rest(struct ow_stand_in *st);
/* Prepare to send: false, the thread has lost its context, or has one of
 * another domain. */
bool ow_stand_in_prepare(struct ow_stand_in *st);
/* The counterpart; adds what was counted to the server's slot. */
void ow_stand_in_finish(struct ow_stand_in *st);

#endif
