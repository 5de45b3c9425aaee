/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_link.c - figures of bridges, and of their links to other nodes
 */
#include "libndrx/figures/family.h"

#include <stdio.h>

#include "libndrx/observe/bridges.h"
#include "libatmi/base/clock.h"

/* Labels of a bridge, or of one of its links. */
struct labels {
	char srvid[16], node[16], bridge[16];
	struct ow_text_label list[4];
};

static void name_bridge(struct labels *n, const struct ow_nodes_snapshot *p)
{
	snprintf(n->srvid, sizeof(n->srvid), "%u", p->head.srvid);
	n->list[0] = (struct ow_text_label){ "srvid", n->srvid };
	n->list[1] = (struct ow_text_label){ NULL, NULL };
}

static void name_link(struct labels *n, const struct ow_nodes_link *l)
{
	snprintf(n->node, sizeof(n->node), "%u", l->node);
	snprintf(n->bridge, sizeof(n->bridge), "%u", l->bridge);
	n->list[1] = (struct ow_text_label){ "node", n->node };
	n->list[2] = (struct ow_text_label){ "bridge", n->bridge };
	n->list[3] = (struct ow_text_label){ NULL, NULL };
}

void ow_family_bridge(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t)
{
	struct ow_bridges b;
	struct labels n;
	uint32_t i;

	ow_bridges_open(&f->view, &b);
	for (i = 0; i < b.n; i++) {
		name_bridge(&n, b.p[i]);
		ow_family_uint(fam, t, n.list, ow_family_word(fam, b.p[i]));
	}
	ow_bridges_close(&b);
}

/* Call `write` for each link of each bridge. */
static void each_link(const struct ow_figures *f, const struct ow_family *fam,
		      struct ow_text *t,
		      void (*write)(const struct ow_family *, struct ow_text *,
				    const struct ow_text_label *,
				    const struct ow_nodes_link *))
{
	struct ow_bridges b;
	struct labels n;
	uint32_t i, k;

	ow_bridges_open(&f->view, &b);
	for (i = 0; i < b.n; i++) {
		name_bridge(&n, b.p[i]);
		for (k = 0; k < b.p[i]->links; k++) {
			name_link(&n, &b.p[i]->link[k]);
			write(fam, t, n.list, &b.p[i]->link[k]);
		}
	}
	ow_bridges_close(&b);
}

static void write_word(const struct ow_family *fam, struct ow_text *t,
		       const struct ow_text_label *labels,
		       const struct ow_nodes_link *l)
{
	ow_family_uint(fam, t, labels, ow_family_word(fam, l));
}

static void write_time(const struct ow_family *fam, struct ow_text *t,
		       const struct ow_text_label *labels,
		       const struct ow_nodes_link *l)
{
	ow_family_us(fam, t, labels, ow_family_word(fam, l) / OW_NS_PER_US);
}

void ow_family_link(const struct ow_figures *f, const struct ow_family *fam,
		    struct ow_text *t)
{
	each_link(f, fam, t, write_word);
}

void ow_family_link_time(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	each_link(f, fam, t, write_time);
}

static void write_times(const struct ow_family *fam, struct ow_text *t,
			const struct ow_nodes_snapshot *p,
			const struct ow_nodes_time *n)
{
	char srvid[16], node[16], svc[sizeof(n->svc)];
	/* Room for one more. */
	struct ow_text_label labels[5] = { { "srvid", srvid },
					   { "node", node },
					   { "service", svc } };

	snprintf(srvid, sizeof(srvid), "%u", p->head.srvid);
	snprintf(node, sizeof(node), "%u", n->node);
	ow_observer_text(svc, n->svc, sizeof(svc));
	ow_family_write_hist(fam, t, labels, n->hist, n->sum_us, NULL);
}

void ow_family_remote_times(const struct ow_figures *f,
			    const struct ow_family *fam, struct ow_text *t)
{
	struct ow_bridges b;
	uint32_t i, k;

	ow_bridges_open(&f->view, &b);
	for (i = 0; i < b.n; i++)
		for (k = 0; k < b.p[i]->times; k++)
			write_times(fam, t, b.p[i], &b.p[i]->time[k]);
	ow_bridges_close(&b);
}
