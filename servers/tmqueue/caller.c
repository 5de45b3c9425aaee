/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.c - the callers of tmqueue: are they there, and their answers
 */
#include "servers/tmqueue/caller.h"

#include <stdatomic.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/proc.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmisrv/own.h"

#define MARGIN_NS (200 * OW_NS_PER_MS)

struct job *caller_job(const TPSVCINFO *svc, int *ret_tperr)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];
	struct ow_cltid_tail tail = { .magic = 0 };
	struct ow_mq_message message;
	struct job *j;

	*ret_tperr = TPEINVAL;
	if (svc->data == NULL || tptypes(svc->data, type, sub) < 0 ||
	    strcmp(type, "CARRAY") != 0 ||
	    ow_mq_request_read(svc->data, svc->len, &message) != 0)
		return NULL;
	*ret_tperr = TPEOS;
	j = job_new(JOB_REQUEST, message.head.len);
	if (j == NULL)
		return NULL;
	j->head = message.head;
	memcpy(j->payload, message.payload, message.head.len);
	memcpy(j->client, svc->cltid.clientdata, sizeof(j->client));
	memcpy(&tail, j->client + OW_CLTID_TAIL, sizeof(tail));
	if (tail.magic == OW_CLTID_MAGIC) {
		j->slot = tail.slot;
		j->gen = tail.gen;
	}
	return j;
}

int caller_hand_on(struct job *j)
{
	long len = sizeof(j->context);

	return tpsrvgetctxdata2(j->context, &len) != NULL ? 0 : tperrno;
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

bool caller_answer(struct job *j)
{
	char *reply = j->reply;
	long len = j->reply_len;
	struct message *m = &j->taken;

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
