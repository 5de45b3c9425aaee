/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.c - the queues of durable services
 */
#include "servers/tmqueue/durable.h"

#include <stdio.h>
#include <string.h>

#define NAME_HASHED 8 /* characters of a long name, before its hash */

bool durable_is_wanted(struct queues *qs)
{
	const struct queue *q = queues_find(qs, DURABLE_MODEL, false);

	return q != NULL && q->defined;
}

/* ---- names ---- */

static uint32_t hash(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text != '\0'; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	return h;
}

/* Name number `n` of the queue of `svc`; those after the first are for services
 * whose names look alike. */
static void name_of(const char *svc, uint32_t n, char name[TMQNAMELEN + 1])
{
	if (n == 0 && strlen(svc) + strlen(DURABLE_MODEL) <= TMQNAMELEN)
		snprintf(name, TMQNAMELEN + 1, DURABLE_MODEL "%s", svc);
	else
		snprintf(name, TMQNAMELEN + 1, DURABLE_MODEL "%.*s%06x",
			 NAME_HASHED, svc, (hash(svc) + n) & 0xffffff);
}

static struct queue *of_service(struct queues *qs, const char *svc)
{
	struct queue *q = qs->first;

	while (q != NULL && strcmp(q->service, svc) != 0)
		q = q->next;
	return q;
}

/* ---- definitions ---- */

static void define(struct queues *qs, struct queue *q)
{
	const struct queue *model = queues_find(qs, DURABLE_MODEL, false);

	if (!q->defined && model != NULL && model->defined)
		q->def = model->def;
	else if (!q->defined)
		definition_durable(&q->def);
	strcpy(q->def.service, q->service);
}

void durable_define(struct queues *qs)
{
	struct queue *q;

	for (q = qs->first; q != NULL; q = q->next)
		if (q->service[0] != '\0')
			define(qs, q);
}

struct queue *durable_queue(struct queues *qs, const char *svc)
{
	struct queue *q = of_service(qs, svc);
	char name[TMQNAMELEN + 1];
	uint32_t n = 0;

	if (q != NULL)
		return q;
	do {
		name_of(svc, n++, name);
		q = queues_find(qs, name, true);
	} while (q != NULL && q->service[0] != '\0');
	if (q == NULL)
		return NULL;
	snprintf(q->service, sizeof(q->service), "%s", svc);
	q->own = true;
	define(qs, q);
	return q;
}

struct queue *durable_failed(struct queues *qs, const struct queue *q)
{
	struct queue *to = NULL;

	if (q != NULL && q->def.errorq[0] != '\0')
		to = queues_use(qs, q->def.errorq);
	if (to == NULL) {
		to = queues_find(qs, QUEUE_FAILED, true);
		if (to != NULL)
			to->own = true;
	}
	return to;
}
