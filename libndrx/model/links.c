/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.c - links of bridges to other nodes of the cluster
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/bridges.h"
#include "libndrx/model/things.h"
#include "libatmi/base/clock.h"

static struct ow_m_link *find_link(struct ow_model *m,
				   const struct ow_seen_link *e,
				   uint64_t now_ns)
{
	uint64_t id = (uint64_t)e->srvid << 40 | (uint64_t)e->link.node << 32 |
		      e->link.bridge;
	struct ow_m_link *k;

	HASH_FIND(hh, m->links, &id, sizeof(id), k);
	if (k != NULL)
		return k;
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return NULL;
	k->id = id;
	k->v.row.key = id;
	k->v.row.srvid = e->srvid;
	ow_growth_start(&k->out, e->link.calls_out, now_ns);
	ow_growth_start(&k->in, e->link.calls_in, now_ns);
	ow_growth_start(&k->errors, e->link.errors, now_ns);
	HASH_ADD(hh, m->links, id, sizeof(k->id), k);
	if (k->hh.tbl == NULL) {
		free(k);
		return NULL;
	}
	return k;
}

/* Without nats-server nobody is heard: that is said of each link. */
static const char *state_of(const struct ow_seen_link *e)
{
	return e->connected ? ow_bridges_state(&e->link) : "no NATS";
}

static void take_link(struct ow_model *m, struct ow_m_link *k,
		      const struct ow_seen_link *e, uint64_t now_ns)
{
	const struct ow_nodes_link *l = &e->link;
	struct ow_link_row *v = &k->v;

	k->seen = m->overview.looks;
	snprintf(v->cluster, sizeof(v->cluster), "%s", e->cluster);
	snprintf(v->state, sizeof(v->state), "%s", state_of(e));
	v->srvid = e->srvid;
	v->node = l->node;
	v->bridge = l->bridge;
	v->services = l->offers;
	v->rtt = (double)l->rtt_ns / (double)OW_NS_PER_US;
	v->out = ow_growth_rate(&k->out, l->calls_out, now_ns, m->span_ns);
	v->in = ow_growth_rate(&k->in, l->calls_in, now_ns, m->span_ns);
	v->errors = ow_growth_rate(&k->errors, l->errors, now_ns, m->span_ns);
	v->out_all = (double)l->calls_out;
	v->in_all = (double)l->calls_in;
	v->lost = (double)l->lost;
	v->outstanding = l->outstanding;
	v->waiting = l->waiting;
	v->silent = now_ns > l->heard_ns
			? (double)(now_ns - l->heard_ns) / (double)OW_NS_PER_US
			: 0;
	v->row.grade = e->connected && (l->up || l->left) ? OW_GRADE_CALM
							  : OW_GRADE_BAD;
}

int ow_model_take_links(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_link *k, *next;
	int r = 0;
	size_t i;

	for (i = 0; i < s->n_links && r == 0; i++) {
		k = find_link(m, &s->links[i], s->now_ns);
		if (k == NULL)
			return -ENOMEM;
		take_link(m, k, &s->links[i], s->now_ns);
		r = ow_list_add(&m->list_links, &k->v.row);
	}
	HASH_ITER(hh, m->links, k, next) {
		if (k->seen != m->overview.looks) {
			HASH_DEL(m->links, k);
			free(k);
		}
	}
	return r;
}

void ow_model_free_links(struct ow_model *m)
{
	struct ow_m_link *k, *next;

	HASH_ITER(hh, m->links, k, next) {
		HASH_DEL(m->links, k);
		free(k);
	}
}
