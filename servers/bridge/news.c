/* SPDX-License-Identifier: Apache-2.0 */
/*
 * news.c - what is offered is told to other bridges, in one message or in parts
 *
 * News are all offers of a bridge, or what has changed, with a generation. What
 * does not fit in a message goes in parts, in order; the receiver keeps them
 * until they are whole. If one is missing it asks, and is told all again. Parts
 * of the same news that come twice, because two threads of the sender told
 * them, count once.
 */
#include "servers/bridge/news.h"

#include <stdlib.h>
#include <string.h>

#include "servers/bridge/bridge.h"
#include "libatmi/log/log.h"

/* ---- told ---- */

struct ow_br_news *ow_br_news_make(uint64_t gen, const struct ow_br_names *plus,
				   const struct ow_br_names *minus,
				   size_t *ret_len)
{
	size_t a = (size_t)plus->n * OW_BR_NAME,
	       z = minus != NULL ? (size_t)minus->n * OW_BR_NAME : 0;
	struct ow_br_news *n = calloc(1, sizeof(*n) + a + z);

	if (n == NULL)
		return NULL;
	n->gen = gen;
	n->full = minus == NULL;
	n->plus = plus->n;
	n->minus = minus != NULL ? minus->n : 0;
	if (a > 0)
		memcpy((char *)(n + 1), plus->name, a);
	if (z > 0)
		memcpy((char *)(n + 1) + a, minus->name, z);
	*ret_len = sizeof(*n) + a + z;
	return n;
}

static void tell_parts(struct ow_bridge *b, const struct ow_br_peer *p,
		       const struct ow_br_news *n, uint64_t each)
{
	uint64_t names = (uint64_t)n->plus + n->minus, at, some;
	char *part = malloc(sizeof(*n) + each * OW_BR_NAME);

	for (at = 0; part != NULL && at < names; at += some) {
		struct ow_br_frame f = { .kind = OW_BR_NEWS_PART,
					 .offset = at };

		some = names - at < each ? names - at : each;
		memcpy(part, n, sizeof(*n));
		memcpy(part + sizeof(*n),
		       (const char *)(n + 1) + at * OW_BR_NAME,
		       some * OW_BR_NAME);
		f.len = sizeof(*n) + some * OW_BR_NAME;
		ow_br_say(b, p, &f, part, false);
	}
	free(part);
}

/* To a bridge that knows no parts: as many names as a message has. */
static void tell_beginning(struct ow_bridge *b, const struct ow_br_peer *p,
			   const struct ow_br_news *n, uint64_t most)
{
	struct ow_br_frame f = { .kind = OW_BR_NEWS, .flags = OW_BR_NEWS_CUT };
	struct ow_br_news *cut;

	f.len = sizeof(*n) + most * OW_BR_NAME;
	cut = malloc(f.len);
	if (cut == NULL)
		return;
	memcpy(cut, n, f.len);
	cut->plus = (uint32_t)most; /* they are more, or it were whole */
	ow_br_say(b, p, &f, cut, false);
	free(cut);
	log_warn("node %u, bridge %u: of an older version: it hears of %llu of "
		 "%u services", p->node, p->bridge, (unsigned long long)most,
		 n->plus);
}

void ow_br_news_tell(struct ow_bridge *b, const struct ow_br_peer *p,
		     const struct ow_br_news *n, size_t len)
{
	struct ow_br_frame f = { .kind = OW_BR_NEWS, .len = len };
	size_t heads = sizeof(struct ow_br_batch) + ow_br_frame_size(0) +
		       sizeof(*n), largest, room;
	bool knows;

	if (n == NULL)
		return;
	pthread_mutex_lock(&b->lock);
	largest = b->largest;
	room = b->room;
	knows = p == NULL || p->knows_parts;
	pthread_mutex_unlock(&b->lock);
	if (sizeof(struct ow_br_batch) + ow_br_frame_size(len) <= largest)
		ow_br_say(b, p, &f, n, false);
	else if (knows)
		tell_parts(b, p, n, (room - heads) / OW_BR_NAME);
	else if (n->full)
		tell_beginning(b, p, n, (largest - heads) / OW_BR_NAME);
}

/* ---- heard ---- */

static void ask_for_all(struct ow_bridge *b, struct ow_br_peer *p)
{
	struct ow_br_frame ask = { .kind = OW_BR_ASK };

	ow_br_say(b, p, &ask, NULL, false);
}

/* Do news of this kind follow what is known of `p`? Lock held. */
static bool fit(const struct ow_br_peer *p, const struct ow_br_news *n)
{
	return n->full || n->gen == p->gen + 1;
}

/* Were they said again, by `brrefresh`? Lock held. */
static bool are_known(const struct ow_br_peer *p, const struct ow_br_news *n)
{
	return n->full && n->gen == p->gen;
}

/* They are whole, and fit. Lock held. */
static void apply(struct ow_bridge *b, struct ow_br_peer *p,
		  const struct ow_br_news *n, const char *names)
{
	if (ow_br_names_apply(&p->offers, n, names) != 0)
		return;
	p->gen = n->gen;
	ow_br_imports_apply(&b->opt.imports, p->node, &p->offers);
	ow_br_offers_changed(b);
}

void ow_br_news_take(struct ow_bridge *b, struct ow_br_peer *p,
		     const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_news n;
	bool fits;

	if (f->flags & OW_BR_NEWS_CUT)
		return; /* it does not know yet that we know parts */
	memcpy(&n, payload, sizeof(n));
	pthread_mutex_lock(&b->lock);
	fits = fit(p, &n);
	if (fits && !are_known(p, &n))
		apply(b, p, &n, payload + sizeof(n));
	pthread_mutex_unlock(&b->lock);
	if (!fits)
		ask_for_all(b, p);
}

void ow_br_gathering_drop(struct ow_br_gathering *g)
{
	ow_br_names_free(&g->names);
	memset(g, 0, sizeof(*g));
}

/* Add the names of a part, which has some beyond those that are there. 0;
 * -1: a part is missing, or there is no memory. */
static int gather(struct ow_br_gathering *g, const struct ow_br_frame *f,
		  const char *names)
{
	uint64_t i, n = (f->len - sizeof(g->head)) / OW_BR_NAME;
	int r = f->offset <= g->names.n ? 0 : -1;

	for (i = g->names.n - f->offset; r == 0 && i < n; i++)
		r = ow_br_names_add(&g->names, names + i * OW_BR_NAME);
	g->grows = true;
	return r == 0 ? 0 : -1;
}

/* Lock held. Returns -1 if all is to be told again. */
static int take_part(struct ow_bridge *b, struct ow_br_peer *p,
		     const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_gathering *g = &p->gathering;
	struct ow_br_news n;

	memcpy(&n, payload, sizeof(n));
	if (are_known(p, &n))
		return 0;
	if (memcmp(&n, &g->head, sizeof(n)) != 0) {
		ow_br_gathering_drop(g);
		if (f->offset != 0)
			return 0; /* the next beat shows that it is missing */
		if (!fit(p, &n))
			return -1;
		g->head = n;
	}
	if (gather(g, f, payload + sizeof(n)) != 0) {
		ow_br_gathering_drop(g);
		return -1;
	}
	if (g->names.n < n.plus + n.minus)
		return 0;
	if (fit(p, &n))
		apply(b, p, &n, g->names.name[0]);
	ow_br_gathering_drop(g);
	return 0;
}

void ow_br_news_take_part(struct ow_bridge *b, struct ow_br_peer *p,
			  const struct ow_br_frame *f, const char *payload)
{
	int r;

	pthread_mutex_lock(&b->lock);
	r = take_part(b, p, f, payload);
	pthread_mutex_unlock(&b->lock);
	if (r != 0)
		ask_for_all(b, p);
}

bool ow_br_gathering_goes_on(struct ow_br_peer *p, uint64_t gen)
{
	bool grows = p->gathering.grows && p->gathering.head.gen == gen;

	p->gathering.grows = false;
	return grows;
}
