/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - one client context: a thread that calls
 *
 * Made by a thread's first call (life.h). It owns a client slot with a reply
 * queue (slot.h), the descriptors of its calls (calls.h), and open queues of
 * the services it has called (svcq.h). A server's main thread has one too,
 * with a reply queue from its first own call on. No locks: one thread, one
 * context.
 */
#ifndef OW_CONTEXT_H
#define OW_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/trace.h"

struct ow_call;
struct ow_guest;
struct ow_svcq;

/* How tpsprio() changes the priority of the next call. */
enum ow_priority_set {
	OW_PRIORITY_NONE = 0,
	OW_PRIORITY_RELATIVE,
	OW_PRIORITY_ABSOLUTE,
};

#define OW_CTX_ATTEND_NS (200 * OW_NS_PER_MS)
#define OW_INTERRUPTED 8

/* A call of tpcall() that a signal interrupted; calls.h. */
struct ow_interrupted {
	int cd;
	uint64_t seq, deadline;
};

struct ow_ctx {
	struct ow_domain *dom; /* tables NULL: it does not run */
	uint32_t number; /* of this context in the process, from 1 */
	bool has_slot;
	uint32_t slot, gen;
	struct ow_clt *clt; /* the slot */
	struct ow_guest *guest; /* guest_link.h; NULL: not a guest's context */
	struct ow_queue *replyq;
	struct ow_envelope in; /* receives replies, one at a time */
	struct ow_call *calls; /* [ncalls], by descriptor */
	int ncalls, next_cd, outstanding;
	int kept_first, kept_last;
	uint64_t next_seq;
	struct ow_interrupted interrupted[OW_INTERRUPTED]; /* oldest first */
	uint32_t n_interrupted;
	struct ow_svcq *svcqs; /* uthash, by name */
	struct ow_svcq *svcq_last; /* one of them: often the next call's */
	uint32_t srvid;	       /* of a server process, else 0 */
	char srvbin[64];
	char label[32]; /* of a guest's context in the gate; "" else */
	/* for the next call, and what the last one had */
	enum ow_priority_set prio_set; /* what tpsprio() has set */
	int prio_value, prio_last;
	uint32_t blk_next_ms, blk_all_ms; /* 0: not set */
	struct ow_trace trace; /* of the request in hand */
	/* Called while it waits, at least each OW_CTX_ATTEND_NS: a server
	 * answers the pings of ndrxd. NULL: a client. */
	void (*attend)(void);
	struct ow_ctx *list_next, *list_prev; /* all contexts, for exit */
};

/* One more call; this context alone counts, so no locked instruction. */
static inline void ow_ctx_count_call(struct ow_ctx *c)
{
	atomic_store_explicit(
	    &c->clt->calls,
	    atomic_load_explicit(&c->clt->calls, memory_order_relaxed) + 1,
	    memory_order_relaxed);
}

#endif
