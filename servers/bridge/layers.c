/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers.c - what a layer notices reaches the layers above it
 */
#include <string.h>

#include "libatmi/domain/tcp_link.h"
#include "libatmi/post/message.h"
#include "libatmi/unsol/remote.h"
#include "servers/bridge/bridge.h"
#include "servers/bridge/conversation/conversation.h"
#include "servers/bridge/directory/advertisement.h"
#include "servers/bridge/directory/confirmation.h"
#include "servers/bridge/directory/interest.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/out/pause.h"
#include "servers/bridge/out/post.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/out/unsol.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/send.h"
#include "servers/bridge/transaction/transaction.h"
#include "servers/bridge/waits/waits.h"

/* ---- of the peers, lock held ---- */

static void on_reset(void *arg, struct ow_br_peer *p, struct ow_br_call **lost)
{
	struct ow_bridge *b = arg;

	ow_br_calls_lose(&b->calls, p, 0, lost);
	ow_br_interest_forget(p);
	ow_br_advert_forget(&b->dir, p);
	ow_br_confirm_forget(p);
	ow_br_convs_check(b->convs);
}

static void on_undelivered(void *arg, struct ow_br_peer *p, uint64_t number,
			   struct ow_br_call **lost)
{
	struct ow_bridge *b = arg;

	ow_br_calls_lose(&b->calls, p, number, lost);
}

static void on_sent(void *arg, uint64_t id, uint64_t number)
{
	struct ow_bridge *b = arg;

	ow_br_call_sent(&b->calls, id, number);
}

static void on_expire(void *arg, uint64_t now, struct ow_br_call **lost)
{
	struct ow_bridge *b = arg;

	ow_br_calls_expire(&b->calls, now, lost);
}

static size_t on_offered(void *arg)
{
	struct ow_bridge *b = arg;

	return (size_t)b->dir.own.n * OW_BR_NAME;
}

static void on_begin(void *arg, struct ow_br_peer *p, enum ow_br_lane lane)
{
	struct ow_bridge *b = arg;

	if (lane == OW_BR_REQUESTS)
		ow_br_requests_begin(b->in, p);
	ow_br_convs_begin(b->convs, p);
}

/* ---- of the peers, no lock ---- */

static void take_control(struct ow_bridge *b, struct ow_br_peer *p,
			 const struct ow_br_frame *f, const char *payload)
{
	switch (f->kind) {
	case OW_BR_ASK:
		ow_br_offers_tell(&b->dir, p);
		break;
	case OW_BR_ADVERT:
		ow_br_advert_take(&b->dir, p, f, payload);
		break;
	case OW_BR_ADVERT_PART:
		ow_br_advert_take_part(&b->dir, p, f, payload);
		break;
	case OW_BR_INTEREST:
		ow_br_interest_take(&b->dir, p, f, payload);
		break;
	case OW_BR_ASK_INTEREST:
		ow_br_interest_tell(&b->dir, p);
		break;
	case OW_BR_WAITS:
		ow_br_waits_take(b->waits, p, f, payload);
		break;
	default:
		break; /* ow_br_batch_check() knows no others */
	}
}

static void on_take(void *arg, struct ow_br_peer *p, enum ow_br_lane lane,
		    const struct ow_br_frame *f, const char *payload)
{
	struct ow_bridge *b = arg;

	if (lane == OW_BR_CONTROL)
		take_control(b, p, f, payload);
	else if (f->kind == OW_BR_CONFIRM)
		ow_br_confirm_take(&b->dir, p, f);
	else if (lane == OW_BR_REQUESTS)
		ow_br_request(b->in, f, payload);
	else if (f->kind == OW_BR_ALLOW)
		ow_br_allowance_take(&b->peers, p, f);
	else if ((f->flags & OW_BR_OF_CONV) != 0)
		ow_br_conv_frame(b->convs, f, payload);
	else
		ow_br_reply(&b->calls, p, f, payload);
}

static void on_end(void *arg, enum ow_br_lane lane)
{
	struct ow_bridge *b = arg;

	if (lane == OW_BR_REQUESTS)
		ow_br_requests_end(b->in);
	ow_br_convs_end(b->convs);
}

static void on_answer(void *arg, struct ow_br_call *lost)
{
	struct ow_bridge *b = arg;

	ow_br_calls_answer(&b->calls, lost);
}

static void on_heartbeat(void *arg, struct ow_br_frame *f,
			 struct ow_br_heartbeat *heartbeat)
{
	struct ow_bridge *b = arg;

	pthread_mutex_lock(&b->peers.lock);
	heartbeat->gen = b->dir.gen;
	heartbeat->tables = b->dir.tables;
	heartbeat->offers = b->dir.own.n;
	f->id = b->dir.interest_gen;
	pthread_mutex_unlock(&b->peers.lock);
	if (ow_br_waits_wanted(b->waits))
		f->flags |= OW_BR_WANTS_WAITS;
}

static void on_heard(void *arg, struct ow_br_peer *p,
		     const struct ow_br_frame *f,
		     const struct ow_br_heartbeat *heartbeat)
{
	struct ow_bridge *b = arg;

	ow_br_advert_heard(&b->dir, p, heartbeat);
	ow_br_interest_heard(&b->dir, p, f);
	ow_br_confirm_heard(&b->dir, p, f, heartbeat);
}

static void on_step(void *arg)
{
	struct ow_bridge *b = arg;

	ow_br_offers_look(&b->dir);
	ow_br_confirm_look(&b->dir);
	ow_br_interest_look(&b->dir);
	ow_br_flush(&b->peers);
	ow_br_pauses_look(&b->calls);
	ow_br_tran_look(b->tran);
	ow_br_report(b);
}

static void on_refresh(void *arg)
{
	struct ow_bridge *b = arg;

	ow_br_offers_tell(&b->dir, NULL);
}

/* ---- of `in` and `out` ---- */

static void on_connect(void *arg, const struct ow_br_frame *f,
		       const char *payload, uint64_t cost,
		       const struct ow_br_caller *caller)
{
	struct ow_bridge *b = arg;

	ow_br_conv_request(b->convs, f, payload, cost, caller);
}

static bool on_check(void *arg, uint32_t node, const struct ow_br_frame *f,
		     void *held)
{
	struct ow_bridge *b = arg;

	return ow_br_tran_check(b->tran, node, f, held);
}

static void on_send_in_tran(void *arg, struct ow_br_out *o,
			    const struct ow_msg *m)
{
	struct ow_bridge *b = arg;

	ow_br_tran_send(b->tran, o, m);
}

static void on_failed(void *arg, uint64_t tran, int32_t log, int tperr)
{
	struct ow_bridge *b = arg;

	ow_br_tran_failed(b->tran, tran, log, tperr);
}

/* Whatever the runtime has to say to the node of a TCP link: one of the
 * three. */
static void to_link(TPSVCINFO *svc)
{
	uint32_t magic = 0;

	if (svc->data != NULL && svc->len >= (long)sizeof(magic))
		memcpy(&magic, svc->data, sizeof(magic));
	if (magic == OW_POST_MAGIC)
		ow_br_post(svc);
	else if (magic == OW_UNSOL_MAGIC)
		ow_br_unsol(svc);
	else
		ow_br_question(svc);
}

static const struct ow_br_function functions[] = {
	{ OW_TCP_LINK_SERVICE, to_link },
	{ OW_EVENT_REMOTE, ow_br_post },
	{ OW_UNSOL_SERVICE, ow_br_unsol },
	{ OW_TM_REMOTE, ow_br_question },
	{ NULL, ow_br_remote },
};

void ow_br_layers_join(struct ow_bridge *b)
{
	b->above = (struct ow_br_above){
		.arg = b,
		.reset = on_reset,
		.undelivered = on_undelivered,
		.sent = on_sent,
		.expire = on_expire,
		.offered = on_offered,
		.begin = on_begin,
		.take = on_take,
		.end = on_end,
		.answer = on_answer,
		.heartbeat = on_heartbeat,
		.heard = on_heard,
		.step = on_step,
		.refresh = on_refresh,
	};
	b->in_above = (struct ow_br_inbound_above){ b, on_connect, on_check };
	b->peers.above = &b->above;
	b->dir.peers = &b->peers;
	b->dir.functions = functions;
	b->calls.peers = &b->peers;
	b->calls.dir = &b->dir;
	b->calls.arg = b;
	b->calls.send_in_tran = on_send_in_tran;
	b->calls.failed = on_failed;
}
