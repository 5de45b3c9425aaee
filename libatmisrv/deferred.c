/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred.c - requests that a server of the runtime sends on to other nodes
 */
#include "libatmisrv/deferred.h"

#include <errno.h>
#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/base/owned.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/reply/reply.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/server.h"
#include "libatmisrv/proxy.h"

void ow_deferred_all(void)
{
	ow_server_self()->passes_on = true;
}

static const struct ow_msg *in_hand(bool connects)
{
	struct ow_server *s = ow_server_used();

	return s != NULL && s->rq.active && s->rq.conv < 0 &&
		       (s->rq.msg->conv_op != OW_CONV_NONE) == connects
		   ? s->rq.msg
		   : NULL;
}

const struct ow_msg *ow_deferred_request(void)
{
	return in_hand(false);
}

const struct ow_msg *ow_deferred_connect(void)
{
	return in_hand(true);
}

/* That of the request in hand; NULL: none, or it is withdrawn. */
static struct ow_offer *offer_in_hand(struct ow_server *s)
{
	struct ow_offer *o;

	if (s == NULL || !s->rq.active)
		return NULL;
	o = &s->offers[s->rq.adv - s->adv];
	return o->queue != NULL ? o : NULL;
}

bool ow_deferred_more(void)
{
	const struct ow_offer *o = offer_in_hand(ow_server_used());
	uint32_t depth = 0;

	return o != NULL && !o->paused &&
	       ow_queue_depth(o->queue, &depth) == 0 && depth > 0;
}

bool ow_deferred_is_shared(void)
{
	const struct ow_offer *o = offer_in_hand(ow_server_used());

	return o == NULL || o->any;
}

const char *ow_deferred_pause(void)
{
	struct ow_server *s = ow_server_used();
	struct ow_offer *o = offer_in_hand(s);

	if (o == NULL)
		return NULL;
	o->paused = true;
	s->pausing = true;
	return o->name;
}

int ow_deferred_resume(const char *queue)
{
	struct ow_server *s = ow_server_main();
	struct ow_offer *o = s != NULL ? ow_offer_find(s, queue) : NULL;

	return o != NULL ? ow_offer_resume(s, (uint32_t)(o - s->offers)) : 0;
}

int ow_deferred_begin(uint64_t *ret_number)
{
	int r = ow_continued_begin(ow_server_used(), ret_number);

	return r > 0 ? -EINVAL : r;
}

/* The request is this thread's, in the proxy server `s`. */
static void send_answer(struct ow_server *s, const struct ow_deferred_answer *a)
{
	struct ow_reply reply = { .request = s->rq.msg,
				  .tperr = a->tperr,
				  .urcode = a->urcode,
				  .content = a->content,
				  .cause = a->cause,
				  .hurried = a->hurried,
				  .deadline = s->rq.msg->deadline_ns };
	int r = ow_reply_send(s->dom, s->replier, &reply);

	if (r == OW_REPLY_NOROOM || (r < 0 && a->content != NULL)) {
		log_error("remote reply: %s: the caller gets TPEOS",
			  r < 0 ? ow_owned_strerror(r) : "no shared memory");
		reply.tperr = TPEOS;
		reply.cause = NULL;
		reply.content = NULL;
		r = ow_reply_send(s->dom, s->replier, &reply);
	}
	s->rq.failed = reply.tperr != 0;
	if (r == OW_REPLY_UNWANTED || r == OW_REPLY_FULL)
		atomic_fetch_add(&s->slot->lost_replies, 1);
	else if (r < 0)
		log_error("remote reply: %s", ow_owned_strerror(r));
}

int ow_deferred_answer(uint64_t number, const struct ow_deferred_answer *answer)
{
	struct ow_proxy *st;
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL || ow_ctx_need_domain(c) != 0)
		return -ENOTCONN;
	st = ow_proxy_need();
	if (st == NULL)
		return -ENOMEM;
	if (ow_continued_take(st, number, false) != 0)
		return OW_DEFERRED_OVER;
	if (!ow_continued_resume(&st->server)) {
		ow_continued_let_go(st);
		return -ENOTCONN;
	}
	if (!answer->unwanted)
		send_answer(&st->server, answer);
	st->server.rq.returned = true;
	ow_buf_free_auto();
	ow_continued_end(&st->server);
	return 0;
}
