/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.c - send an unsolicited message to a context
 *
 * transport/inbox.h has the protocol, and what a crash leaves.
 */
#include "libatmi/unsol/notify.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/call/context.h"
#include "libatmi/domain/tables.h"
#include "libatmi/reply/notice.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/wire/remote_caller.h"
#include "libubf/base/uncancelled.h"

#define PRIO 60u /* of notifications */

/* ---- the message ---- */

static void fill_head(struct ow_ctx *c, struct ow_receiver to,
		      const struct ow_content *k, struct ow_msg *m)
{
	memset(m, 0, sizeof(*m));
	m->version = OW_MSG_VERSION;
	m->kind = OW_MSG_UNSOLICITED;
	m->buftype = k->type;
	m->clt_slot = to.slot;
	m->clt_gen = to.gen;
	m->sent_ns = ow_clock_mono_ns();
	m->len = k->sub_len + k->payload.len;
	m->sub_len = k->sub_len;
	m->prio = PRIO;
	ow_trace_stamp(&c->trace, m);
	m->magic = OW_MSG_MAGIC;
}

/* A block with the whole message, HELD by this process: 0, NOROOM, -errno. */
static int load(struct ow_ctx *c, struct ow_receiver to,
		const struct ow_content *k, uint64_t *ret_ref)
{
	struct ow_blocks *b = c->dom->blocks;
	struct ow_msg *m;
	void *data;
	int r = ow_block_alloc(b, k->sub_len + k->payload.len, 0, ret_ref,
			       &data);

	if (r != 0)
		return r < 0 ? r : OW_NOTIFY_NOROOM;
	memcpy(data, k->subtype, k->sub_len);
	if (k->payload.len > 0)
		memcpy((char *)data + k->sub_len, k->payload.data,
		       k->payload.len);
	m = ow_block_msg(b, *ret_ref);
	if (m == NULL)
		return -EBADMSG;
	fill_head(c, to, k, m);
	OW_FAULT("notify.loaded");
	return 0;
}

/* ---- the inbox ---- */

/* The inbox is full: wait a moment. 0, TIMEOUT, SIGNAL. */
static int await_room(struct ow_ctx *c, uint64_t deadline, long flags,
		      uint64_t *attend_ns)
{
	struct timespec nap = { .tv_nsec = (long)OW_WAKING_ROOM_NAP_NS };
	uint64_t now = ow_clock_mono_ns();

	if (ow_deadline_passed(deadline, now))
		return OW_NOTIFY_TIMEOUT;
	if (c->attend != NULL && now >= *attend_ns) {
		c->attend();
		*attend_ns = now + OW_CTX_ATTEND_NS;
	}
	if (nanosleep(&nap, NULL) < 0 && (flags & TPSIGRSTRT) == 0)
		return OW_NOTIFY_SIGNAL;
	return 0;
}

/* Put the message before the deadline. The block is freed unless the result is
 * 0. */
static int put(struct ow_ctx *c, struct ow_receiver to, uint64_t ref,
	       uint64_t deadline, long flags)
{
	uint64_t attend_ns = 0;
	bool notice = false;
	int r;

	for (;;) {
		r = ow_inbox_put(c->dom, to.slot, to.gen, ref, &notice);
		if (r == 0 && notice)
			ow_notice_send(c->dom, to.slot, to.gen);
		if (r == 0)
			return 0;
		if (r == OW_INBOX_GONE)
			return OW_NOTIFY_GONE; /* the block is freed */
		if (r != OW_INBOX_FULL)
			break;
		r = OW_NOTIFY_FULL;
		if (deadline == OW_DEADLINE_NOW)
			break;
		r = await_room(c, deadline, flags, &attend_ns);
		if (r != 0)
			break;
		if (ow_inbox_wants(c->dom, to.slot, to.gen) != 0) {
			r = OW_NOTIFY_GONE;
			break;
		}
	}
	ow_block_free(c->dom->blocks, ref);
	return r;
}

int ow_notify(struct ow_ctx *c, struct ow_receiver to,
	      const struct ow_content *k, uint64_t deadline, long flags)
{
	OW_UNCANCELLED;
	uint64_t ref = 0;
	int r = ow_inbox_wants(c->dom, to.slot, to.gen);

	if (r != 0)
		return r == OW_INBOX_GONE ? OW_NOTIFY_GONE : 0;
	r = load(c, to, k, &ref);
	if (r == 0)
		r = put(c, to, ref, deadline, flags);
	if (r != OW_NOTIFY_GONE)
		return r;
	/* It may live and have taken its handler away just now. */
	return ow_inbox_wants(c->dom, to.slot, to.gen) == OW_INBOX_UNWANTED
		   ? 0
		   : OW_NOTIFY_GONE;
}

/* ---- ids ---- */

/* The node of an id, its last word; -1: it is no id. A program's name may have
 * commas. */
static long node_of(const char *text)
{
	const char *last = strrchr(text, ',');
	char *end;
	long node;

	if ((strncmp(text, "clt,", 4) != 0 && strncmp(text, "srv,", 4) != 0) ||
	    last == NULL || last[1] < '0' || last[1] > '9')
		return -1;
	node = strtol(last + 1, &end, 10);
	return *end == '\0' ? node : -1;
}

/* The slot with this text: a program has copied the text alone. */
static int search(const struct ow_ctx *c, const char *text,
		  struct ow_receiver *ret)
{
	const struct ow_tables *t = c->dom->tables;
	uint32_t high = atomic_load(&t->head->clt_high), i, gen;

	for (i = 0; i < high && i < OW_CLT_MAX; i++) {
		gen = atomic_load(&t->clt[i].gen);
		if ((gen & 1) == 0 ||
		    strncmp(t->clt[i].cltid, text, OW_CLTID_TAIL) != 0)
			continue;
		*ret = (struct ow_receiver){ .slot = i, .gen = gen };
		return 0;
	}
	return -ENOENT;
}

uint32_t ow_notify_node(const struct ow_ctx *c, const CLIENTID *id)
{
	struct ow_remote_caller f;
	long node;

	if (strnlen(id->clientdata, OW_CLTID_TAIL) == OW_CLTID_TAIL)
		return 0;
	if (ow_remote_caller_read(id->clientdata, &f))
		return f.node;
	node = node_of(id->clientdata);
	return node == c->dom->nodeid || node < 0 || node > 255
		   ? 0
		   : (uint32_t)node;
}

int ow_notify_find(const struct ow_ctx *c, const CLIENTID *id,
		   struct ow_receiver *ret)
{
	const char *text = id->clientdata;
	struct ow_cltid_tail tail;
	long node;

	if (strnlen(text, OW_CLTID_TAIL) == OW_CLTID_TAIL)
		return -EINVAL;
	node = node_of(text);
	if (node != c->dom->nodeid)
		return node < 0 ? -EINVAL : -ENOENT;
	memcpy(&tail, text + OW_CLTID_TAIL, sizeof(tail));
	if (tail.magic != OW_CLTID_MAGIC)
		return search(c, text, ret);
	*ret = (struct ow_receiver){ .slot = tail.slot, .gen = tail.gen };
	return 0;
}
