/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init_queue.c - one-way calls of tpsvrinit() to services of this server itself
 */
#include "libatmisrv/init_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <userlog.h>
#include <xatmi.h>

#include "libatmi/base/deadline.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/request.h"
#include "libatmi/log/line.h"
#include "libatmi/member/lost.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/server.h"

#define TAKEN_NS OW_NS_PER_SEC

struct ow_init_queue {
	struct ow_init_queue *next;
	struct ow_request rq; /* its payload follows this struct */
	char svc[OW_SVC_NAME];
	uint64_t patience_ns; /* its time-out; OW_DEADLINE_NEVER: none */
	enum ow_priority_set prio_set; /* tpsprio() before the call */
	int prio_value;
};

/* A call of its own: nothing of it is the program's. NULL: no memory. */
static struct ow_init_queue *copy(struct ow_ctx *c, const struct ow_request *rq)
{
	const struct ow_payload *from = &rq->data.content.payload;
	struct ow_init_queue *e = malloc(sizeof(*e) + from->len);

	if (e == NULL)
		return NULL;
	memset(e, 0, sizeof(*e));
	if (from->len > 0)
		memcpy(e + 1, from->data, from->len);
	snprintf(e->svc, sizeof(e->svc), "%s", rq->svc);
	e->rq = (struct ow_request){ .svc = e->svc, .flags = rq->flags };
	e->rq.data.info = rq->data.info;
	e->rq.data.info.block = 0;
	e->rq.data.content = rq->data.content;
	e->rq.data.content.payload = (struct ow_payload){ .len = from->len };
	if (from->data != NULL)
		e->rq.data.content.payload.data = e + 1;
	e->patience_ns = rq->deadline == OW_DEADLINE_NEVER
				 ? OW_DEADLINE_NEVER
				 : rq->deadline - rq->begin_ns;
	e->prio_set = c->prio_set;
	e->prio_value = c->prio_value;
	c->prio_set = OW_PRIORITY_NONE;
	return e;
}

/* For a service that nobody offers: 0; 1: nor will this server; -1 with
 * tperrno. */
static int put(struct ow_ctx *c, const struct ow_request *rq)
{
	struct ow_server *s = ow_server_main();
	struct ow_init_queue *e, **last = &s->init_queue;

	if (ow_offer_find(s, rq->svc) == NULL)
		return 1;
	e = copy(c, rq);
	if (e == NULL)
		return ow_tp_fail(TPEOS, "no memory for a call");
	while (*last != NULL)
		last = &(*last)->next;
	*last = e;
	return 0;
}

void ow_init_queue_begin(struct ow_server *s)
{
	s->ctx->init_put = put;
}

void ow_init_queue_end(struct ow_server *s)
{
	s->ctx->init_put = NULL;
}

/* 0, or -1 with tperrno. */
static int send_one(struct ow_ctx *c, struct ow_init_queue *e)
{
	uint64_t now = ow_clock_mono_ns();

	e->rq.begin_ns = now;
	e->rq.deadline = e->patience_ns == OW_DEADLINE_NEVER
				 ? OW_DEADLINE_NEVER
				 : now + e->patience_ns;
	/* The main thread of this very server has to empty a full queue. */
	e->rq.flags |= TPNOBLOCK;
	c->prio_set = e->prio_set;
	c->prio_value = e->prio_value;
	return ow_request_send(c, &e->rq);
}

/* tpacall() has said that it was accepted. */
static void lose(struct ow_server *s, const struct ow_init_queue *e,
		 const char *why)
{
	static const uint8_t none[OW_LOG_TRACE];

	userlog((char *)"tpacall() of tpsvrinit() to service %s: %s", e->svc,
		why);
	ow_lost_name(s->dom, e->svc, none, none, why);
}

void ow_init_queue_send(struct ow_server *s)
{
	struct ow_init_queue *e;

	while ((e = s->init_queue) != NULL) {
		if (send_one(s->ctx, e) != 0) {
			if (tperrno == TPEBLOCK)
				break;
			lose(s, e, tpstrerror(tperrno));
		}
		s->init_queue = e->next;
		free(e);
	}
	ow_tp_clear();
}

/* Wait until further threads have taken what is in this queue, if they do so
 * soon. */
static void await_taken(struct ow_queue *q)
{
	struct timespec nap = { .tv_nsec = OW_NS_PER_MS };
	uint64_t until = ow_clock_mono_ns() + TAKEN_NS;
	uint32_t depth = 0;

	while (ow_queue_depth(q, &depth) == 0 && depth > 0 &&
	       ow_clock_mono_ns() < until)
		nanosleep(&nap, NULL);
}

void ow_init_queue_start(struct ow_server *s)
{
	bool any = s->init_queue != NULL;
	uint32_t i;

	ow_init_queue_send(s);
	for (i = 0; any && s->pool != NULL && i < s->noffers; i++)
		if (s->offers[i].queue != NULL)
			await_taken(s->offers[i].queue);
}

void ow_init_queue_drop(struct ow_server *s)
{
	struct ow_init_queue *e;

	while ((e = s->init_queue) != NULL) {
		s->init_queue = e->next;
		lose(s, e, "the server ends before there was room for it");
		free(e);
	}
}
