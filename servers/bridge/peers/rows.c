/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - one row for each other bridge, and what its link forgets
 */
#include "servers/bridge/peers/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/parts.h"
#include "servers/bridge/peers/send.h"

/* After which the row of a bridge may become another one's. */
#define SILENT_NS (60 * OW_NS_PER_SEC)

bool ow_br_node_has_rows(const struct ow_br_peers *ps, uint32_t node)
{
	uint32_t i, n = 0;

	for (i = 0; i < ps->npeers; i++)
		n += ps->peer[i]->node == node;
	return n >= OW_BR_NODE_ROWS;
}

struct ow_br_peer *ow_br_peer_find(const struct ow_br_peers *ps, uint32_t node,
				   uint32_t bridge)
{
	uint32_t i;

	for (i = 0; i < ps->npeers; i++)
		if (ps->peer[i]->node == node && ps->peer[i]->bridge == bridge)
			return ps->peer[i];
	return NULL;
}

/* The first bridge of `node`, which leads to the others; NULL: none. */
static struct ow_br_peer *find_node(const struct ow_br_peers *ps, uint32_t node)
{
	uint32_t i;

	for (i = 0; i < ps->npeers; i++)
		if (ps->peer[i]->node == node && ps->peer[i]->is_first)
			return ps->peer[i];
	return NULL;
}

/* The row that is silent for longest, of `node` (0: of any); NULL: each one is
 * in use. */
static struct ow_br_peer *find_silent(const struct ow_br_peers *ps, uint32_t node)
{
	struct ow_br_peer *p, *oldest = NULL;
	uint64_t now = ow_clock_mono_ns();
	uint32_t i;

	for (i = 0; i < ps->npeers; i++) {
		p = ps->peer[i];
		if (p->up || p->outstanding > 0 || p->convs > 0 ||
		    (node != 0 && p->node != node) ||
		    now - p->heard_ns < SILENT_NS)
			continue;
		if (oldest == NULL || p->heard_ns < oldest->heard_ns)
			oldest = p;
	}
	return oldest;
}

/* Take it out of the list of its node. What still knows it, knows its epoch,
 * too. */
static void forget(const struct ow_br_peers *ps, struct ow_br_peer *p)
{
	struct ow_br_peer *q = find_node(ps, p->node);
	uint32_t epoch = p->epoch + 1, link = p->link + 1;

	if (q == p && p->sibling != NULL)
		p->sibling->is_first = true;
	while (q != p && q->sibling != p)
		q = q->sibling;
	if (q != p)
		q->sibling = p->sibling;
	log_info("node %u, bridge %u: silent for long: its row is another "
		 "one's", p->node, p->bridge);
	memset(p, 0, sizeof(*p));
	p->epoch = epoch;
	p->link = link;
}

/* A row for one more bridge of `node`. */
static struct ow_br_peer *find_row(struct ow_br_peers *ps, uint32_t node)
{
	struct ow_br_peer *p = NULL;

	if (ow_br_node_has_rows(ps, node))
		p = find_silent(ps, node);
	else if (ps->npeers == OW_BR_PEERS)
		p = find_silent(ps, 0);
	else if ((p = calloc(1, sizeof(*p))) != NULL) {
		p->link = 1;
		ps->peer[ps->npeers++] = p;
		return p;
	}
	if (p != NULL)
		forget(ps, p);
	return p;
}

struct ow_br_peer *ow_br_peer_need(struct ow_br_peers *ps, uint32_t node,
				   uint32_t bridge)
{
	struct ow_br_peer *p = ow_br_peer_find(ps, node, bridge), *first;

	if (p != NULL)
		return p;
	p = find_row(ps, node);
	if (p == NULL)
		return NULL;
	first = find_node(ps, node);
	p->node = node;
	p->bridge = bridge;
	p->heartbeat_ms = ps->opt.heartbeat_ms;
	snprintf(p->subject, sizeof(p->subject), "%s.%u.%u.%u", ps->opt.root,
		 ps->opt.node, node, bridge);
	p->is_first = first == NULL;
	if (first != NULL) {
		p->sibling = first->sibling;
		first->sibling = p;
	}
	return p;
}

void ow_br_peer_reset(struct ow_br_peers *ps, struct ow_br_peer *p,
		      struct ow_br_call **ret)
{
	struct ow_br_partial *part;

	ps->above->reset(ps->above->arg, p, ret);
	while ((part = p->partial) != NULL) {
		p->partial = part->next;
		ow_br_partial_free(ps, part);
	}
	while ((part = p->saying) != NULL) {
		p->saying = part->next;
		ow_br_partial_free(ps, part);
	}
	ow_br_allowances_clear(ps, p);
	ow_br_lane_clear(ps, &p->lane[0]);
	ow_br_lane_clear(ps, &p->lane[1]);
	p->withheld = 0;
	p->up = false;
	p->outstanding = p->convs = 0;
	p->epoch++;
}

void ow_br_peer_give_up(struct ow_br_peers *ps, struct ow_br_peer *p,
			struct ow_br_call **ret)
{
	ow_br_peer_reset(ps, p, ret);
	p->link++;
}

void ow_br_peers_end(struct ow_br_peers *ps)
{
	uint32_t i, lane;

	pthread_mutex_lock(&ps->lock);
	for (i = 0; i < ps->npeers; i++) {
		ow_br_allowances_clear(ps, ps->peer[i]);
		for (lane = 0; lane < 2; lane++)
			ow_br_lane_clear(ps, &ps->peer[i]->lane[lane]);
	}
	pthread_mutex_unlock(&ps->lock);
}
