/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox.h - where the messages for a context lie
 *
 * One sparse segment, `<shm>/<prefix>,shm/mail`, the same on all transports,
 * holds the mailboxes of all client slots. Many servers put replies, the
 * context takes them. A mailbox
 * has three rings (ring.h), of 64, 2,048 and 32,768 cells. A context with
 * many calls in flight moves on to the next larger ring (`level`), and from
 * then on takes from all rings it has used: a server may have read the old
 * level just before. Pages of the larger rings have memory only when used.
 *
 * Sleep. The context sets `sleeper` to ASLEEP, checks the rings once more,
 * sleeps. A sender puts its reply, reads `sleeper`, sets it to AWAKE, wakes.
 * If the sender dies in between, the context finds the reply when its slice
 * of sleep ends (nudge_ns in call/await.c): no reply depends on a wake-up.
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
