/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - what one node may take of this bridge, and what it did too much
 */
#include "servers/bridge/peers/budget.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/waits.h"
#include "libatmi/log/log.h"
#include "servers/bridge/peers/rows.h"

#define TALLIES 4096u /* nodes that were ever heard; more are not served */
/* A sender stops when its credit is used up, after the part in hand. */
#define CREDIT_MOST (OW_BR_WINDOW + OW_BR_PIECE + OW_BR_COST)

static struct ow_br_tally *find(const struct ow_br_peers *ps, uint32_t node)
{
	struct ow_br_tally *t = ps->tallies;

	while (t != NULL && t->node != node)
		t = t->next;
	return t;
}

static struct ow_br_tally *need(struct ow_br_peers *ps, uint32_t node)
{
	struct ow_br_tally *t = find(ps, node);

	if (t != NULL || ps->n_tallies == TALLIES)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->node = node;
	t->messages = (uint64_t)OW_BR_NODE_MESSAGES * OW_BR_NODE_BURST;
	t->bytes = OW_BR_NODE_BYTES * OW_BR_NODE_BURST;
	t->filled_ns = ow_clock_mono_ns();
	t->next = ps->tallies;
	ps->tallies = t;
	ps->n_tallies++;
	return t;
}

void ow_br_budget_free(struct ow_br_peers *ps)
{
	struct ow_br_tally *t;

	while ((t = ps->tallies) != NULL) {
		ps->tallies = t->next;
		free(t);
	}
	ps->n_tallies = 0;
}

/* ---- cut off ---- */

void ow_br_budget_cut(struct ow_br_peers *ps, uint32_t node,
		      enum ow_nodes_cut why, struct ow_br_call **ret)
{
	struct ow_br_tally *t = need(ps, node);
	uint32_t i;

	log_error("node %u is cut off for %u s: %s: its messages are dropped",
		  node, OW_BR_CUT_S, ow_nodes_cut_text(why));
	if (t != NULL) {
		t->cut_until_ns = ow_clock_mono_ns() +
				  OW_BR_CUT_S * OW_NS_PER_SEC;
		t->why = why;
	}
	for (i = 0; i < ps->npeers; i++)
		if (ps->peer[i]->node == node)
			ow_br_peer_give_up(ps, ps->peer[i], ret);
}

enum ow_nodes_cut ow_br_budget_why(const struct ow_br_peers *ps, uint32_t node)
{
	const struct ow_br_tally *t = find(ps, node);

	return t != NULL && t->cut_until_ns != 0 ? t->why : OW_NODES_CUT_NONE;
}

/* Is it cut off still? */
static bool is_cut(struct ow_br_tally *t, uint64_t now)
{
	if (t->cut_until_ns == 0)
		return false;
	if (now < t->cut_until_ns)
		return true;
	t->cut_until_ns = 0;
	log_warn("node %u is not cut off any more", t->node);
	return false;
}

/* ---- what it takes ---- */

static uint64_t fill(uint64_t have, uint64_t rate, uint64_t ns)
{
	uint64_t most = rate * OW_BR_NODE_BURST;

	if (ns > OW_BR_NODE_BURST * OW_NS_PER_SEC)
		return most;
	have += rate * (ns / OW_NS_PER_US) / 1000000u;
	return have < most ? have : most;
}

/* One message of the lane of control, or of no lane. */
static bool pay(struct ow_br_tally *t, uint64_t now, size_t len)
{
	uint64_t ns = now - t->filled_ns;

	if (ns >= OW_NS_PER_MS) {
		t->messages = fill(t->messages, OW_BR_NODE_MESSAGES, ns);
		t->bytes = fill(t->bytes, OW_BR_NODE_BYTES, ns);
		t->filled_ns = now;
	}
	if (t->messages == 0 || t->bytes < len)
		return false;
	t->messages--;
	t->bytes -= len;
	return true;
}

bool ow_br_budget_message(struct ow_br_peers *ps, uint32_t node,
			  const struct ow_br_batch *h, size_t len,
			  struct ow_br_call **ret)
{
	struct ow_br_tally *t = need(ps, node);
	uint64_t now = ow_clock_mono_ns();

	if (t == NULL || is_cut(t, now))
		return false;
	if (h != NULL && h->lane != OW_BR_CONTROL)
		return true;
	if (pay(t, now, len))
		return true;
	ow_br_budget_cut(ps, node, OW_NODES_CUT_RATE, ret);
	return false;
}

/* Units of the frames, as their sender counts them. */
static uint64_t units_of(const void *data, size_t len)
{
	struct ow_br_frame f;
	uint64_t units = 0;
	size_t at = 0;

	while (ow_br_frame_next(data, len, &at, &f) != NULL)
		if (f.kind != OW_BR_CALLER)
			units += f.len + OW_BR_COST;
	return units;
}

/* What a frame costs beside its bytes: answers to these are as long as our list
 * is; what is shown of requests that wait is copied with each WAITS. */
static size_t cost_of(const struct ow_br_peers *ps, const struct ow_br_frame *f)
{
	if (f->kind == OW_BR_WAITS)
		return sizeof(struct ow_waits_snapshot);
	if (f->kind == OW_BR_ASK || f->kind == OW_BR_ASK_INTEREST)
		return ps->above->offered(ps->above->arg) + OW_BR_BATCH;
	return 0;
}

static bool pay_for_frames(struct ow_br_peers *ps, uint32_t node,
			   const void *data, size_t len)
{
	struct ow_br_tally *t = need(ps, node);
	struct ow_br_frame f;
	size_t at = 0, cost;

	while (t != NULL && ow_br_frame_next(data, len, &at, &f) != NULL) {
		cost = cost_of(ps, &f);
		if (cost > 0 && !pay(t, ow_clock_mono_ns(), cost))
			return false;
	}
	return t != NULL;
}

bool ow_br_budget_frames(struct ow_br_peers *ps, struct ow_br_peer *p,
			 const struct ow_br_batch *h, const void *data,
			 size_t len, struct ow_br_call **ret)
{
	struct ow_br_lane_state *l;

	if (h->lane == OW_BR_CONTROL) {
		if (pay_for_frames(ps, p->node, data, len))
			return true;
		ow_br_budget_cut(ps, p->node, OW_NODES_CUT_RATE, ret);
		return false;
	}
	l = &p->lane[h->lane];
	if (l->came < l->taken)
		l->came = l->taken;
	l->came += units_of(data, len);
	if (l->came - l->taken <= CREDIT_MOST)
		return true;
	ow_br_budget_cut(ps, p->node, OW_NODES_CUT_CREDIT, ret);
	return false;
}
