/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy.h - what a thread that answers a continued request uses as server
 *
 * tpreturn() and tpforward() work on the server object of their thread. For a
 * thread that has taken a continued request this is a copy of what they need:
 * with the thread's context, and with figures and slot of its own, because
 * those of the server have one writer. It is made by the thread's first
 * tpsrvsetctxdata() and freed when the thread ends.
 */
#ifndef OW_PROXY_H
#define OW_PROXY_H

#include "libatmisrv/server.h"

struct ow_proxy {
	struct ow_server server; /* rq.continued: the request that it has */
	struct ow_server *before; /* what the thread used before */
	struct ow_adv figures;
	struct ow_srv slot;
	char *kept; /* TPNOAUTBUF: the buffer that the program keeps */
	/* The thread ends and has a request. */
	void (*abandon)(struct ow_proxy *st);
};

/* The proxy server of this thread; NULL: no memory. */
struct ow_proxy *ow_proxy_need(void);
/* Of the same server object; NULL: it is no proxy server. */
struct ow_proxy *ow_proxy_of(struct ow_server *s);

/* This thread has taken a request of service row `row`: use it from now on. */
void ow_proxy_use(struct ow_proxy *st, struct ow_server *host, uint32_t row);
/* It has none any more: use what it used before. */
void ow_proxy_rest(struct ow_proxy *st);
/* Prepare to send: false, the thread has lost its context, or has one of
 * another domain. */
bool ow_proxy_prepare(struct ow_proxy *st);
/* The counterpart; adds what was counted to the server's slot. */
void ow_proxy_finish(struct ow_proxy *st);

#endif
