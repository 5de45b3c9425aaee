/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.c - the handler of a context, and how it gets its messages
 */
#include "libatmi/unsol/listen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/inbox.h"

static struct ow_unsol *of(struct ow_ctx *c)
{
	return (struct ow_unsol *)c->listener;
}

/* Is it a message for this context? Copied before it is checked: no process can
 * change it afterwards. */
static bool read_head(struct ow_ctx *c, uint64_t ref, struct ow_msg *ret)
{
	const struct ow_msg *m = ow_block_msg(c->dom->blocks, ref);

	if (m == NULL)
		return false;
	*ret = *m;
	ret->block = ref;
	return ow_msg_check(ret, sizeof(*ret)) == 0 &&
	       ret->kind == OW_MSG_UNSOLICITED && ret->clt_slot == c->slot &&
	       ret->clt_gen == c->gen;
}

/* Make the message a typed buffer; the block is the buffer's, or is freed. */
static int unpack(struct ow_ctx *c, const struct ow_msg *m, char **ret_data,
		  long *ret_len)
{
	struct ow_blocks *b = c->dom->blocks;
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

/* The thread is in the middle of a call: its results stay as they are. */
static void run(ow_handler_fn *fn, char *data, long len)
{
	struct ow_ctx *c = ow_ctx_hide();
	long urcode = tpurcode;

	fn(data, len, 0);
	ow_ctx_show(c);
	tpurcode = urcode;
	ow_tp_clear();
}

/* Hand the message over: 1, or 0: it was dropped. */
static int deliver(struct ow_ctx *c, uint64_t ref)
{
	struct ow_msg m;
	char *data = NULL;
	long len = 0;
	int r;

	if (!read_head(c, ref, &m)) {
		ow_count_shared(&c->clt->late, 1);
		ow_block_free(c->dom->blocks, ref);
		return 0;
	}
	r = unpack(c, &m, &data, &len);
	if (r != 0) {
		log_error("unsolicited message: %s",
			  r == -EPROTOTYPE ? "its view is not the one here"
					   : strerror(-r));
		return 0;
	}
	run(of(c)->handler, data, len);
	ow_buf_free_deep(data);
	return 1;
}

static bool is_open(const struct ow_ctx *c, const struct ow_unsol *u)
{
	return c->has_slot && u->gen == c->gen && u->context == c->number;
}

static bool is_wanted(const struct ow_ctx *c, const struct ow_unsol *u)
{
	return u->handler != NULL && !c->ignores;
}

int ow_listen_adapt(struct ow_ctx *c)
{
	struct ow_unsol *u = of(c);
	int r;

	if (!c->has_slot)
		return 0;
	if (is_wanted(c, u) && !is_open(c, u)) {
		r = ow_inbox_open(c->dom, c->slot, c->gen);
		if (r != 0)
			return r;
		u->gen = c->gen;
		u->context = c->number;
	} else if (!is_wanted(c, u) && is_open(c, u)) {
		ow_inbox_close(c->dom, c->slot);
		u->gen = 0;
	}
	return 0;
}

int ow_listen_dispatch(struct ow_ctx *c)
{
	struct ow_unsol *u = of(c);
	uint64_t ref = 0;
	uint32_t i;
	int n = 0;

	if (!is_open(c, u))
		return 0;
	for (i = 0; i < OW_INBOX_CELLS; i++) {
		if (ow_inbox_take(c->dom, c->slot, &ref) != 0)
			break;
		n += deliver(c, ref);
	}
	return n;
}

/* ---- while a call waits ---- */

static void look(struct ow_ctx *c)
{
	int r = ow_listen_adapt(c);

	if (r != 0)
		log_error("unsolicited messages: no inbox: %s", strerror(-r));
	ow_listen_dispatch(c);
}

/* A handler may take long: look again until there is nothing. */
static void arm(struct ow_ctx *c)
{
	uint32_t tries;

	if (!is_open(c, of(c)))
		return;
	for (tries = 0; tries < 2 && ow_inbox_arm(c->dom, c->slot); tries++)
		ow_listen_dispatch(c);
}

static void end(struct ow_listener *l)
{
	free(l);
}

int ow_listen_set(struct ow_ctx *c, ow_handler_fn *fn, ow_handler_fn **ret)
{
	struct ow_unsol *u = of(c);

	if (u == NULL) {
		u = calloc(1, sizeof(*u));
		if (u == NULL)
			return -ENOMEM;
		u->base = (struct ow_listener){ .look = look,
						.arm = arm,
						.end = end };
		ow_ctx_set_listener(c, &u->base);
	}
	*ret = u->handler;
	u->handler = fn;
	return 0;
}
