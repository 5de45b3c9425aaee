/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - rows of requests in flight
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"

#define LONG_US 1e6

static void take(struct ow_call_row *v, const struct ow_seen_call *e)
{
	memset(v, 0, sizeof(*v));
	v->row.key = e->key;
	v->row.srvid = e->srvid;
	v->row.svc = e->svc;
	memcpy(v->name, e->service, sizeof(v->name));
	memcpy(v->state, e->state, sizeof(v->state));
	memcpy(v->where, e->where, sizeof(v->where));
	memcpy(v->caller, e->caller, sizeof(v->caller));
	memcpy(v->trace, e->trace, sizeof(v->trace));
	snprintf(v->why, sizeof(v->why), "%s%.380s",
		 e->deadlock ? "DEADLOCK: " : "", e->why);
	v->n = e->n;
	v->age = e->age_us != 0 ? (double)e->age_us : NAN;
	v->left = e->left_us != INT64_MAX && e->age_us != 0
			  ? (double)e->left_us
			  : NAN;
	v->pid = e->pid != 0 ? e->pid : NAN;
	v->prio = e->known ? e->prio : NAN;
	v->size = e->known ? (double)e->size : NAN;
	v->row.grade = e->deadlock	       ? OW_GRADE_BAD
		       : e->age_us > LONG_US ? OW_GRADE_LOOK
					     : OW_GRADE_CALM;
}

int ow_model_take_calls(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_call_row *p;
	size_t i;
	int r = 0;

	if (s->n_calls > m->alloc_calls) {
		p = realloc(m->calls, s->n_calls * sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		m->calls = p;
		m->alloc_calls = s->n_calls;
	}
	for (i = 0; i < s->n_calls && r == 0; i++) {
		take(&m->calls[i], &s->calls[i]);
		r = ow_list_add(&m->list_calls, &m->calls[i].row);
	}
	return r;
}

void ow_model_free_calls(struct ow_model *m)
{
	free(m->calls);
	m->calls = NULL;
	m->alloc_calls = 0;
}
