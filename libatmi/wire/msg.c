/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msg.c - check the header of a message
 */
#include "libatmi/wire/msg.h"

#include <errno.h>
#include <stdbool.h>

#include "libatmi/domain/tables.h"

#define CD_MAX 16384

_Static_assert(OW_MSG_SIZE_MAX == OW_RX_SIZE,
	       "a receive slot holds any message");

static bool is_kind(uint8_t kind)
{
	return kind == OW_MSG_REQUEST || kind == OW_MSG_REPLY ||
	       kind == OW_MSG_CONV || kind == OW_MSG_UNSOLICITED ||
	       kind == OW_MSG_NOTICE;
}

static int check_ranges(const struct ow_msg *m)
{
	if (!is_kind(m->kind))
		return -EBADMSG;
	if (!ow_buf_type_travels(m->buftype) || m->answer_as > OW_BUF_TYPE_END)
		return -EBADMSG;
	if (m->svc >= OW_SVC_MAX || m->clt_slot >= OW_CLT_MAX)
		return -EBADMSG;
	if (m->cd < 0 || m->cd >= CD_MAX || m->prio > 100)
		return -EBADMSG;
	if (m->buftype == OW_BUF_NULL && m->len != 0)
		return -EBADMSG;
	if (m->sub_len > m->len || m->len > (uint64_t)INT64_MAX / 2)
		return -EBADMSG;
	return 0;
}

int ow_msg_check(const struct ow_msg *m, size_t len)
{
	if (len < sizeof(*m))
		return -EBADMSG;
	if (m->magic != OW_MSG_MAGIC || m->version != OW_MSG_VERSION)
		return -EBADMSG;
	if (m->block == 0 && m->len != len - sizeof(*m))
		return -EBADMSG;
	if (m->block != 0 && len != sizeof(*m))
		return -EBADMSG;
	return check_ranges(m);
}
