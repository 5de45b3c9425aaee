/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsubscribe.c - subscribe to events; tpunsubscribe() ends subscriptions
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/base/proc.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/system.h"
#include "libatmi/call/timeout.h"
#include "libatmi/domain/tables.h"
#include "libatmi/post/message.h"
#include "libubf/regex/regex.h"

#define CALL_FLAGS (TPNOTRAN | TPSIGRSTRT | TPNOTIME | TPNOBLOCK)

/* ---- who subscribes ---- */

/* The context, which may subscribe; NULL with tperrno. */
static struct ow_ctx *find_context(void)
{
	struct ow_ctx *c = ow_ctx_get();
	int r;

	if (c == NULL)
		return NULL;
	r = ow_ctx_need_domain(c);
	if (r == OW_CTX_GUEST)
		ow_tp_fail(TPEPERM, "a guest may not subscribe");
	return r == 0 ? c : NULL;
}

/* 0, or -1 with tperrno. A client is known by its slot. */
static int find_owner(struct ow_ctx *c, struct ow_sub_owner *ret)
{
	const struct ow_tables *t = c->dom->tables;

	memset(ret, 0, sizeof(*ret));
	ret->srvid = c->srvid;
	ret->pid = (int32_t)getpid();
	if (c->srvid != 0) {
		ret->start = atomic_load(&t->srv[c->srvid].start);
		return 0;
	}
	if (ow_slot_need(c) != 0)
		return -1;
	ret->slot = c->slot;
	ret->gen = c->gen;
	return 0;
}

/* ---- what tpevsrv is asked ---- */

static long fail(int err, long urcode)
{
	if (err == TPENOENT)
		return ow_tp_fail(TPENOENT, "no tpevsrv runs");
	if (err != TPESVCFAIL)
		return -1; /* as it is */
	if (urcode == TPELIMIT)
		return ow_tp_fail(TPELIMIT, "there are %u subscriptions "
				  "already", OW_SUBS_MAX);
	if (urcode == TPEPERM)
		return ow_tp_fail(TPEPERM, "the rules do not let this client "
				  "subscribe");
	return ow_tp_fail(TPESVCFAIL, "tpevsrv: %s", tpecodestr((int)urcode));
}

/* Ask a service of tpevsrv: its number, or -1 with tperrno. */
static long ask(struct ow_ctx *c, const char *svc, const void *wish,
		size_t size, long flags)
{
	struct ow_system_call q = { .svc = svc,
				    .flags = (flags | c->sig_flag) & CALL_FLAGS };
	struct ow_system_answer a;
	long n;

	q.deadline = ow_timeout_deadline(c, flags, ow_clock_mono_ns());
	ow_system_add(&q, wish, size);
	n = ow_system_call(c, &q, &a);
	if (n == 0 || tperrno == TPESVCFAIL)
		tpurcode = (long)a.urcode;
	if (n == 0)
		n = (long)a.urcode;
	else
		n = fail(tperrno, (long)a.urcode);
	ow_system_done(c, &a);
	return n != -1 ? n : ow_ctx_answer_failed(c, flags);
}

/* ---- tpsubscribe() ---- */

static int check_text(const char *what, const char *text, char *to)
{
	size_t n = strnlen(text, OW_SUBS_TEXT);

	if (n == OW_SUBS_TEXT)
		return ow_tp_fail(TPEINVAL, "%s: longer than %u characters",
				  what, OW_SUBS_TEXT - 1);
	memcpy(to, text, n);
	return 0;
}

static int check_pattern(const char *pattern)
{
	struct ow_regex re;
	char why[128] = "";

	if (ow_regex_compile(&re, pattern, why, sizeof(why)) != 0)
		return ow_tp_fail(TPEINVAL, "eventexpr \"%.60s\": %s", pattern,
				  why);
	ow_regex_close(&re);
	return 0;
}

/* A name of a queue, with at most TMQNAMELEN characters. */
static int set_name(const char *what, const char *name, char to[16])
{
	size_t n = strnlen(name, TMQNAMELEN + 1);

	if (n == 0 || n > TMQNAMELEN)
		return ow_tp_fail(TPEINVAL, "%s: give a name of 1 to %d "
				  "characters", what, TMQNAMELEN);
	memcpy(to, name, n);
	return 0;
}

static bool fits(long seconds)
{
	return seconds >= 0 && seconds <= (long)UINT32_MAX;
}

/* What the flags of the TPQCTL name. */
static int set_control(const TPQCTL *ctl, struct ow_sub_queue *q)
{
	const long times = TPQTIME_ABS | TPQTIME_REL;
	const long ends = TPQEXPTIME_ABS | TPQEXPTIME_REL | TPQEXPTIME_NONE;
	const long known = times | ends | TPQCORRID | TPQFAILUREQ | TPQREPLYQ |
			   TPQPRIORITY | TPQDELIVERYQOS | TPQREPLYQOS;

	if ((ctl->flags & ~known) != 0)
		return ow_tp_fail(TPEINVAL, "ctl->qctl.flags 0x%lx: each event "
				  "is a message of its own, at its place in "
				  "the queue", ctl->flags & ~known);
	if (((ctl->flags & times) && !fits(ctl->deq_time)) ||
	    ((ctl->flags & ends) && !fits(ctl->exp_time)) ||
	    ((ctl->flags & TPQPRIORITY) &&
	     (ctl->priority < 1 || ctl->priority > 100)))
		return ow_tp_fail(TPEINVAL, "ctl->qctl: a time or the priority "
				  "is out of range");
	q->flags = (uint32_t)ctl->flags;
	q->deq_time = ctl->flags & times ? (uint32_t)ctl->deq_time : 0;
	q->exp_time = ctl->flags & ends ? (uint32_t)ctl->exp_time : 0;
	q->priority = ctl->flags & TPQPRIORITY ? (uint8_t)ctl->priority : 0;
	q->delivery_qos =
	    ctl->flags & TPQDELIVERYQOS ? (uint8_t)ctl->delivery_qos : 0;
	q->reply_qos = ctl->flags & TPQREPLYQOS ? (uint8_t)ctl->reply_qos : 0;
	if (ctl->flags & TPQCORRID)
		memcpy(q->corrid, ctl->corrid, sizeof(q->corrid));
	if ((ctl->flags & TPQREPLYQ) &&
	    set_name("ctl->qctl.replyqueue", ctl->replyqueue, q->reply) != 0)
		return -1;
	return (ctl->flags & TPQFAILUREQ) == 0
		   ? 0
		   : set_name("ctl->qctl.failurequeue", ctl->failurequeue,
			      q->failure);
}

/* Queue name2 of the queue space name1. */
static int set_queue(const TPEVCTL *ctl, struct ow_sub *sub)
{
	sub->flags = OW_SUB_QUEUE;
	if (set_name("ctl->name1", ctl->name1, sub->service) != 0 ||
	    set_name("ctl->name2", ctl->name2, sub->queue.name) != 0)
		return -1;
	return set_control(&ctl->qctl, &sub->queue);
}

static int set_service(const TPEVCTL *ctl, struct ow_sub *sub)
{
	size_t n = strnlen(ctl->name1, sizeof(ctl->name1));

	if (n == 0 || n == sizeof(ctl->name1))
		return ow_tp_fail(TPEINVAL, "ctl->name1: give the name of a "
				  "service");
	memcpy(sub->service, ctl->name1, n);
	sub->flags = OW_SUB_SERVICE;
	return 0;
}

static int set_way(const TPEVCTL *ctl, struct ow_sub *sub)
{
	long way = ctl->flags & ~(long)TPEVPERSIST;
	int r;

	if (way != TPEVSERVICE && way != TPEVQUEUE)
		return ow_tp_fail(TPEINVAL, "ctl->flags %ld: give TPEVSERVICE "
				  "or TPEVQUEUE, perhaps with TPEVPERSIST",
				  ctl->flags);
	r = way == TPEVQUEUE ? set_queue(ctl, sub) : set_service(ctl, sub);
	if (ctl->flags & TPEVPERSIST)
		sub->flags |= OW_SUB_PERSIST;
	return r;
}

/* Unsolicited messages to this client. */
static int set_client(struct ow_ctx *c, struct ow_sub *sub)
{
	if (c->srvid != 0)
		return ow_tp_fail(TPEINVAL, "ctl is NULL: a server gets no "
				  "unsolicited messages");
	memcpy(sub->cltid, c->clt->cltid, sizeof(sub->cltid));
	sub->flags = OW_SUB_NOTIFY;
	return 0;
}

long tpsubscribe(char *eventexpr, char *filter, TPEVCTL *ctl, long flags)
{
	OW_SHARED;
	struct ow_subscription wish = { .magic = OW_POST_MAGIC };
	struct ow_sub *sub = &wish.sub;
	struct ow_ctx *c;

	ow_tp_clear();
	if (eventexpr == NULL || *eventexpr == '\0')
		return ow_tp_fail(TPEINVAL, "eventexpr is NULL or empty");
	if (check_text("eventexpr", eventexpr, sub->pattern) != 0 ||
	    check_pattern(sub->pattern) != 0 ||
	    (filter != NULL && check_text("filter", filter, sub->filter) != 0))
		return -1;
	c = find_context();
	if (c == NULL || find_owner(c, &sub->owner) != 0)
		return -1;
	if ((ctl != NULL ? set_way(ctl, sub) : set_client(c, sub)) != 0)
		return -1;
	return ask(c, OW_EVENT_SUBSCRIBE, &wish, sizeof(wish), flags);
}

int tpunsubscribe(long subscription, long flags)
{
	OW_SHARED;
	struct ow_unsubscription wish = { .magic = OW_POST_MAGIC,
					  .id = subscription };
	struct ow_ctx *c;

	ow_tp_clear();
	if (subscription < -1)
		return ow_tp_fail(TPEINVAL, "subscription %ld: give an id, or "
				  "-1: all of this process", subscription);
	c = find_context();
	if (c == NULL || find_owner(c, &wish.owner) != 0)
		return -1;
	return (int)ask(c, OW_EVENT_UNSUBSCRIBE, &wish, sizeof(wish), flags);
}
