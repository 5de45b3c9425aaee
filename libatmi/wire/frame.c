/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.c - check what a guest and the gate say to each other
 */
#include "libatmi/wire/frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define PRIO_SETS 3u /* enum ow_priority_set */

static bool is_guests(uint32_t op)
{
	return (op >= OW_FRAME_CALL && op <= OW_FRAME_CEASE) ||
	       op == OW_FRAME_LOGIN;
}

static bool has_payload(uint32_t op)
{
	return op == OW_FRAME_CALL || op == OW_FRAME_SEND ||
	       op == OW_FRAME_LOGIN || op == OW_FRAME_REPLY;
}

void ow_frame_init(struct ow_frame *f, enum ow_frame_op op)
{
	memset(f, 0, sizeof(*f));
	f->msg.magic = OW_MSG_MAGIC;
	f->msg.version = OW_MSG_VERSION;
	f->msg.kind = is_guests(op) ? OW_MSG_REQUEST : OW_MSG_REPLY;
	f->msg.buftype = OW_BUF_NULL;
	f->op = op;
}

/* Without control characters: it is logged, and shown to users. */
static bool text_is_clean(const struct ow_frame *f)
{
	size_t i, n = strnlen(f->text, sizeof(f->text));

	if (n == sizeof(f->text))
		return false;
	for (i = 0; i < n; i++)
		if ((unsigned char)f->text[i] < ' ' || f->text[i] == 127)
			return false;
	return true;
}

static bool is_login(const struct ow_msg *m)
{
	return m->buftype == OW_BUF_CARRAY &&
	       m->len >= sizeof(struct ow_frame_login) &&
	       m->len <= sizeof(struct ow_frame_login) + OW_FRAME_LOGIN_DATA;
}

int ow_frame_check(const struct ow_frame *f, enum ow_msg_kind kind)
{
	const struct ow_msg *m = &f->msg;

	if (m->len > OW_FRAME_PAYLOAD_MAX || m->block != 0 ||
	    ow_msg_check(m, sizeof(*m) + m->len) != 0)
		return -EBADMSG;
	if (m->kind != kind || f->op == 0 || f->op >= OW_FRAME_OP_END ||
	    is_guests(f->op) != (kind == OW_MSG_REQUEST))
		return -EBADMSG;
	if ((!has_payload(f->op) && m->len != 0) ||
	    (f->op == OW_FRAME_LOGIN && !is_login(m)) ||
	    m->buftype == OW_BUF_TPINIT || m->sub_len > OW_MSG_SUBTYPE_MAX ||
	    (m->sub_len != 0) != (m->buftype == OW_BUF_VIEW))
		return -EBADMSG;
	if (f->prio_set >= PRIO_SETS || f->prio < -100 || f->prio > 100 ||
	    m->tperr < 0)
		return -EBADMSG;
	return text_is_clean(f) ? 0 : -EBADMSG;
}
