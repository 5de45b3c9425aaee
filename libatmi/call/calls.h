/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the descriptors of a context's calls
 *
 * A descriptor (1 to OW_CD_MAX - 1) stands for a call whose reply has not
 * been fetched. Its sequence number is unique in the context for ever, so a
 * late reply never meets a descriptor that was given out again.
 */
#ifndef OW_CALLS_H
#define OW_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/span/span.h"
#include "libatmi/transport/envelope.h"

struct ow_cache_wish;
struct ow_ctx;
struct ow_request;

#define OW_CD_MAX 16384

enum ow_call_state {
	OW_CALL_FREE = 0,
	OW_CALL_WAITING, /* the reply has not come */
	OW_CALL_KEPT,	 /* the reply is here, the program has not fetched it */
};

/* What few calls have; all, while spans are noted. */
struct ow_call_more {
	struct ow_cache_wish *wish; /* its reply is to be kept; NULL */
	struct ow_span span; /* to be noted when it ends; kind NONE: it is not */
	bool chosen; /* however it ends, else only if it fails or is slow */
	uint32_t svc; /* 1 + service of which it has the name; 0: it has it */
};

/* One descriptor. Kept replies form a list in order of arrival. */
struct ow_call {
	enum ow_call_state state;
	int prev, next; /* KEPT: list of descriptors, 0: end */
	uint32_t svc; /* 1 + service in whose queue it was put; 0: of bridges */
	uint64_t seq;
	uint64_t deadline; /* of a tpacall(); TPNOBLOCK looks at it */
	uint64_t tran;	   /* of which it is, 0: none. Of a tpcall() that a
			      signal has interrupted, too */
	struct ow_call_more *more; /* NULL: nothing */
	struct ow_envelope reply; /* KEPT */
};

/* A free descriptor, WAITING, with its sequence; 0: all are in use. */
int ow_call_new(struct ow_ctx *c, uint64_t *ret_seq);
/* The call of `cd` if it is in use, else NULL. */
struct ow_call *ow_call_find(struct ow_ctx *c, int cd);
/* Was `cd` ever given out? */
bool ow_call_known(const struct ow_ctx *c, int cd);
/* Keep the reply of a WAITING call for a later tpgetrply(). Without memory that is
 * TPEOS, with a cause. */
void ow_call_keep(struct ow_ctx *c, int cd, struct ow_envelope *e);
/* What few calls have; NULL: no memory. */
struct ow_call_more *ow_call_need_more(struct ow_ctx *c, struct ow_call *call);
/* Forget the call and the reply that was kept for it. It has ended with the
 * error of that reply, else with tperrno. */
void ow_call_drop(struct ow_ctx *c, int cd);
/* The same; nobody will know how it ends. */
void ow_call_abandon(struct ow_ctx *c, int cd);
/* tpcall() was interrupted by a signal: until its deadline the program may
 * fetch the reply with TPGETANY. As it does not know the descriptor, at most
 * OW_INTERRUPTED of such calls are kept; the oldest is forgotten first. */
void ow_call_interrupted(struct ow_ctx *c, int cd, uint64_t deadline);
/* Forget the interrupted calls whose deadline has passed. */
void ow_call_expire(struct ow_ctx *c, uint64_t now);
/* Forget all of them. */
void ow_call_drop_all(struct ow_ctx *c);
/* A WAITING call whose deadline has passed, for the loop of the context; 0:
 * none, and loop->earliest is right again. Of many calls that are overdue each
 * look finds the next one, so that all of them cost one round. */
int ow_call_overdue(struct ow_ctx *c, uint64_t now);
/* Is `cd` in use, and of transaction `tran`, which is not 0? */
bool ow_call_is_of(const struct ow_ctx *c, int cd, uint64_t tran);
/* Is a call of `tran` out, its reply not fetched? */
bool ow_call_any_of(const struct ow_ctx *c, uint64_t tran);
/* It has ended: forget its calls. */
void ow_call_drop_of(struct ow_ctx *c, uint64_t tran);

#endif
