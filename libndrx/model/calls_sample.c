/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_sample.c - the requests in flight of a sample
 */
#include "libndrx/model/calls_sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libatmi/log/line.h"
#include "libndrx/observe/calls.h"

static void say_where(const struct ow_calls_row *r, char *buf, size_t size)
{
	char thread[16] = "";

	if (r->thread != 0)
		snprintf(thread, sizeof(thread), "/%u", r->thread);
	if (r->state == OW_CALLS_UNSEEN)
		snprintf(buf, size, "queue, %u", r->n);
	else if (r->position != 0)
		snprintf(buf, size, "queue %u", r->position);
	else if (r->srvid != 0)
		snprintf(buf, size, "%u %.30s%s", r->srvid, r->server, thread);
	else
		snprintf(buf, size, "%s",
			 r->state == OW_CALLS_WAITS ? "queue" : "-");
}

static void take(struct ow_seen_call *e, const struct ow_calls *c,
		 const struct ow_calls_chains *w, size_t i)
{
	const struct ow_calls_row *r = &c->row[i];

	e->key = r->ref != 0 ? r->ref
			     : (uint64_t)r->caller.slot << 40 ^ r->seq ^
				       (uint64_t)r->svc << 20;
	snprintf(e->service, sizeof(e->service), "%s", r->service);
	snprintf(e->state, sizeof(e->state), "%s",
		 ow_calls_state_name(r->state));
	say_where(r, e->where, sizeof(e->where));
	if (r->caller.program[0] != '\0')
		snprintf(e->caller, sizeof(e->caller), "%.30s %.15s",
			 r->caller.program, r->caller.user);
	else
		snprintf(e->caller, sizeof(e->caller), "%s",
			 r->caller.gone ? "(has left)" : "-");
	if (r->known)
		ow_log_id_hex(r->trace_id, sizeof(r->trace_id), e->trace);
	if (w != NULL)
		ow_calls_why(w, i, e->why, sizeof(e->why), &e->deadlock);
	e->known = r->known;
	e->srvid = r->srvid;
	e->svc = r->svc < OW_SVC_MAX ? r->svc + 1 : 0;
	e->pid = r->caller.pid;
	e->n = r->n;
	e->age_us = ow_calls_age_us(c, r);
	e->left_us = ow_calls_left_us(c, r);
	e->size = r->len;
	e->prio = r->prio;
}

int ow_calls_sample(struct ow_observer *v, struct ow_seen_call **ret,
		    size_t *ret_n)
{
	struct ow_calls_chains *w = NULL;
	struct ow_seen_call *all;
	struct ow_calls c;
	size_t i;

	*ret = NULL;
	*ret_n = 0;
	if (ow_calls_look(v, &c) != 0)
		return 0;
	all = calloc(c.n + 1, sizeof(*all));
	(void)ow_calls_chains_new(&c, &w); /* else without reasons */
	for (i = 0; all != NULL && i < c.n; i++)
		take(&all[i], &c, w, i);
	*ret = all;
	*ret_n = all != NULL ? c.n : 0;
	ow_calls_chains_free(w);
	ow_calls_free(&c);
	return all != NULL ? 0 : -ENOMEM;
}
