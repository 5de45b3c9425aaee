/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.c - the callers of tmqueue: are they there, and their answers
 */
#include "servers/tmqueue/caller.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/proc.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/msg.h"
#include "libatmi/wire/stored.h"
#include "libatmi/wire/trace.h"
#include "libatmisrv/own.h"

#define MARGIN_NS (200 * OW_NS_PER_MS)

static bool is_bytes(const TPSVCINFO *svc)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];

	return svc->data != NULL && tptypes(svc->data, type, sub) >= 0 &&
	       strcmp(type, "CARRAY") == 0;
}

/* Only this process has messages that it forwards. */
static bool is_own(const struct ow_domain *dom, const struct job *j)
{
	ow_proc_id self = ow_proc_id_self();

	return caller_is_there(dom, j, false) && self != 0 &&
	       atomic_load(&dom->tables->clt[j->slot].owner) == self;
}

/* Who is told the outcome, and what it is a part of. */
static void note_caller(struct job *j, const TPSVCINFO *svc)
{
	struct ow_trace trace;
	struct ow_cltid_tail tail = { .magic = 0 };

	if (ow_own_trace(&trace)) {
		j->trace.magic = MESSAGE_TRACE;
		j->trace.flags = trace.flags;
		memcpy(j->trace.trace_id, trace.trace_id,
		       sizeof(j->trace.trace_id));
		memcpy(j->trace.span_id, trace.span_id,
		       sizeof(j->trace.span_id));
	}
	memcpy(j->client, svc->cltid.clientdata, sizeof(j->client));
	memcpy(&tail, j->client + OW_CLTID_TAIL, sizeof(tail));
	if (tail.magic == OW_CLTID_MAGIC) {
		j->slot = tail.slot;
		j->gen = tail.gen;
	}
}

struct job *caller_job(const struct ow_domain *dom, const TPSVCINFO *svc,
		       int *ret_tperr)
{
	struct ow_mq_message message;
	struct job *j;

	*ret_tperr = TPEINVAL;
	if (!is_bytes(svc) ||
	    ow_mq_request_read(svc->data, svc->len, &message) != 0)
		return NULL;
	*ret_tperr = TPEOS;
	j = job_new(JOB_REQUEST, message.head.len);
	if (j == NULL)
		return NULL;
	j->head = message.head;
	memcpy(j->payload, message.payload, message.head.len);
	note_caller(j, svc);
	if (!is_own(dom, j))
		j->head.ctl.flags &= ~(int64_t)OW_MQ_FORWARDED;
	return j;
}

/* Check a one-way call of `len` bytes, and copy its head. */
static bool read_stored(const char *data, long len, struct ow_stored_head *h)
{
	if (len < (long)sizeof(*h))
		return false;
	memcpy(h, data, sizeof(*h));
	return h->magic == OW_STORED_MAGIC && h->type < OW_BUF_TYPE_END &&
	       h->sub_len <= OW_MSG_SUBTYPE_MAX && h->sub_len <= h->len &&
	       h->len == (size_t)len - sizeof(*h) && h->service[0] != '\0' &&
	       strnlen(h->service, sizeof(h->service)) <=
		       XATMI_SERVICE_NAME_LENGTH;
}

struct job *caller_stored_job(const TPSVCINFO *svc, int *ret_tperr)
{
	struct ow_stored_head h;
	struct job *j;

	*ret_tperr = TPEINVAL;
	if (!is_bytes(svc) || !read_stored(svc->data, svc->len, &h))
		return NULL;
	*ret_tperr = TPEOS;
	j = job_new(JOB_REQUEST, h.len);
	if (j == NULL)
		return NULL;
	strcpy(j->service, h.service);
	j->unheard = (svc->flags & TPNOREPLY) != 0;
	j->head.op = OW_MQ_ENQUEUE;
	j->head.type = h.type;
	j->head.sub_len = h.sub_len;
	j->head.len = h.len;
	j->head.deadline_ns = h.deadline_ns;
	if (h.prio >= 1 && h.prio <= 100) {
		j->head.ctl.flags = TPQPRIORITY;
		j->head.ctl.priority = h.prio;
	}
	memcpy(j->payload, svc->data + sizeof(h), h.len);
	note_caller(j, svc);
	return j;
}

int caller_hand_on(struct job *j)
{
	long len = sizeof(j->context);

	return tpsrvgetctxdata2(j->context, &len) != NULL ? 0 : tperrno;
}

char *caller_refusal(const TPSVCINFO *svc, int tperr, long *ret_len)
{
	struct ow_mq_answer a = { .magic = OW_MQ_ANSWER, .tperr = tperr };
	struct ow_mq_message m;

	if (!is_bytes(svc) ||
	    ow_mq_request_read(svc->data, svc->len, &m) != 0 ||
	    m.head.op < OW_MQ_PREPARE || m.head.op > OW_MQ_BEGIN)
		return NULL;
	return ow_mq_answer_write(&a, NULL, ret_len);
}

bool caller_is_there(const struct ow_domain *dom, const struct job *j,
		     bool surely)
{
	const struct ow_clt *c;

	if (j->gen == 0 ||
	    j->slot >= atomic_load(&dom->tables->head->clt_high))
		return false;
	c = &dom->tables->clt[j->slot];
	if (atomic_load(&c->gen) != j->gen)
		return false;
	return !surely || ow_proc_id_alive(atomic_load(&c->owner));
}

/* Does the caller wait as long as the answer needs? It gave up at the end of
 * the grace. */
static bool is_in_time(const struct job *j)
{
	return j->head.deadline_ns == 0 ||
	       ow_clock_mono_ns() + MARGIN_NS <
		   j->head.deadline_ns + OW_MQ_GRACE_NS;
}

/* The answer to a one-way call that was to be stored. That of another node's
 * caller, who hears of nothing, ends its request: no killed tmqueue loses what it
 * has stored. */
static bool answer_stored(struct job *j)
{
	struct ow_stored_answer a = { .magic = OW_STORED_ANSWER,
				      .tperr = j->answer.tperr };
	char *reply;

	if (j->unheard && a.tperr != 0)
		log_error("a one-way request of service %s from another node "
			  "is lost: it is not stored: %s", j->service,
			  j->answer.why);
	if (!j->unheard && !is_in_time(j))
		return true;
	snprintf(a.why, sizeof(a.why), "%s", j->answer.why);
	reply = tpalloc((char *)"CARRAY", NULL, sizeof(a));
	if (reply == NULL)
		return false;
	memcpy(reply, &a, sizeof(a));
	return ow_answer_own(j->context, reply, sizeof(a)) == 0;
}

bool caller_answer(struct job *j)
{
	char *reply = j->reply;
	long len = j->reply_len;
	struct message *m = &j->taken;

	if (j->service[0] != '\0')
		return answer_stored(j);
	if (!is_in_time(j))
		return false;
	if (reply == NULL)
		reply = ow_mq_answer_write(&j->answer, NULL, &len);
	if (reply == NULL)
		return false;
	if (m->number != 0) { /* it may have to come back: keep a copy */
		reply = ow_mq_answer_write(&j->answer, m->payload, &len);
		if (reply == NULL)
			return false;
	} else {
		j->reply = NULL;
	}
	return ow_answer_own(j->context, reply, len) == 0;
}
