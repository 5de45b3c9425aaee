/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - what listings show of the links of this bridge
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/nodes.h"
#include "servers/bridge/bridge.h"
#include "servers/bridge/out/times.h"
#include "servers/bridge/peers/budget.h"

#define PERIOD_NS (200 * OW_NS_PER_MS)

static void show_link(const struct ow_bridge *b, const struct ow_br_peer *p,
		      struct ow_nodes_link *l)
{
	*l = (struct ow_nodes_link){
		.node = p->node,
		.bridge = p->bridge,
		.up = p->up,
		.offers = p->offers.n,
		.heard_ns = p->heard_ns,
		.rtt_ns = p->rtt_ns,
		.calls_out = p->calls_out,
		.calls_in = p->calls_in,
		.errors = p->errors,
		.lost = p->lost,
		.outstanding = p->outstanding,
		.waiting = p->lane[OW_BR_REQUESTS].waiting + p->aside,
		.left = p->left != 0,
		.cut = ow_br_budget_why(&b->peers, p->node),
	};
}

static void show_offers(const struct ow_br_peer *p, struct ow_nodes_snapshot *to)
{
	struct ow_nodes_offer *o;
	uint32_t i;

	for (i = 0; p->up && i < p->offers.n && to->offers < OW_NODES_OFFERS;
	     i++) {
		o = &to->offer[to->offers++];
		memcpy(o->name, p->offers.name[i], sizeof(o->name));
		o->node = p->node;
	}
}

static void fill(struct ow_bridge *b, struct ow_nodes_snapshot *to)
{
	uint32_t i;

	to->node = b->peers.opt.node;
	to->connected = b->peers.connected;
	to->written_ns = ow_clock_mono_ns();
	to->garbage = atomic_load(&b->peers.garbage);
	snprintf(to->cluster, sizeof(to->cluster), "%s", b->peers.opt.cluster);
	ow_br_times_show(b->calls.times, to);
	to->links = to->offers = 0;
	for (i = 0; i < b->peers.npeers && i < OW_NODES_LINKS; i++) {
		show_link(b, b->peers.peer[i], &to->link[to->links++]);
		show_offers(b->peers.peer[i], to);
	}
}

void ow_br_report(struct ow_bridge *b)
{
	struct ow_nodes_snapshot *p = b->nodes;

	if (p != NULL)
		atomic_store(&p->placed_ns, atomic_load(&b->dir.placed_ns));
	if (p == NULL || ow_clock_mono_ns() - p->written_ns < PERIOD_NS)
		return;
	ow_nodes_begin(p);
	pthread_mutex_lock(&b->peers.lock);
	fill(b, p);
	pthread_mutex_unlock(&b->peers.lock);
	ow_nodes_end(p);
}
