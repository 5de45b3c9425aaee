/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - one client context: a thread that calls
 *
 * Made by a thread's first call (life.h). It owns a client slot with a reply
 * queue (slot.h), the descriptors of its calls (calls.h), and open queues of
 * the services it has called (svcq.h). A server's main thread has one too,
 * with a mailbox from its first own call on. No locks: one thread, one
 * context; it may move to another thread (libatmi/context). In strict-tuxedo
 * threads may share it, by one lock around each function (share.h).
 */
#ifndef OW_CONTEXT_H
#define OW_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/trace.h"

struct ow_bundle;
struct ow_cache_ask;
struct ow_call;
struct ow_call_more;
struct ow_ctx;
struct ow_guest;
struct ow_loop;
struct ow_request;
struct ow_svcq;
struct ow_convs;
struct ow_share;
struct ow_tx;

/* How tpsprio() changes the priority of the next call. */
enum ow_priority_set {
	OW_PRIORITY_NONE = 0,
	OW_PRIORITY_RELATIVE,
	OW_PRIORITY_ABSOLUTE,
};

/* The thread may have another context, or none (libatmi/context/return.h); the
 * server has dispatch threads (libatmisrv/pool.h). */
#define OW_CTX_AWAY 1u
#define OW_CTX_POOL 2u
#define OW_CTX_TRAN 4u /* it is in a transaction */
#define OW_CTX_TRACED 8u /* spans are noted (libatmisrv/spans.h) */

#define OW_CTX_ATTEND_NS (200 * OW_NS_PER_MS)
#define OW_INTERRUPTED 8

/* A call of tpcall() that a signal interrupted; calls.h. */
struct ow_interrupted {
	int cd;
	uint64_t seq, deadline;
};

/*
 * What waits for unsolicited messages: the handler of a context (unsol/). NULL
 * in all others, so that a call looks at nothing.
 */
struct ow_listener {
	/* Hand over what has come; have an inbox if the context has a slot. A
	 * handler may run. */
	void (*look)(struct ow_ctx *c);
	/* It is about to wait at its mailbox. A handler may run. */
	void (*arm)(struct ow_ctx *c);
	/* The slot is about to be given back: nothing is taken from its inbox
	 * any more. A handler that runs in a thread goes on; not waited for. */
	void (*halt)(struct ow_listener *l);
	/* The same, and no handler runs any more. */
	void (*stop)(struct ow_listener *l);
	/* After stop(): free it. */
	void (*end)(struct ow_listener *l);
};

/*
 * The program waits for this context by a descriptor (loop/). NULL in all
 * others, so that a call looks at nothing.
 */
struct ow_loop {
	/* The program has looked and found nothing: what comes from now on
	 * makes the descriptor readable. A handler may run; tperrno may
	 * change. */
	void (*settle)(struct ow_ctx *c);
	/* Something is there that has come through no mailbox. */
	void (*rouse)(struct ow_ctx *c);
	/* The slot is about to be given back. */
	void (*leave)(struct ow_ctx *c);
	/* After leave(), or in a forked child: close the descriptor. */
	void (*close)(struct ow_loop *l);
	/* None of its calls has an earlier deadline; UINT64_MAX: none has one.
	 * calls.h. */
	uint64_t earliest;
	int look_next; /* descriptor at which ow_call_overdue() goes on */
};

/* What is known about the work of a call that has failed. */
enum ow_call_failure {
	OW_CALL_UNSENT,	    /* no request was queued */
	OW_CALL_UNANSWERED, /* it was, no reply has come: its descriptor is in
			       use, or it has ended with TPETIME */
	OW_CALL_ANSWERED,   /* the error came as a reply */
	OW_CALL_LOST,	    /* work was done, and its result is lost */
};

/* What calls tell the transaction of their context (tran/). */
struct ow_tran_hooks {
	/* A call of it has failed, with tperrno `tperr`. tperrno stays. */
	void (*call_failed)(struct ow_ctx *c, int tperr,
			    enum ow_call_failure how);
	/* The resource manager of this thread leaves it during a call: 0, or
	 * -1 with tperrno. It comes back: tperrno and tpurcode stay. */
	int (*leave)(struct ow_ctx *c);
	void (*come_back)(struct ow_ctx *c);
	/* The context ends: roll back what is not ended, if any. */
	void (*abandon)(struct ow_ctx *c);
};

struct ow_ctx {
	struct ow_domain *dom; /* tables NULL: it does not run */
	uint32_t number; /* of this context in the process, from 1 */
	uint32_t unseen; /* one-way calls before it had a slot */
	bool has_slot;
	uint32_t slot, gen;
	struct ow_clt *clt; /* the slot */
	struct ow_guest *guest; /* guest.h; NULL: not a guest's context */
	struct ow_queue *replyq;
	struct ow_envelope in; /* receives replies, one at a time */
	struct ow_call *calls; /* [ncalls], by descriptor */
	int ncalls, next_cd, outstanding;
	int kept_first, kept_last;
	struct ow_call_more *spare; /* of the last call that had some; NULL */
	uint8_t away; /* of a server: what is to be done after a service, of
			 the bits below; 0: nothing */
	uint8_t despite; /* marks of services that it does not heed */
	uint64_t next_seq;
	struct ow_convs *convs; /* conversations; NULL: there was none */
	struct ow_interrupted interrupted[OW_INTERRUPTED]; /* oldest first */
	uint32_t n_interrupted;
	struct ow_svcq *svcqs; /* uthash, by name */
	struct ow_svcq *svcq_last; /* one of them: often the next call's */
	struct ow_cache_ask *cached; /* cached.h; NULL: no cached service was
					called */
	uint32_t srvid;	       /* of a server process, else 0 */
	char srvbin[64];
	char label[32]; /* of a guest's context in the gate, or the name that a
			   client gave itself (tpinit()); "" else */
	char user[32]; /* the user name that it gave to tpinit() */
	bool begun; /* by tpinit(), not only by the first call */
	bool multi; /* with TPMULTICONTEXTS */
	/* for the next call, and what the last one had */
	enum ow_priority_set prio_set; /* what tpsprio() has set */
	int prio_value, prio_last;
	uint32_t blk_next_ms, blk_all_ms; /* 0: not set */
	struct ow_trace trace; /* of the request in hand */
	/* Called while it waits, at least each OW_CTX_ATTEND_NS: a server
	 * answers the pings of ndrxd, a listener looks. NULL: neither. */
	void (*attend)(void);
	struct ow_share *share; /* share.h; NULL: it is of one thread */
	long ldbal; /* sum of the shares of NDRX_LDBAL: at 100 one call is due */
	struct ow_listener *listener;
	/* Of a server in tpsvrinit(): takes a one-way request to a service that
	 * it will offer. 0; 1: it will not; -1 with tperrno. NULL else. */
	int (*init_put)(struct ow_ctx *c, const struct ow_request *rq);
	uint64_t tran; /* number of its transaction, which requests carry; 0:
			  none */
	int32_t tran_log; /* the mark of its log, which they carry, too */
	const struct ow_tran_hooks *tran_hooks; /* of a context that had one */
	struct ow_tx *tx; /* tran/tx.h; NULL: there was none */
	bool ignores; /* TPU_IGN: no handler is called */
	bool threaded; /* TPU_THREAD: a thread calls it */
	bool may_enter; /* where callers must log in: it has, or is the gate
			   or a bridge */
	bool runtime; /* of a process of the runtime (runtime.h) */
	struct ow_caller *calls_for; /* tpsetcaller(); NULL: for itself */
	/* What a signal does to its waits (signals.h): TPSIG_*, and the flag
	 * that all its calls have, TPSIGRSTRT or 0. */
	int sig_how;
	long sig_flag;
	struct ow_loop *loop; /* NULL: tpreplyfd() was not called */
	struct ow_bundle *bundle; /* the last one that had it; NULL: none */
	struct ow_ctx *list_next, *list_prev; /* all contexts, for exit */
};

static inline int ow_ctx_failed(struct ow_ctx *c, long flags,
				enum ow_call_failure how)
{
	if (c->tran != 0 && (flags & (TPNOTRAN | TPNOABORT)) == 0)
		c->tran_hooks->call_failed(c, tperrno, how);
	return -1;
}

/* A call with these flags has failed, tperrno is set: -1. For slow paths. */
static inline int ow_ctx_unsent(struct ow_ctx *c, long flags)
{
	return ow_ctx_failed(c, flags, OW_CALL_UNSENT);
}

static inline int ow_ctx_unanswered(struct ow_ctx *c, long flags)
{
	return ow_ctx_failed(c, flags, OW_CALL_UNANSWERED);
}

static inline int ow_ctx_answer_failed(struct ow_ctx *c, long flags)
{
	return ow_ctx_failed(c, flags, OW_CALL_ANSWERED);
}

static inline int ow_ctx_work_lost(struct ow_ctx *c, long flags)
{
	return ow_ctx_failed(c, flags, OW_CALL_LOST);
}

/* A non-blocking function finds nothing and is about to say so. */
static inline void ow_ctx_settle(struct ow_ctx *c)
{
	if (c->loop != NULL)
		c->loop->settle(c);
}

/* One more call; this context alone counts, so no locked instruction. */
static inline void ow_ctx_count_call(struct ow_ctx *c)
{
	atomic_store_explicit(
	    &c->clt->calls,
	    atomic_load_explicit(&c->clt->calls, memory_order_relaxed) + 1,
	    memory_order_relaxed);
}

/* The call was one-way. */
static inline void ow_ctx_count_oneway(struct ow_ctx *c)
{
	ow_count_own(&c->clt->oneway, 1);
}

/* The context has done one more of these, for the MIB: nobody else writes to the
 * row of its slot. What a guest does is counted where it is done for it. */
static inline void ow_ctx_did(const struct ow_ctx *c, enum ow_done what)
{
	uintptr_t at = (uintptr_t)c >> 8 ^ (uintptr_t)c >> 14;

	if (c->dom == NULL)
		return;
	if (c->has_slot) {
		ow_count_own(&c->dom->tables->did[c->slot].n[what], 1);
		return;
	}
	atomic_fetch_add_explicit(
	    &c->dom->tables->head->done[at % OW_DONE_SHARDS].n[what], 1,
	    memory_order_relaxed);
}

#endif
