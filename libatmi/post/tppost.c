/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tppost.c - publish an event
 *
 * One look into the subscriptions, in shared memory: if none matches, of this
 * node or another one, that is all. Else the event goes to tpevsrv, which
 * delivers it.
 */
#include <stdatomic.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/cache/cache.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/system.h"
#include "libatmi/call/timeout.h"
#include "libatmi/domain/tables.h"
#include "libatmi/door/rules.h"
#include "libatmi/post/message.h"
#include "libatmi/subs/remote.h"
#include "libatmi/subs/subs.h"

/* Of the flags of tppost(), those of the call to tpevsrv. */
#define CALL_FLAGS (TPNOTRAN | TPSIGRSTRT | TPNOTIME | TPNOBLOCK)

static int check_event(const char *event)
{
	if (event == NULL || *event == '\0')
		return ow_tp_fail(TPEINVAL, "the event has no name");
	if (strnlen(event, OW_SUBS_EVENT + 1) > OW_SUBS_EVENT)
		return ow_tp_fail(TPEINVAL, "event %.50s...: longer than %u "
				  "characters", event, OW_SUBS_EVENT);
	return 0;
}

/* Deliver, and nobody waits for it: 0, or -1 with tperrno. */
static int tell(struct ow_ctx *c, struct ow_system_call *q)
{
	tpurcode = 0;
	if (c->tran != 0 && (q->flags & TPNOTRAN) == 0)
		return ow_tp_fail(TPEINVAL, "TPNOREPLY inside a transaction "
				  "needs TPNOTRAN");
	return ow_system_tell(c, q);
}

/* Deliver: the number of consumers, or -1 with tperrno. */
static int ask(struct ow_ctx *c, struct ow_system_call *q, const char *event)
{
	struct ow_system_answer a;
	int r = ow_system_call(c, q, &a);

	if (r == 0 || tperrno == TPESVCFAIL)
		tpurcode = (long)a.urcode;
	if (r == 0)
		r = (int)a.urcode;
	else if (tperrno == TPESVCFAIL && a.urcode == TPEPERM)
		r = ow_tp_fail(TPEPERM, "the rules do not let this client "
			       "post %s", event);
	ow_system_done(c, &a);
	return r;
}

/* Have tpevsrv deliver: the number of consumers, or -1 with tperrno. */
static int deliver(struct ow_ctx *c, const char *event,
		   const struct ow_content *k, uint64_t deadline, long flags)
{
	struct ow_system_call q = { .svc = OW_EVENT_POST,
				    .flags = (flags | c->sig_flag) & CALL_FLAGS,
				    .deadline = deadline };
	struct ow_post_message head;
	int r;

	ow_post_compose(&head, event, flags, k);
	ow_system_add(&q, &head, sizeof(head));
	ow_system_add(&q, event, head.name_len);
	ow_system_add_content(&q, k);
	r = flags & TPNOREPLY ? tell(c, &q) : ask(c, &q, event);
	if (r >= 0)
		return r;
	return tperrno == TPEINVAL ? ow_ctx_unsent(c, flags)
				   : ow_ctx_answer_failed(c, flags);
}

/* May any subscriber want it, on any node? 1; 0; -1 with tperrno: no tpevsrv runs. */
static int look(struct ow_ctx *c, const char *event)
{
	const struct ow_tables *t = c->dom->tables;
	bool wanted = true;
	int svc = ow_svc_find(t, OW_EVENT_POST);

	if (svc < 0 || !ow_svc_has_future(&t->svc[svc]))
		return ow_tp_fail(TPENOENT, "no tpevsrv runs");
	/* Rules are tpevsrv's business. */
	if ((ow_rules_guards(c->dom) & OW_GUARD_EVENTS) != 0)
		return 1;
	/* Whatever hinders the look: tpevsrv knows more. */
	if (ow_subs_need(c->dom, false) != 0 ||
	    ow_subs_look(c->dom, event, &wanted) != 0)
		return 1;
	return wanted || ow_interest_remote(c->dom, event);
}

static int post(struct ow_ctx *c, const char *event,
		const struct ow_request *rq, long flags)
{
	int r = ow_ctx_need_domain(c);
	uint64_t deadline;

	if (r < 0)
		return -1;
	deadline = ow_timeout_deadline(c, flags, ow_clock_mono_ns());
	if (r != OW_CTX_GUEST) /* else tpevsrv does, if the guest may post */
		ow_cache_event(c->dom, event);
	r = r == OW_CTX_GUEST ? 1 : look(c, event);
	if (r == 0)
		tpurcode = 0;
	if (r > 0)
		r = deliver(c, event, &rq->data.content, deadline, flags);
	if (r >= 0)
		ow_ctx_did(c, OW_DONE_POST);
	return r;
}

int tppost(char *eventname, char *data, long len, long flags)
{
	OW_SHARED;
	struct ow_request rq;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL || check_event(eventname) != 0 ||
	    ow_request_begin(&rq, OW_EVENT_POST, data, len) != 0)
		return -1;
	return ow_request_end(&rq, post(c, eventname, &rq, flags));
}
