/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eventlog.c - the events of ndrxd as rows, newest first
 */
#include "libndrx/model/eventlog.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/masked.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/events.h"

#define RETRY_NS OW_NS_PER_SEC

struct ow_eventlog {
	bool masked; /* ow_eventlog_mask() */
	struct ow_events *ring; /* NULL: there is none */
	uint64_t next;		/* the next event to read */
	uint64_t check_ns;	/* when to look for the ring again */
	size_t n, at;		/* rows in use; where the next one goes */
	uint64_t mono_ns[OW_EVENTS_MAX];
	struct ow_event_row v[OW_EVENTS_MAX];
	const struct ow_row *rows[OW_EVENTS_MAX];
};

struct ow_eventlog *ow_eventlog_new(void)
{
	return calloc(1, sizeof(struct ow_eventlog));
}

struct ow_eventlog *ow_eventlog_free(struct ow_eventlog *l)
{
	if (l == NULL)
		return NULL;
	ow_events_close(l->ring);
	free(l);
	return NULL;
}

static void when(uint64_t real_ns, char *buf, size_t size)
{
	time_t t = (time_t)(real_ns / OW_NS_PER_SEC);
	struct tm tm = { 0 };
	char text[16];

	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	snprintf(buf, size, "%s.%03u", text,
		 (unsigned int)(real_ns / OW_NS_PER_MS % 1000));
}

void ow_eventlog_mask(struct ow_eventlog *l)
{
	l->masked = true;
}

static void mask(char *text, size_t size)
{
	char *clean;

	text[size - 1] = '\0';
	clean = ow_masked(text);
	snprintf(text, size, "%s", clean != NULL ? clean : "");
	free(clean);
}

void ow_eventlog_add(struct ow_eventlog *l, const struct ow_event *e)
{
	struct ow_event_row *v = &l->v[l->at];

	memset(v, 0, sizeof(*v));
	v->row.key = e->number + 1;
	v->row.grade = ow_event_grade(e->kind);
	v->row.srvid = e->srvid;
	when(e->real_ns, v->when, sizeof(v->when));
	snprintf(v->what, sizeof(v->what), "%s", ow_event_word(e->kind));
	memcpy(v->who, e->who, sizeof(v->who));
	memcpy(v->text, e->text, sizeof(v->text));
	if (l->masked)
		mask(v->text, sizeof(v->text));
	v->id = e->srvid != 0 ? e->srvid : NAN;
	v->pid = e->pid > 0 ? e->pid : NAN;
	l->mono_ns[l->at] = e->mono_ns;
	l->at = (l->at + 1) % OW_EVENTS_MAX;
	if (l->n < OW_EVENTS_MAX)
		l->n++;
}

/* Attach to the event ring of the domain that exists now. */
static void attach(struct ow_eventlog *l, const struct ow_domain *d,
		   uint64_t now_ns)
{
	char path[256];

	if (now_ns < l->check_ns)
		return;
	l->check_ns = now_ns + RETRY_NS;
	if (l->ring != NULL && !ow_events_stale(l->ring))
		return;
	l->ring = ow_events_close(l->ring);
	ow_domain_shm_path(d, "events", path, sizeof(path));
	if (ow_events_open(path, false, &l->ring) != 0)
		return;
	l->next = 0;
	l->n = l->at = 0; /* the events of a new domain start at 0 */
}

void ow_eventlog_look(struct ow_eventlog *l, const struct ow_domain *d,
		      uint64_t now_ns)
{
	struct ow_event e;
	uint64_t end;

	attach(l, d, now_ns);
	if (l->ring == NULL)
		return;
	end = ow_events_next(l->ring);
	if (l->next > end)
		l->next = 0;
	if (end - l->next > OW_EVENTS_MAX)
		l->next = end - OW_EVENTS_MAX;
	for (; l->next < end; l->next++)
		if (ow_events_read(l->ring, l->next, &e) == 0)
			ow_eventlog_add(l, &e);
}

size_t ow_eventlog_rows(struct ow_eventlog *l, uint64_t now_ns,
			const struct ow_row *const **ret)
{
	size_t i, at;

	for (i = 0; i < l->n; i++) {
		at = (l->at + OW_EVENTS_MAX - 1 - i) % OW_EVENTS_MAX;
		l->v[at].age = now_ns > l->mono_ns[at]
				       ? (double)(now_ns - l->mono_ns[at]) /
						 1000.0
				       : 0;
		l->rows[i] = &l->v[at].row;
	}
	*ret = l->rows;
	return l->n;
}
