/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - calls of this node that others serve: their replies, or their end
 */
#ifndef OW_BRIDGE_CALLS_H
#define OW_BRIDGE_CALLS_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/converse/ends/conversation.h"
#include "libatmi/domain/tables.h"
#include "servers/bridge/directory/directory.h"
#include "servers/bridge/out/times.h"

/* A call of this node that another one serves; also a conversation that is not
 * accepted yet. */
struct ow_br_call {
	UT_hash_handle hh;
	uint64_t id;
	uint64_t number; /* deferred.h */
	struct ow_br_peer *peer;
	uint64_t deadline;
	uint64_t begun_ns;
	uint8_t span_id[8]; /* of the request, as waits/waits.h knows it */
	struct ow_br_time *time; /* of its service there, or NULL */
	uint64_t batch; /* that its last part went in; 0: not yet sent whole */
	struct ow_br_partial *partial; /* its reply */
	struct ow_br_call *next;       /* in a list of calls that have ended */
	uint64_t tran;		       /* as in ow_br_out */
	int32_t tran_log;
	uint32_t flags;		       /* of its frame */
	int tperr;		       /* there */
	/* CONNECT: the end of the program that connects; seq 0: a call */
	struct ow_conv_other other;
	uint32_t svc;
};

/* A queue from which nothing is taken for a while: pause.h. */
struct ow_br_pause {
	char queue[32];
	char svc[OW_BR_NAME]; /* "": any that waits for `peer` */
	struct ow_br_peer *peer;
};

/* The layer. `calls`, `last_id` and `pause` are guarded by the lock of the
 * peers: a call is lost with its link. The others are of the main thread. */
struct ow_br_calls {
	struct ow_br_peers *peers;
	struct ow_br_directory *dir;
	struct ow_br_call *calls;
	uint64_t last_id;
	uint32_t turn; /* spreads calls over equals */
	size_t gathered; /* bytes that were not flushed */
	struct ow_br_pause pause[OW_ADV_MAX];
	uint32_t n_pauses;
	struct ow_br_times *times; /* times.h; guarded by the lock of the peers */
	/* Of the transactions (transaction.h). Send a request that is in one;
	 * and, a call in `tran` (0: in none), a number that the log of this
	 * mark has given, has ended with `tperr`. */
	void *arg;
	void (*send_in_tran)(void *arg, struct ow_br_out *o,
			     const struct ow_msg *m);
	void (*failed)(void *arg, uint64_t tran, int32_t log, int tperr);
};

/* A part of the reply to one of our calls. No lock. */
void ow_br_reply(struct ow_br_calls *cs, struct ow_br_peer *p,
		 const struct ow_br_frame *f, const char *payload);
/* End the calls that `p` has, as `published` or not; lock held. `batch` not 0:
 * only those that went in this batch, which nobody has got. */
void ow_br_calls_lose(struct ow_br_calls *cs, const struct ow_br_peer *p,
		      uint64_t batch, struct ow_br_call **ret);
/* Answer calls that have ended, and free them. No lock. */
void ow_br_calls_answer(struct ow_br_calls *cs, struct ow_br_call *list);
/* Forget calls whose deadline has passed: their callers know. *ret has the
 * conversations, whose requests are to be taken off the record. Lock held. */
void ow_br_calls_expire(struct ow_br_calls *cs, uint64_t now,
			struct ow_br_call **ret);
/* A conversation is accepted: take it out of the table of calls; NULL: it is not
 * there, as one of `p`, or it is too late. It still counts as outstanding. Lock
 * held. */
struct ow_br_call *ow_br_call_accepted(struct ow_br_calls *cs,
				       const struct ow_br_peer *p, uint64_t id);
/* The batch in which the last part of request `id` goes. Lock held. */
void ow_br_call_sent(struct ow_br_calls *cs, uint64_t id, uint64_t number);

#endif
