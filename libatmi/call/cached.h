/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cached.h - kept replies in the path of tpcall() and tpacall()
 *
 * Station 2 of a call whose service has the mark OW_SVC_CACHED, and again at
 * station 8. Other services come by none of it. A call asks for no kept reply,
 * and leaves none, where a rule says who may call, in a transaction, and with
 * a call header.
 */
#ifndef OW_CACHED_H
#define OW_CACHED_H

#include <stdint.h>

struct ow_ctx;
struct ow_envelope;
struct ow_sending;

/* What a kept reply has to do with a request. */
enum ow_cached_use {
	OW_CACHED_NOT = 0, /* nothing: it is not to be cached */
	OW_CACHED_KEEP,	   /* there is none: the reply is to be kept */
	OW_CACHED_FOUND,   /* there is one: ow_cached_deliver() */
};

/* The service is cached, and a kept reply would do: NOT, KEEP or FOUND. now_ns: when
 * the call began. */
enum ow_cached_use ow_cached_look(struct ow_ctx *c, const char *svc,
				  const struct ow_sending *data, long flags,
				  uint64_t now_ns);
/* The reply of a request that is KEEP, and began at begin_ns. */
void ow_cached_keep(struct ow_ctx *c, uint64_t begin_ns,
		    const struct ow_envelope *reply);
/* The kept reply becomes the program's buffer: 0, or -1 with tperrno. */
int ow_cached_deliver(struct ow_ctx *c, char **data, long *len, long flags);

/* ---- tpacall(): the reply is fetched later ---- */

/* The kept reply is that of call `cd`, and waits for tpgetrply(): 0, or -1 with
 * tperrno. */
int ow_cached_arrive(struct ow_ctx *c, int cd);
/* The request of call `cd` is KEEP, and was sent. */
void ow_cached_wish(struct ow_ctx *c, int cd, uint64_t begin_ns);
/* The program fetches the reply of call `cd`, which may have a wish. */
void ow_cached_fulfil(struct ow_ctx *c, int cd,
		      const struct ow_envelope *reply);

#endif
