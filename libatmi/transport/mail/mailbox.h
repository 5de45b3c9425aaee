/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox.h - where the messages for a context lie
 *
 * One sparse segment, `<shm>/<prefix>,shm/mail`, the same on all transports,
 * holds the mailboxes of all client slots. Many servers put replies, the
 * context takes them. A mailbox
 * has three rings (ring.h), of 32, 2,048 and 32,768 cells. A context with
 * many calls in flight moves on to the next larger ring (`level`), and from
 * then on takes from all rings it has used: a server may have read the old
 * level just before. The larger rings are in a segment of their own,
 * `mail_large`; its pages have memory only when used.
 *
 * A server that answers many callers touches the mailbox of each. So they lie
 * close together: with a page for each, 69 pages apart, every pair of a server
 * and a caller cost a page fault, and each server a page of page tables for
 * seven callers.
 *
 * Sleep. The context sets `sleeper` to ASLEEP, checks the rings once more,
 * sleeps. A sender puts its reply, reads `sleeper`, and if that is not AWAKE
 * swaps AWAKE into it; what the swap gives back says how it wakes. If the
 * sender dies in between, the context finds the reply when its slice of sleep
 * ends (nudge_ns in call/await.c): no reply depends on a wake-up.
 *
 * The third way to wait: a program waits for a descriptor of its own choice of
 * loop, poll(), epoll (socket.h; tpreplyfd()). The values of `sleeper`:
 *	AWAKE	the context looks by itself. Of one with a descriptor: a byte
 *		lies in the socket, or its sender is about to write it
 *	ASLEEP	it sleeps on the word, a futex
 *	POLLED	the socket is empty, the rings were, and the next sender writes
 *		a byte
 * Who writes which:
 *	the context	any -> POLLED	ow_mail_arm(): it has found the rings
 *					empty, and then emptied the socket
 *			POLLED -> AWAKE	still in ow_mail_arm(): a message came
 *					meanwhile; it writes the byte itself
 *			any -> ASLEEP -> AWAKE
 *					ow_mail_wait(), of a blocking call. Of
 *					what was POLLED: -> POLLED, by
 *					ow_mail_arm() once more
 *			any -> AWAKE	ow_mail_open(): a new context
 *	a sender	ASLEEP -> AWAKE	it wakes the futex
 *			POLLED -> AWAKE	it writes the byte
 * A sender changes the word in one step, a swap, never by a store: between the
 * moment when it has read ASLEEP and its own write the context may have woken,
 * found nothing more and armed; a store would take the mark away without a
 * byte. What a sender finds in the swap is what it has to do. So each POLLED is
 * taken away by exactly one process, which writes exactly one byte. A byte that
 * comes late, after the context has armed again, is one look for nothing.
 *
 * A sender is killed
 *	before the swap		the mark stays: the next sender writes the byte
 *	after it, before the	no byte, and no mark: the message lies there
 *	byte			until the program looks, as long at the most as
 *				tpreplytimeout() says
 *
 * A reply is a MAILED block; its header names the slot and the generation of
 * its client. A context that takes over a slot drops the replies of the slot's
 * earlier context. A context that ends empties its mailbox; the reaper does
 * that for a dead one.
 */
#ifndef OW_MAILBOX_H
#define OW_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

struct ow_domain;

enum ow_mail_result {
	OW_MAIL_FULL = 1,
	OW_MAIL_EMPTY = 2,
	OW_MAIL_NOSPACE = 3, /* the shared-memory file system is full */
};

/* ---- called by the context ---- */

/* Prepare the mailbox of `slot` for this context: 0, NOSPACE, -errno. */
int ow_mail_open(struct ow_domain *d, uint32_t slot);
/* Have room for this many replies: 0, NOSPACE. */
int ow_mail_expect(struct ow_domain *d, uint32_t slot, uint32_t replies);
/* Take the next reply, which becomes HELD by this process: 0, EMPTY,
 * -EBADMSG. */
int ow_mail_take(struct ow_domain *d, uint32_t slot, uint64_t *ret_ref);
bool ow_mail_has_reply(struct ow_domain *d, uint32_t slot);
/* Sleep until there may be a reply: 0, -EINTR, -ETIMEDOUT. */
int ow_mail_wait(struct ow_domain *d, uint32_t slot, uint64_t until_ns);
/* It has found nothing and has emptied its socket: the next message makes that
 * readable; at once, if one has come meanwhile. */
void ow_mail_arm(struct ow_domain *d, uint32_t slot);

/* ---- called by any process ---- */

/* Has the slot a mailbox (also of a context that is gone)? Maps it. */
bool ow_mail_exists(struct ow_domain *d, uint32_t slot);
/* Put a MAILED block and wake the context: 0, FULL, -EBADMSG, -errno. */
int ow_mail_put(struct ow_domain *d, uint32_t slot, uint64_t ref);
uint32_t ow_mail_depth(struct ow_domain *d, uint32_t slot);
/* Does the mailbox hold this block, whose sender is dead? */
bool ow_mail_holds(struct ow_domain *d, uint32_t slot, uint64_t ref);
/* Unmap all mailboxes, when the domain is left. */
void ow_mail_unmap(struct ow_domain *d);

#endif
