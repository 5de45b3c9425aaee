/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mail.h - messages to a context go through its mailbox, on every transport
 *
 * Replies, messages of conversations and notices go to a context, not to a
 * service. Each is a block (block/block.h); its reference goes through the
 * mailbox of the context (mailbox.h). No transport has another way: a context
 * has no kernel object, so a killed one leaves none, and only the slots of the
 * tables bound how many there are. queue.c has the queue objects, exchange.c
 * sends and receives, orphans.c completes what dead senders had begun.
 *
 * A thread waits here for its mailbox alone, on a futex: in a call, a nested
 * call of a service, a conversation, a dispatch thread, a bridge. A server
 * waits for its services in its wait set, never for both: what comes for a
 * server's context while it waits there (a notice, what is left of a
 * conversation) lies in the mailbox until its next tick or call looks. A sender
 * for which a service has no room waits for room, and looks into its mailbox
 * after 2 ms (OW_WAKING_ROOM_NAP_NS), 16, 128, a second: nobody waits for what
 * it finds there, and a mailbox has room for all calls that are out (expect()),
 * so no server waits for it either. A partner may, so that a context that has
 * conversations looks each 2 ms, as a bridge does.
 *
 * What a crash leaves. The sender is killed
 *	before MAILED		its block, HELD: the sweep frees it. A request
 *				that it had in hand is refused
 *	MAILED, before the put	the message is complete: the sweep puts it into
 *				the mailbox. A request that the sender had in
 *				hand is refused, too, if its record is another
 *				block or a receive slot (posix): of the two
 *				answers the caller takes the one that comes
 *				first, the other one matches nothing
 *	after the put, before	the receiver finds the message when its slice
 *	the wake-up		of sleep ends
 * The receiver is killed
 *	before it takes it	the reaper of its slot ends the generation and
 *				empties the mailbox, HELD by the reaper; whoever
 *				puts a message later reads the generation
 *				afterwards, and frees the block itself
 *	after it has taken it	its block, HELD: the sweep frees it
 * Both are killed		the sweep finds a MAILED block for a generation
 *				that has ended, and frees it
 * So at each moment one word, the state of the block, says who frees it.
 */
#ifndef OW_MAIL_H
#define OW_MAIL_H

#include "libatmi/transport/block/block.h"
#include "libatmi/transport/record.h"
#include "libatmi/transport/transport.h"

/* ---- queue.c: operations of a transport, for mailboxes ---- */

/* create(): the mailbox of this context's slot. 0, -ENOSPC, -errno. */
int ow_mail_queue_create(struct ow_domain *d, uint32_t slot,
			 struct ow_queue_shape *shape, struct ow_queue **ret);
/* open(): GONE, -errno. */
int ow_mail_queue_open(struct ow_domain *d, uint32_t slot,
		       struct ow_queue **ret);
/* peek(): GONE. */
int ow_mail_queue_peek(struct ow_domain *d, uint32_t slot,
		       uint32_t *ret_depth);

/* ---- exchange.c ---- */

/* The payload of a message into a block, if it lies in none; the block gets no
 * header. 0, -ENOSPC, -errno. */
int ow_mail_load(struct ow_domain *d, const struct ow_envelope *e,
		 uint64_t *ret_ref);
/* The loaded message was put (r is 0) or could not be: the block is the
 * receiver's, or one that was made for it is freed. Returns r. */
static inline int ow_mail_settle(struct ow_domain *d, struct ow_envelope *e,
				 uint64_t ref, int r)
{
	if (r == 0)
		e->payload.owner = OW_PAYLOAD_UNOWNED;
	else if (e->payload.block == 0)
		ow_block_free(d->blocks, ref);
	return r;
}
/* The message in block `ref`, which this process has just taken out of a ring,
 * into an envelope: 0, GARBAGE (the block is freed). */
int ow_mail_unload(struct ow_domain *d, uint64_t ref, struct ow_envelope *e);
/* Has the own mailbox `in` a message? */
bool ow_mail_has_come(struct ow_queue *in);
/* Sleep until the own mailbox `in` has a message, or `until_ns`: 0, SIGNAL. */
int ow_mail_nap(struct ow_queue *in, uint64_t until_ns);

/* ---- orphans.c ---- */

/* postpone(), of a message that is no request. */
int ow_mail_postpone(struct ow_domain *d, struct ow_envelope *e);
/* The sweep has found the MAILED block `o`: leave it where it is, or put it
 * into its mailbox. True: free it, its client is gone. */
bool ow_mail_reclaim(struct ow_domain *d, const struct ow_orphan *o,
		     struct ow_record_full *full);
/* The header of an orphan; false: malformed. */
bool ow_mail_read_head(struct ow_domain *d, const struct ow_orphan *o,
		       struct ow_msg *ret);

#endif
