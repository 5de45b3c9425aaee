/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctx.h - one client context: a thread that calls
 *
 * Joined implicitly at a thread's first call. It owns a slot of the client
 * table, a reply queue, the descriptors of its calls, and open queues of the
 * services it has called. A server's main thread has one too, with a reply
 * queue from its first own call on. No locks: one thread, one context.
 */
#ifndef OW_CTX_H
#define OW_CTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/domain/domain.h"
#include "libatmi/wire/msg.h"
#include "libatmi/transport/queue.h"
#include "libatmi/domain/tables.h"

#define OW_CD_MAX 16384 /* descriptors are 1..OW_CD_MAX - 1 */

struct ow_svcq;

enum ow_call_state {
	OW_CALL_FREE = 0,
	OW_CALL_WAITING, /* the reply has not come */
	OW_CALL_KEPT,	 /* the reply is here, nobody has asked for it yet */
};

/* One descriptor. Kept replies form a list in order of arrival. */
struct ow_call {
	enum ow_call_state state;
	uint64_t seq;
	struct ow_msg *reply; /* KEPT: header and inline payload, malloc'ed */
	int prev, next;	      /* KEPT: list of descriptors, 0: end */
};

struct ow_ctx {
	struct ow_domain *dom; /* tables NULL: it does not run */
	uint32_t number; /* of this context in the process, from 1 */
	bool has_slot;
	uint32_t slot, gen;
	struct ow_clt *clt; /* the slot */
	struct ow_queue *replyq;
	uint8_t *rx; /* one reply, as received */
	size_t rx_size;
	struct ow_call *calls; /* [ncalls], by descriptor */
	int ncalls, next_cd, outstanding;
	int kept_first, kept_last;
	uint64_t next_seq;
	struct ow_svcq *svcqs; /* uthash, by name */
	struct ow_svcq *svcq_last; /* one of them: often the next call's */
	uint32_t srvid;	       /* of a server process, else 0 */
	char srvbin[64];
	/* for the next call, and what the last one had */
	int prio_set; /* 0 none, 1 relative, 2 absolute */
	int prio_value, prio_last;
	uint32_t blk_next_ms, blk_all_ms; /* 0: not set */
	uint8_t trace_id[16], span_id[8], trace_flags; /* of the request in
							  hand */
	struct ow_ctx *list_next, *list_prev; /* all contexts, for exit */
};

#pragma GCC visibility push(default)

/*
 * The context of this thread, made when there is none. Sets tperrno and
 * returns NULL on failure (TPEINVAL: environment; TPESYSTEM, TPEOS).
 */
struct ow_ctx *ow_ctx_get(void);
/* The same if it exists already, else NULL. */
struct ow_ctx *ow_ctx_peek(void);
/* For everything that looks into the tables: 0, or -1 with tperrno (TPENOENT:
 * the domain does not run). */
int ow_ctx_need_domain(struct ow_ctx *c);
/* Give it a slot and a reply queue: needed before the first call. 0, or -1
 * with tperrno set. */
int ow_ctx_need_reply_queue(struct ow_ctx *c);
/* Leave: queue removed, slot given back, buffers freed. */
void ow_ctx_leave(void);
/* This thread serves as `srvid`; before the first call. */
void ow_ctx_set_server(struct ow_ctx *c, uint32_t srvid, const char *bin);

/* ---- descriptors ---- */

/* A free descriptor, WAITING, with its sequence; 0: all are in use. */
int ow_call_new(struct ow_ctx *c, uint64_t *ret_seq);
/* The call of `cd` if it is in use, else NULL. */
struct ow_call *ow_call_find(struct ow_ctx *c, int cd);
/* Forget the call and what was kept of it. */
void ow_call_drop(struct ow_ctx *c, int cd);
/* Forget all of them. */
void ow_call_drop_all(struct ow_ctx *c);

/* One more call; this context alone counts, so no locked instruction. */
static inline void ow_ctx_count_call(struct ow_ctx *c)
{
	atomic_store_explicit(
	    &c->clt->calls,
	    atomic_load_explicit(&c->clt->calls, memory_order_relaxed) + 1,
	    memory_order_relaxed);
}

/* ---- time ---- */

/* Blocking time for the next call in ms, 0: no limit; a "next" value is
 * used up. */
uint32_t ow_ctx_take_timeout(struct ow_ctx *c);
/* Deadline of a call with these flags that begins now (monotonic ns). */
uint64_t ow_ctx_deadline(struct ow_ctx *c, long flags, uint64_t now_ns);
/* Process-wide time-out of tptoutset() in ms; 0: not set. */
uint32_t ow_tout_process(void);

#pragma GCC visibility pop
#endif
