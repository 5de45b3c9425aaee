/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - client contexts: of clients, and of servers that call
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"

static struct ow_m_client *find_client(struct ow_model *m,
				       const struct ow_seen_client *e,
				       uint64_t now_ns)
{
	uint64_t id = (uint64_t)e->slot << 32 | e->gen;
	bool first = m->fresh;
	struct ow_m_client *c;

	HASH_FIND(hh, m->clients, &id, sizeof(id), c);
	if (c != NULL)
		return c;
	c = calloc(1, sizeof(*c));
	if (c == NULL)
		return NULL;
	c->id = id;
	c->v.row.key = id;
	ow_growth_start(&c->calls, first ? e->calls : 0, now_ns);
	ow_growth_start(&c->timeouts, first ? e->timeouts : 0, now_ns);
	HASH_ADD(hh, m->clients, id, sizeof(c->id), c);
	if (c->hh.tbl == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

/* The program: the second word of a client id; commas separate words. */
static void program_of(const char *cltid, char *buf, size_t size)
{
	const char *from = strchr(cltid, ',');
	size_t len;

	from = from != NULL ? from + 1 : cltid;
	len = strcspn(from, ",");
	snprintf(buf, size, "%.*s", (int)len, from);
}

/* A server whose call has no reply yet is not the one that hangs. */
static void note_open(struct ow_model *m, const struct ow_seen_client *e)
{
	struct ow_m_server *srv;

	if (!e->alive || e->outstanding == 0)
		return;
	m->overview.open += e->outstanding;
	srv = e->srvid != 0 ? ow_model_find_server(m, e->srvid) : NULL;
	if (srv != NULL)
		srv->v.waits = true;
}

static void take_client(struct ow_model *m, struct ow_m_client *c,
			const struct ow_seen_client *e, uint64_t now_ns)
{
	struct ow_client_row *v = &c->v;
	double late = ow_growth_rate(&c->timeouts, e->timeouts, now_ns,
				     m->span_ns);

	c->seen = m->overview.looks;
	program_of(e->cltid, v->name, sizeof(v->name));
	snprintf(v->kind, sizeof(v->kind), "%s",
		 !e->alive ? "dead" : e->srvid != 0 ? "server" : "client");
	v->row.srvid = e->srvid;
	v->pid = e->pid;
	v->ctx = e->ctx;
	v->calls = ow_growth_rate(&c->calls, e->calls, now_ns, m->span_ns);
	v->calls_all = (double)e->calls;
	v->outstanding = e->outstanding;
	v->timeouts = (double)e->timeouts;
	v->late = (double)e->late;
	v->row.grade = !e->alive || late > 0 ? OW_GRADE_LOOK : OW_GRADE_CALM;
}

int ow_model_take_clients(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_client *c, *next;
	int r = 0;
	size_t i;

	for (i = 0; i < s->n_clients && r == 0; i++) {
		c = find_client(m, &s->clients[i], s->now_ns);
		if (c == NULL)
			return -ENOMEM;
		take_client(m, c, &s->clients[i], s->now_ns);
		note_open(m, &s->clients[i]);
		r = ow_list_add(&m->list_clients, &c->v.row);
	}
	HASH_ITER(hh, m->clients, c, next) {
		if (c->seen != m->overview.looks) {
			HASH_DEL(m->clients, c);
			free(c);
		}
	}
	return r;
}

void ow_model_free_clients(struct ow_model *m)
{
	struct ow_m_client *c, *next;

	HASH_ITER(hh, m->clients, c, next) {
		HASH_DEL(m->clients, c);
		free(c);
	}
}
