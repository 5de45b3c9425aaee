/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.c - a message from the inbox becomes a call of the handler
 */
#include "libatmi/unsol/deliver.h"

#include <errno.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/wire/msg.h"

/* Is it a message for this context? Copied before it is checked: no process can
 * change it afterwards. */
static bool read_head(const struct ow_unsol *u, uint64_t ref,
		      struct ow_msg *ret)
{
	const struct ow_msg *m = ow_block_msg(u->dom->blocks, ref);

	if (m == NULL)
		return false;
	*ret = *m;
	ret->block = ref;
	return ow_msg_check(ret, sizeof(*ret)) == 0 &&
	       ret->kind == OW_MSG_UNSOLICITED && ret->clt_slot == u->slot &&
	       ret->clt_gen == u->gen;
}

/* Make the message a typed buffer; the block is the buffer's, or is freed. */
static int unpack(struct ow_blocks *b, const struct ow_msg *m, char **ret_data,
		  long *ret_len)
{
	void *payload = m->len > 0 ? ow_block_adopt(b, m->block, m->len)
				   : ow_block_msg(b, m->block);
	int r = OW_BUF_COPY;

	if (payload == NULL)
		return -EBADMSG;
	if (m->len > 0)
		r = ow_buf_from_block(m, b, payload, false, ret_data, ret_len);
	if (r == 0)
		return 0;
	if (r == OW_BUF_COPY)
		r = ow_buf_from_msg(m, payload, ret_data, ret_len);
	ow_block_free(b, m->block);
	return r;
}

/* Another thread may be changing it. */
static struct ow_handler handler_of(struct ow_unsol *u)
{
	struct ow_handler h;

	pthread_mutex_lock(&u->taking);
	h = u->handler;
	pthread_mutex_unlock(&u->taking);
	return h;
}

bool ow_unsol_deliver(struct ow_unsol *u, uint64_t ref)
{
	struct ow_handler h = handler_of(u);
	struct ow_msg m;
	char *data = NULL;
	long len = 0;
	int r;

	if ((h.plain == NULL && h.with == NULL) || !read_head(u, ref, &m)) {
		ow_count_shared(&u->clt->late, 1);
		ow_block_free(u->dom->blocks, ref);
		return false;
	}
	r = unpack(u->dom->blocks, &m, &data, &len);
	if (r != 0) {
		log_error("unsolicited message: %s",
			  r == -EPROTOTYPE ? "its view is not the one here"
					   : strerror(-r));
		return false;
	}
	if (h.with != NULL)
		h.with(data, len, 0, h.ptr);
	else
		h.plain(data, len, 0);
	ow_buf_free_deep(data);
	return true;
}
