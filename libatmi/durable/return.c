/* SPDX-License-Identifier: Apache-2.0 */
/*
 * return.c - a message that was taken and cannot be read here goes back
 *
 * It is put back at most once: where nobody knows whether it is back, another
 * try could make it twice.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/durable/ask.h"
#include "libatmi/log/log.h"

/* What became of a message that was to go back. */
enum back { BACK_DONE, BACK_REFUSED, BACK_AGAIN, BACK_UNKNOWN };

/* Once, with the bytes `payload`; tperrno says why not. */
static enum back put_back_once(struct ow_ctx *c, struct ow_mq_question *of,
			       const char *payload, uint64_t deadline)
{
	struct ow_mq_question q = { .flags = TPSIGRSTRT | TPNOTRAN };
	const struct ow_mq_answer *a = &of->answer;
	struct ow_system_call call = { .svc = of->svc,
				       .flags = q.flags,
				       .deadline = deadline };

	memcpy(q.svc, of->svc, sizeof(q.svc));
	q.head = (struct ow_mq_request){ .magic = OW_MQ_MESSAGE,
					 .op = OW_MQ_PUT_BACK,
					 .type = a->type,
					 .sub_len = a->sub_len,
					 .count = (uint32_t)a->count,
					 .from = a->next,
					 .len = a->len + sizeof(a->cltid),
					 .ctl = a->ctl };
	memcpy(q.head.queue, of->head.queue, sizeof(q.head.queue));
	ow_system_add(&call, &q.head, sizeof(q.head));
	ow_system_add(&call, payload, a->len);
	ow_system_add(&call, a->cltid, sizeof(a->cltid));
	if (ow_system_send(c, &call) != 0)
		return BACK_AGAIN;
	ow_mq_end(of); /* the next answer comes to the same place */
	if (ow_mq_await(c, &q, &call, false) != 0) /* TPENOENT: not begun */
		return tperrno == TPENOENT ? BACK_AGAIN : BACK_UNKNOWN;
	ow_mq_end(&q);
	if (q.answer.tperr == 0)
		return BACK_DONE;
	ow_tp_fail(q.answer.tperr, "%s", q.answer.why);
	return q.answer.tperr == TPEDIAGNOSTIC ? BACK_REFUSED : BACK_AGAIN;
}

/* A tmqueue that is not there, or has no room, is asked again, for as long as one
 * that is there may take. After an answer the payload is where it was no more: there
 * is a copy of it, or one try. */
static enum back put_back(struct ow_ctx *c, struct ow_mq_question *of)
{
	const struct timespec pause = { .tv_nsec = 20 * OW_NS_PER_MS };
	uint64_t deadline = ow_clock_mono_ns() + OW_MQ_GRACE_NS;
	size_t len = of->answer.len;
	char *copy = malloc(len + 1);
	enum back r;

	if (copy != NULL && len > 0)
		memcpy(copy, of->payload, len);
	r = put_back_once(c, of, copy != NULL ? copy : of->payload, deadline);
	while (r == BACK_AGAIN && copy != NULL &&
	       ow_clock_mono_ns() < deadline) {
		nanosleep(&pause, NULL);
		r = put_back_once(c, of, copy, deadline);
	}
	free(copy);
	return r;
}

void ow_mq_put_back(struct ow_mq_question *q)
{
	struct ow_ctx *c = ow_ctx_peek();
	struct ow_tp_state error;
	enum back r;

	ow_tp_state_take(&error);
	r = c != NULL ? put_back(c, q) : BACK_REFUSED;
	if (r != BACK_DONE)
		log_error("%s, queue %s: a message of %llu bytes %s: it cannot "
			  "be read here, and %s: %s", q->svc, q->head.queue,
			  (unsigned long long)q->answer.len,
			  r == BACK_UNKNOWN ? "may be lost" : "is lost",
			  r == BACK_UNKNOWN ? "nobody knows whether it is back"
					    : "could not be put back",
			  tpstrerror(tperrno));
	ow_mq_end(q);
	ow_tp_state_put(&error);
}
