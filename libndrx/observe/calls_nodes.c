/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_nodes.c - what nodes have told of requests that they got from others
 *
 * A request is stuck if it waits for requests at other nodes that are all
 * stuck: the greatest set of which this is true. What was told at different
 * moments cannot make a deadlock that is none: see observability.md.
 */
#include "libndrx/observe/calls_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/nodes.h"
#include "libubf/base/printable.h"

static int by_id(const void *a, const void *b)
{
	const struct ow_waits_call *x = &((const struct ow_calls_told *)a)->t.call,
				   *y = &((const struct ow_calls_told *)b)->t.call;
	int r = memcmp(x->id, y->id, sizeof(x->id));

	return r != 0 ? r : (x->from > y->from) - (x->from < y->from);
}

static bool is_believed(const struct ow_calls_told *p)
{
	return p->age_ns <= OW_WAITS_BELIEVED_MS * OW_NS_PER_MS;
}

/* Of one request what was told last is first. */
static int by_age(const void *a, const void *b)
{
	const struct ow_calls_told *x = a, *y = b;
	int r = by_id(a, b);

	return r != 0 ? r : (x->age_ns > y->age_ns) - (x->age_ns < y->age_ns);
}

/* Of each request the newest: several bridges were told the same by a node. */
static void keep_one_of_each(struct ow_calls_nodes *n)
{
	struct ow_calls_told *p = n->told;
	size_t i, kept = 0;

	qsort(p, n->n, sizeof(*p), by_age);
	for (i = 0; i < n->n; i++) {
		if (kept == 0 || by_id(&p[kept - 1], &p[i]) != 0)
			p[kept++] = p[i];
		else if (p[kept - 1].t.node != p[i].t.node &&
			 is_believed(&p[i]))
			p[kept - 1].stuck = false;
	}
	n->n = kept;
}

static int take(struct ow_calls_nodes *n, const struct ow_waits_snapshot *s)
{
	struct ow_calls_told *p = realloc(n->told, (n->n + s->told_n + 1) *
						       sizeof(*p));
	uint64_t now = ow_clock_mono_ns();
	struct ow_waits_call *c;
	uint32_t i;

	if (p == NULL)
		return -ENOMEM;
	n->told = p;
	for (i = 0; i < s->told_n; i++) {
		p = &n->told[n->n++];
		p->t = s->told[i];
		c = &p->t.call;
		c->why[sizeof(c->why) - 1] = '\0';
		ow_printable(c->why);
		p->age_ns = now > p->t.told_ns ? now - p->t.told_ns : 0;
		p->stuck = c->state == OW_WAITS_OTHERS &&
			   c->outs <= OW_WAITS_OUTS && is_believed(p);
	}
	return 0;
}

const struct ow_calls_told *ow_calls_nodes_find(const struct ow_calls_nodes *n,
						uint32_t from,
						const uint8_t id[8])
{
	static const uint8_t none[8];
	struct ow_calls_told want;

	memcpy(want.t.call.id, id, sizeof(want.t.call.id));
	want.t.call.from = from;
	return n->n == 0 || memcmp(id, none, sizeof(none)) == 0
		       ? NULL
		       : bsearch(&want, n->told, n->n, sizeof(*n->told),
				 by_id);
}

static bool is_stuck(const struct ow_calls_nodes *n,
		     const struct ow_waits_told *t)
{
	const struct ow_calls_told *p;
	uint32_t i;

	for (i = 0; i < t->call.outs; i++) {
		p = ow_calls_nodes_find(n, t->node, t->call.out[i]);
		if (p == NULL || !p->stuck)
			return false;
	}
	return true;
}

static void find_stuck(struct ow_calls_nodes *n)
{
	bool changed = true;
	size_t i;

	while (changed) {
		changed = false;
		for (i = 0; i < n->n; i++) {
			if (!n->told[i].stuck || is_stuck(n, &n->told[i].t))
				continue;
			n->told[i].stuck = false;
			changed = true;
		}
	}
}

int ow_calls_nodes_read(const struct ow_observer *v, struct ow_calls_nodes *ret)
{
	const struct ow_tables *t = v->d.tables;
	struct ow_waits_snapshot *s;
	char bin[64];
	uint32_t id;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	for (id = ow_srv_next(t, 1); id != 0 && r == 0;
	     id = ow_srv_next(t, id + 1)) {
		ow_observer_text(bin, t->srv[id].bin, sizeof(bin));
		if (!ow_nodes_is_bridge(bin) || !ow_srv_alive(t, id))
			continue;
		s = ow_waits_read(&v->d, id);
		if (s != NULL)
			r = take(ret, s);
		free(s);
	}
	if (r != 0)
		ow_calls_nodes_free(ret);
	if (ret->n > 0)
		keep_one_of_each(ret);
	find_stuck(ret);
	return r;
}

void ow_calls_nodes_free(struct ow_calls_nodes *n)
{
	free(n->told);
	memset(n, 0, sizeof(*n));
}
