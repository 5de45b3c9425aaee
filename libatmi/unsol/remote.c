/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.c - unsolicited messages to clients of other nodes
 */
#include "libatmi/unsol/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/system.h"
#include "libatmi/call/timeout.h"
#include "libatmi/domain/tables.h"
#include "libatmi/domain/tcp_link.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/envelope.h"
#include "libatmi/unsol/broadcast.h"
#include "libatmi/unsol/notify.h"
#include "libatmi/wire/remote_caller.h"
#include "libatmi/wire/msg.h"

#define CALL_FLAGS   (TPSIGRSTRT | TPNOTIME | TPNOBLOCK)
#define NAP_LEAST_NS (2 * OW_NS_PER_MS) /* the client has no room */
#define NAP_MOST_NS  (64 * OW_NS_PER_MS)

/* ---- a message ---- */

#define TEXTS 3

/* The question, in pieces: head, texts (the third may be NULL), what is sent.
 * False: the texts are too long. */
static bool compose(struct ow_system_call *q, struct ow_unsol_message *head,
		    const char *const texts[TEXTS], const struct ow_content *k)
{
	size_t len[TEXTS], all = 0;
	int i;

	for (i = 0; i < TEXTS; i++) {
		len[i] = texts[i] != NULL ? strlen(texts[i]) + 1 : 0;
		all += len[i];
	}
	if (all > UINT16_MAX)
		return false;
	head->magic = OW_UNSOL_MAGIC;
	head->type = k->type;
	head->sub_len = k->sub_len;
	head->text_len = (uint16_t)all;
	head->len = k->sub_len + k->payload.len;
	_Static_assert(1 + TEXTS + 2 <= OW_SYSTEM_PIECES, "pieces");
	ow_system_add(q, head, sizeof(*head));
	for (i = 0; i < TEXTS && texts[i] != NULL; i++)
		ow_system_add(q, texts[i], len[i]);
	ow_system_add_content(q, k);
	return true;
}

/* Texts of a message, each with its end: their number, or -EBADMSG. */
static int find_texts(const char *at, size_t len, const char *ret[TEXTS])
{
	const char *end = at + len;
	int n = 0;

	if (len == 0 || end[-1] != '\0')
		return -EBADMSG;
	for (; at < end && n < TEXTS; at += strlen(at) + 1)
		ret[n++] = at;
	return at == end ? n : -EBADMSG;
}

int ow_unsol_head(const char *message, long len, struct ow_unsol_message *ret)
{
	struct ow_unsol_message h;
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST };
	const char *texts[TEXTS];

	if (message == NULL || len < (long)sizeof(h))
		return -EBADMSG;
	memcpy(&h, message, sizeof(h));
	m.buftype = h.type;
	m.sub_len = h.sub_len;
	m.len = h.len;
	if (h.magic != OW_UNSOL_MAGIC || h.text_len < 2 ||
	    h.text_len > (size_t)len - sizeof(h) ||
	    h.len != (size_t)len - sizeof(h) - h.text_len ||
	    ow_msg_check(&m, sizeof(m) + m.len) != 0)
		return -EBADMSG;
	if (find_texts(message + sizeof(h), h.text_len, texts) < 2 ||
	    memchr(h.client.clientdata, '\0', OW_CLTID_TAIL) == NULL)
		return -EBADMSG;
	*ret = h;
	return 0;
}

/* ---- the sender ---- */

/* 0, TIMEOUT, SIGNAL. */
static int nap(struct ow_ctx *c, uint64_t deadline, long flags, uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	if (ow_deadline_passed(deadline, ow_clock_mono_ns()))
		return OW_NOTIFY_TIMEOUT;
	if (c->attend != NULL)
		c->attend();
	if (nanosleep(&t, NULL) < 0 && (flags & TPSIGRSTRT) == 0)
		return OW_NOTIFY_SIGNAL;
	return 0;
}

/* The question has failed: its error in words of tpnotify(). */
static int fail(const CLIENTID *id)
{
	switch (tperrno) {
	case TPENOENT:
		return ow_tp_fail(TPENOENT, "%.80s has left, or its node is "
				  "not in reach", id->clientdata);
	case TPEBLOCK:
		return ow_tp_fail(TPEBLOCK, "the client, of another node, has "
				  "no room for more messages, or too much waits "
				  "for its node");
	case TPESVCERR:
		return ow_tp_fail(TPESYSTEM, "the client's node was lost: the "
				  "message may have arrived");
	case TPEITYPE:
		return ow_tp_fail(TPESYSTEM, "the field tables of the client's "
				  "node are not those of this node");
	case TPELIMIT:
		return ow_tp_fail(TPEINVAL, "more than 64 MiB, to another "
				  "node");
	default:
		return -1; /* as it is */
	}
}

/* Ask a bridge until the client has room: 0, or -1 with tperrno. */
static int ask(struct ow_ctx *c, struct ow_system_call *q, long flags)
{
	uint64_t ns = NAP_LEAST_NS;
	struct ow_system_answer a;
	int r = -1, woken = 0;

	while (woken == 0) {
		r = ow_system_call(c, q, &a);
		ow_system_done(c, &a);
		if (r == 0 || tperrno != TPEBLOCK || (flags & TPNOBLOCK) != 0)
			break;
		woken = nap(c, q->deadline, flags, ns);
		ns = ns < NAP_MOST_NS ? ns * 2 : ns;
	}
	if (woken == OW_NOTIFY_TIMEOUT)
		return ow_tp_fail(TPETIME, "the client, of another node, did "
				  "not look at its messages in time, and has "
				  "no room for more");
	if (woken == OW_NOTIFY_SIGNAL)
		return ow_tp_fail(TPGOTSIG, "signal while waiting for room in "
				  "the client's inbox");
	return r;
}

int ow_unsol_notify(struct ow_ctx *c, const CLIENTID *id, uint32_t node,
		    const struct ow_content *k, uint64_t deadline, long flags)
{
	char name[16];
	struct ow_system_call q = { .svc = ow_tcp_link_to(c->dom->tables, node,
							  OW_UNSOL_SERVICE,
							  &name),
				    .flags = (flags & CALL_FLAGS) | TPNOTRAN,
				    .deadline = deadline };
	struct ow_unsol_message head = { .op = OW_UNSOL_NOTIFY,
					 .node = node,
					 .client = *id };

	(void)compose(&q, &head, (const char *[]){ "", "", NULL }, k);
	return ask(c, &q, flags) == 0 ? 0 : fail(id);
}

/* Does `lmid` name this node and no other? */
static bool is_here(const struct ow_ctx *c, const char *lmid, long flags)
{
	char here[24];

	snprintf(here, sizeof(here), "%ld", c->dom->nodeid);
	return lmid != NULL && (flags & TPREGEXMATCH) == 0 &&
	       (strcmp(lmid, here) == 0 || strcmp(lmid, c->dom->lmid) == 0);
}

/* Give the message to a bridge with service `svc`. False: no other one need be
 * tried. */
static bool broadcast_by(struct ow_ctx *c, const char *svc,
			 struct ow_unsol_message *head,
			 const char *const texts[TEXTS],
			 const struct ow_content *k)
{
	struct ow_system_call q = { .svc = svc,
				    .flags = TPNOBLOCK | TPNOTRAN | TPSIGRSTRT };
	bool fits;

	q.deadline = ow_timeout_lasting(c, ow_clock_mono_ns());
	fits = compose(&q, head, texts, k);
	if (!fits)
		log_warn("tpbroadcast: clients of other nodes: a name of more "
			 "than 64 KiB");
	else if (ow_system_tell(c, &q) != 0 && tperrno != TPENOENT)
		log_warn("tpbroadcast: clients of other nodes: %s",
			 ow_tp_detail());
	ow_tp_clear();
	return fits;
}

/* An empty text that is an empty name, not any, is marked in the head. */
static const char *text_of(const char *text)
{
	return text != NULL ? text : "";
}

void ow_unsol_broadcast(struct ow_ctx *c, const struct ow_audience *to,
			const struct ow_content *k)
{
	bool users = to->user != NULL || to->empty != 0;
	const char *const texts[TEXTS] = { text_of(to->node),
					   text_of(to->name),
					   users ? text_of(to->user) : NULL };
	struct ow_unsol_message head = { .op = OW_UNSOL_BROADCAST,
					 .empty = to->empty,
					 .flags = to->flags & TPREGEXMATCH };
	const struct ow_tables *t = c->dom->tables;
	int svc = ow_svc_find(t, OW_UNSOL_SERVICE);
	uint32_t node = 0;
	char name[16];
	bool goes = !is_here(c, to->node, to->flags);

	if (goes && svc >= 0 && ow_svc_is_open(&t->svc[svc]))
		goes = broadcast_by(c, OW_UNSOL_SERVICE, &head, texts, k);
	while (goes && (node = ow_tcp_link_next(t, node)) != 0) {
		ow_tcp_link_name(node, &name);
		goes = broadcast_by(c, name, &head, texts, k);
	}
}

/* ---- the receiver ---- */

static int error_of(int r)
{
	switch (r) {
	case 0:
		return 0;
	case OW_NOTIFY_GONE:
		return TPENOENT;
	case OW_NOTIFY_FULL:
		return TPEBLOCK;
	case OW_NOTIFY_NOROOM:
		return TPEOS;
	default:
		return TPESYSTEM;
	}
}

static int notify(struct ow_ctx *c, const CLIENTID *id,
		  const struct ow_content *k)
{
	struct ow_remote_caller f;
	struct ow_receiver to = { 0, 0 };
	int r = 0;

	if (ow_remote_caller_read(id->clientdata, &f))
		to = (struct ow_receiver){ .slot = f.slot, .gen = f.gen };
	else
		r = ow_notify_find(c, id, &to);
	if (r != 0)
		return r == -EINVAL ? TPEINVAL : TPENOENT;
	return error_of(ow_notify(c, to, k, OW_DEADLINE_NOW, 0));
}

int ow_unsol_arrive(struct ow_ctx *c, const char *message, long len)
{
	const char *texts[TEXTS] = { NULL }, *payload;
	struct ow_audience to = { 0 };
	struct ow_content k = { 0 };
	struct ow_unsol_message h;
	int r = 0;

	if (ow_unsol_head(message, len, &h) != 0)
		return TPEINVAL;
	payload = message + sizeof(h) + h.text_len;
	k.type = h.type;
	k.sub_len = h.sub_len;
	memcpy(k.subtype, payload, h.sub_len);
	k.payload.data = (char *)payload + h.sub_len;
	k.payload.len = h.len - h.sub_len;
	if (h.op == OW_UNSOL_NOTIFY)
		return notify(c, &h.client, &k);
	if (h.op != OW_UNSOL_BROADCAST)
		return TPEINVAL;
	(void)find_texts(message + sizeof(h), h.text_len, texts);
	to = (struct ow_audience){ .node = texts[0], .name = texts[1],
				   .user = texts[2], .empty = h.empty,
				   .flags = (long)h.flags };
	if (ow_broadcast(c, &to, &k) != 0)
		r = TPEINVAL;
	ow_tp_clear();
	return r;
}
