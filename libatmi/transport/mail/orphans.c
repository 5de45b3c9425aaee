/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - messages in MAILED blocks whose senders are dead
 *
 * A MAILED block that lies in no mailbox, and is nobody's or a dead process's,
 * is a complete message: its sender died before it put it there, or found the
 * mailbox full and postponed it. A sweep puts it there.
 */
#include <errno.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/mail/mailbox.h"

bool ow_mail_read_head(struct ow_domain *d, const struct ow_orphan *o,
		       struct ow_msg *ret)
{
	const struct ow_msg *m = ow_block_msg(d->blocks, o->ref);

	if (m == NULL)
		return false;
	*ret = *m;
	ret->block = o->ref;
	return ow_msg_check(ret, sizeof(*ret)) == 0;
}

/* The block stays MAILED throughout: if this process is killed at any step, the
 * next sweep finds the same. */
static void deliver(struct ow_domain *d, const struct ow_orphan *o,
		    const struct ow_msg *m, struct ow_record_full *full)
{
	int r;

	OW_FAULT("reclaim.inherit");
	if (!ow_orphan_inherit(d->blocks, o, OW_BLOCK_MAILED))
		return;
	OW_FAULT("reclaim.mailed");
	r = ow_mail_put(d, m->clt_slot, o->ref);
	if (r == OW_MAIL_FULL) {
		full->slot = m->clt_slot;
		ow_orphan_leave(d->blocks, o->ref);
		ow_record_tell(d, m);
	} else if (r != 0) {
		ow_block_free(d->blocks, o->ref);
	}
}

bool ow_mail_reclaim(struct ow_domain *d, const struct ow_orphan *o,
		     struct ow_record_full *full)
{
	struct ow_msg m;

	if (!ow_mail_read_head(d, o, &m) ||
	    !ow_clt_lives(d->tables, m.clt_slot, m.clt_gen))
		return true;
	if (ow_mail_holds(d, m.clt_slot, o->ref))
		ow_orphan_disown(d->blocks, o);
	else if (m.clt_slot != full->slot)
		deliver(d, o, &m, full);
	return false;
}

int ow_mail_postpone(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_msg m = *e->head;
	uint64_t ref;
	int r = ow_mail_load(d, e, &ref);

	if (r != 0)
		return r;
	if (ow_block_post_msg(d->blocks, ref, &m, OW_BLOCK_MAILED) ==
	    OW_BLOCK_FREE)
		return -EBADMSG; /* this process does not own the block */
	OW_FAULT("postpone.leave");
	ow_orphan_leave(d->blocks, ref);
	e->payload.owner = OW_PAYLOAD_UNOWNED;
	ow_envelope_close(e);
	ow_record_tell(d, &m);
	return 0;
}
