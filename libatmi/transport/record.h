/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - requests on record in blocks
 *
 * A request that a process has in hand is on record if its caller gets an
 * answer although the process is killed. A block that is TAKEN (block.h) and
 * holds the header of a request is such a record: when its owner is dead, any
 * process that sweeps the store refuses the request. On shm the block of the
 * message itself is the record. On posix a server has its receive slot; a
 * process that drains a queue receives into a block.
 *
 * A service may forward the request that is on record. No instruction both
 * queues a message and clears the record, so the forwarded message always has a
 * block, the record names it, and its state decides. On posix the server that
 * receives the message takes the block over by a compare-and-swap, and so does
 * the reaper of the one that forwarded it: one of them succeeds, so the request
 * is served, or it is refused. On shm the block is QUEUED or it is not; if so,
 * it is the record of the request. (If the request is forwarded in the block
 * that is its record, there is no other.)
 *
 * When the mailbox of the caller is full, the refusal is postponed: the block,
 * or one with a copy of the request, is left to no process, so the next sweep
 * refuses it. So is a reply, or the word that a conversation has begun or ended,
 * whose block is MAILED (mail/mail.h). ndrxd sweeps once a second. The caller
 * itself finds `postponed` set in its slot when it has taken a reply, or waits,
 * and sweeps at once.
 */
#ifndef OW_RECORD_H
#define OW_RECORD_H

#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"

/* An operation drain_into(): an empty envelope whose room is a block, TAKEN by
 * this process. 0, -ENOSPC, -errno. */
int ow_record_open(struct ow_domain *d, struct ow_envelope *e);
/*
 * A server has request `m` in hand and will answer it later, after others: put
 * it on a record of its own, which the caller closes when it is answered.
 * ret->head NULL: the block of the request is its record. 0, -ENOSPC, -errno.
 */
int ow_record_request(struct ow_domain *d, const struct ow_msg *m,
		      struct ow_envelope *ret);
/* From now on request `m`, in the record that the server has it in, is on
 * `record` alone; ow_record_keep() takes that back. */
void ow_record_pass_on(struct ow_msg *m, const struct ow_envelope *record);
/*
 * The request on `record` is forwarded with message `e`, which is packed into a
 * block and is queued next. After that the record says so, until it is cleared.
 */
void ow_record_hand_on(struct ow_domain *d, struct ow_msg *record,
		       const struct ow_envelope *e);
/* The message could not be queued: the request is still in hand. */
void ow_record_keep(struct ow_msg *record);
/*
 * posix: `record` is a valid one of process slot `prc`, whose process is dead.
 * True: the request was handed on, or has a record of its own. It is served,
 * answered, or on record in that block, which the next sweep refuses; this
 * record says no more.
 */
bool ow_record_was_handed_on(struct ow_domain *d, const struct ow_msg *record,
			     uint32_t prc);
/* An operation postpone() of a request: in a record of ow_record_open(), or
 * anywhere else: then a record of it is made. */
int ow_record_postpone(struct ow_domain *d, struct ow_envelope *e);

/* The mailboxes that a sweep has found full: it tries each once. */
struct ow_record_full {
	uint32_t slot; /* of a client, the last one found; OW_CLT_MAX: none */
};

/*
 * The sweep has found the TAKEN block `o`, which holds message `m`, already
 * checked: settle it and free the block and the payload, or postpone it again.
 * Of several processes that try one succeeds: it claims the block before it
 * settles, so that a server that takes a request meanwhile keeps it.
 */
void ow_record_settle(struct ow_domain *d, const struct ow_orphan *o,
		      const struct ow_msg *m, ow_refuse_fn *settle,
		      struct ow_record_full *full);
/* The same for a block of ow_record_open(), whatever it holds. */
void ow_record_reclaim(struct ow_domain *d, const struct ow_orphan *o,
		       ow_refuse_fn *settle, struct ow_record_full *full);
/* Messages for this client wait for room in its mailbox. */
void ow_record_tell(struct ow_domain *d, const struct ow_msg *m);

#endif
