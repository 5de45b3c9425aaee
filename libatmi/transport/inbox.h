/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbox.h - where the unsolicited messages for a context lie
 *
 * One sparse segment, `<shm>/<prefix>,shm/inbox`, the same on all transports,
 * has an inbox for each client slot: a ring (block/ring.h) of OW_INBOX_CELLS
 * references to blocks. Any process puts messages there, the context takes
 * them. An inbox has memory, one page, from the day on that a context of the
 * slot wants unsolicited messages. The mailbox of the context is not
 * filled by them, so a context that never looks delays no reply.
 *
 * Who wants. The context opens its inbox, then writes its generation into
 * `inbox` of its client slot (tables.h). A sender that reads another value
 * there sends nothing. So a context without a handler has no messages in
 * memory, and messages for a context that has left are not stored.
 *
 * Bound. An inbox takes OW_INBOX_CELLS messages, and OW_INBOX_BYTES of blocks;
 * an empty one takes any message. A full one is the sender's result.
 *
 * Sleep. A context that waits for a reply sets `armed`, looks into the ring
 * once more, and waits at its mailbox. A sender puts its message, reads
 * `armed`, clears it, and sends one message of kind NOTICE to the mailbox,
 * without waiting. If it dies in between, or the queue is full, the context
 * finds the message when its slice of sleep ends: no message depends on a
 * notice. A context whose messages a thread takes (TPU_THREAD) sleeps on
 * `armed` itself: the value says which, and the sender wakes the futex in place
 * of the notice.
 *
 * What a crash leaves. A message is a block: HELD while its sender writes it,
 * NOTED before it is put. The context claims it by its state word: HELD by the
 * context. The sender dies
 *	before NOTED		the sweep frees the block
 *	NOTED, before the put	the sweep finds that the inbox does not hold
 *				it, and frees it: the message was not sent
 *	after the put		the sweep finds that the inbox holds it, and
 *				gives it owner 0: it stays until it is taken
 * The context dies, or leaves
 *	its generation ends, then the inbox is emptied, by itself or by the
 *	reaper. A sender that has put a message reads the generation
 *	afterwards: if it has ended, the sender frees the block, unless it was
 *	taken. What is put later is dropped by the slot's next context, before
 *	it wants messages.
 *	A message that it had taken is HELD by it: the sweep frees it.
 * The header of a message names slot and generation of its context, which the
 * context compares: nobody gets the message of a former context of its slot.
 */
#ifndef OW_INBOX_H
#define OW_INBOX_H

#include <stdbool.h>
#include <stdint.h>

struct ow_domain;
struct ow_orphan;

#define OW_INBOX_CELLS 256u
#define OW_INBOX_BYTES (UINT64_C(1) << 20)

enum ow_inbox_result {
	OW_INBOX_FULL = 1,
	OW_INBOX_EMPTY = 2,
	OW_INBOX_UNWANTED = 3, /* the context lives and has no handler */
	OW_INBOX_GONE = 4,     /* the context has left */
};

/* ---- called by the context ---- */

/* Want messages for generation `gen` of this context's slot: 0, -ENOSPC (no
 * shared memory), -errno. */
int ow_inbox_open(struct ow_domain *d, uint32_t slot, uint32_t gen);
/* Want no more messages; those that are there are freed. */
void ow_inbox_close(struct ow_domain *d, uint32_t slot);
/* Take the next message, which becomes HELD by this process: 0, EMPTY,
 * -EBADMSG. */
int ow_inbox_take(struct ow_domain *d, uint32_t slot, uint64_t *ret_ref);
/* Before it waits at its mailbox: let the next sender send a notice. True:
 * there is a message already, do not wait. */
bool ow_inbox_arm(struct ow_domain *d, uint32_t slot);
/* The same for a thread that takes the messages, before ow_inbox_sleep(). */
bool ow_inbox_arm_thread(struct ow_domain *d, uint32_t slot);
/* Sleep until a sender or ow_inbox_rouse() wakes this thread, or until then
 * (CLOCK_MONOTONIC). */
void ow_inbox_sleep(struct ow_domain *d, uint32_t slot, uint64_t until_ns);
/* End the sleep of the thread. */
void ow_inbox_rouse(struct ow_domain *d, uint32_t slot);

/* ---- called by any process ---- */

/* Does generation `gen` of the slot want messages? 0, UNWANTED, GONE. */
int ow_inbox_wants(const struct ow_domain *d, uint32_t slot, uint32_t gen);
/*
 * Put a block HELD by this process, a complete message for generation `gen`,
 * into the inbox. 0: the block is the receiver's; *ret_notice: it waits, send
 * it a notice. FULL, -errno: the block is still ours. GONE: the block is
 * freed.
 */
int ow_inbox_put(struct ow_domain *d, uint32_t slot, uint32_t gen,
		 uint64_t ref, bool *ret_notice);
/* Free the messages of a context that has left; its generation has ended. */
void ow_inbox_discard(struct ow_domain *d, uint32_t slot);
/* The sweep has found a NOTED block: true, free it. */
bool ow_inbox_reclaim(struct ow_domain *d, const struct ow_orphan *o);
/* Messages in the inbox: for listings and tests. */
uint32_t ow_inbox_depth(struct ow_domain *d, uint32_t slot);
/* Unmap all inboxes, when the domain is left. */
void ow_inbox_unmap(struct ow_domain *d);

#endif
