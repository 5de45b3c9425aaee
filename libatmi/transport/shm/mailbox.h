/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox.h - where the replies for one client context arrive
 *
 * One sparse segment for all of them, `<shm>/<prefix>,shm,mail`, with a part
 * for each client slot. Many put in (servers), one takes out (the context).
 * A part has three rings (ring.h), of 64, 2,048 and 32,768 cells; a context
 * with many calls out moves on to the next size (`level`) and from then on
 * takes from all it has used: a server that read the old level a moment ago
 * is still heard. Pages of the larger rings have memory only when used.
 *
 * Sleeping: the context sets `bell` to ASLEEP, looks once more, sleeps; who
 * puts a reply in looks at `bell` afterwards, sets it to AWAKE and wakes.
 * Should it die in between, the context finds the reply when its slice of
 * sleep is over (NUDGE_NS in reply.c): no reply depends on a wake-up.
 *
 * A reply is a MAILED block, naming slot and generation of its client in its
 * header. A context that comes after another in a slot drops what is not for
 * it; one that leaves empties its mailbox; of dead ones the reaper does.
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

#pragma GCC visibility push(default)

/* Have the mailbox of `slot`, made ready for this context: 0, NOSPACE,
 * -errno. */
int ow_mail_open(struct ow_domain *d, uint32_t slot);
/* Be ready for `replies` that may come: 0, NOSPACE. */
int ow_mail_expect(struct ow_domain *d, uint32_t slot, uint32_t replies);

/* Has the slot a mailbox (also one whose context is gone)? Mapped then. */
bool ow_mail_exists(struct ow_domain *d, uint32_t slot);
/* Put a MAILED block in, and wake who sleeps there: 0, FULL, -EBADMSG,
 * -errno. */
int ow_mail_put(struct ow_domain *d, uint32_t slot, uint64_t ref);
/* Take the next reply, HELD by us: 0, EMPTY, -EBADMSG. */
int ow_mail_take(struct ow_domain *d, uint32_t slot, uint64_t *ret_ref);
/* Has something come? */
bool ow_mail_waits(struct ow_domain *d, uint32_t slot);
/* Sleep until something may have come: 0, -EINTR, -ETIMEDOUT. */
int ow_mail_wait(struct ow_domain *d, uint32_t slot, uint64_t until_ns);
uint32_t ow_mail_depth(struct ow_domain *d, uint32_t slot);
/* Does a block lie in it, whose sender is dead? */
bool ow_mail_holds(struct ow_domain *d, uint32_t slot, uint64_t ref);

/* Unmap, with the domain. */
void ow_mail_unmap(struct ow_domain *d);

#pragma GCC visibility pop
#endif
