/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertisement.c - what is offered is told to other bridges
 *
 * An advertisement has all offers of a bridge, or what has changed, with a
 * generation. What does not fit in a message goes in parts, in order; the
 * receiver keeps them until they are whole. If one is missing it asks, and is
 * told all again. Parts of the same one that come twice, because two threads of
 * the sender told them, count once.
 */
#include "servers/bridge/directory/advertisement.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "servers/bridge/peers/send.h"

/* ---- told ---- */

struct ow_br_advert *ow_br_advert_make(uint64_t gen,
				       const struct ow_br_names *plus,
				       const struct ow_br_names *minus,
				       size_t *ret_len)
{
	size_t a = (size_t)plus->n * OW_BR_NAME,
	       z = minus != NULL ? (size_t)minus->n * OW_BR_NAME : 0;
	struct ow_br_advert *n = calloc(1, sizeof(*n) + a + z);

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

static void tell_parts(struct ow_br_directory *d, const struct ow_br_peer *p,
		       const struct ow_br_advert *n, uint64_t each)
{
	uint64_t names = (uint64_t)n->plus + n->minus, at, some;
	char *part = malloc(sizeof(*n) + each * OW_BR_NAME);

	for (at = 0; part != NULL && at < names; at += some) {
		struct ow_br_frame f = { .kind = OW_BR_ADVERT_PART,
					 .offset = at };

		some = names - at < each ? names - at : each;
		memcpy(part, n, sizeof(*n));
		memcpy(part + sizeof(*n),
		       (const char *)(n + 1) + at * OW_BR_NAME,
		       some * OW_BR_NAME);
		f.len = sizeof(*n) + some * OW_BR_NAME;
		ow_br_say(d->peers, p, &f, part, false);
	}
	free(part);
}

void ow_br_advert_tell(struct ow_br_directory *d, const struct ow_br_peer *p,
		     const struct ow_br_advert *n, size_t len)
{
	struct ow_br_frame f = { .kind = OW_BR_ADVERT, .len = len };
	size_t heads = sizeof(struct ow_br_batch) + ow_br_frame_size(0) +
		       sizeof(*n), largest, room;

	if (n == NULL)
		return;
	pthread_mutex_lock(&d->peers->lock);
	largest = d->peers->largest;
	room = d->peers->limit;
	pthread_mutex_unlock(&d->peers->lock);
	if (sizeof(struct ow_br_batch) + ow_br_frame_size(len) <= largest)
		ow_br_say(d->peers, p, &f, n, false);
	else
		tell_parts(d, p, n, (room - heads) / OW_BR_NAME);
}

/* ---- heard ---- */

static void ask_for_all(struct ow_br_directory *d, struct ow_br_peer *p)
{
	struct ow_br_frame ask = { .kind = OW_BR_ASK };

	ow_br_say(d->peers, p, &ask, NULL, false);
}

/* Does it follow what is known of `p`? Lock held. */
static bool fit(const struct ow_br_peer *p, const struct ow_br_advert *n)
{
	return n->full || n->gen == p->gen + 1;
}

/* Was it said again, by `brrefresh`? Lock held. */
static bool are_known(const struct ow_br_peer *p, const struct ow_br_advert *n)
{
	return n->full && n->gen == p->gen;
}

/* They are whole, and fit. Lock held. */
static void apply(struct ow_br_directory *d, struct ow_br_peer *p,
		  const struct ow_br_advert *n, const char *names)
{
	if (ow_br_names_apply(&p->offers, n, names) != 0)
		return;
	p->gen = n->gen;
	ow_br_imports_apply(&d->imports, p->node, &p->offers);
	ow_br_offers_changed(d);
}

void ow_br_advert_take(struct ow_br_directory *d, struct ow_br_peer *p,
		     const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_advert n;
	bool fits;

	memcpy(&n, payload, sizeof(n));
	pthread_mutex_lock(&d->peers->lock);
	fits = fit(p, &n);
	if (fits && !are_known(p, &n))
		apply(d, p, &n, payload + sizeof(n));
	pthread_mutex_unlock(&d->peers->lock);
	if (!fits)
		ask_for_all(d, p);
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
static int take_part(struct ow_br_directory *d, struct ow_br_peer *p,
		     const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_gathering *g = &p->gathering;
	struct ow_br_advert n;

	memcpy(&n, payload, sizeof(n));
	if (are_known(p, &n))
		return 0;
	if (memcmp(&n, &g->head, sizeof(n)) != 0) {
		ow_br_gathering_drop(g);
		if (f->offset != 0)
			return 0; /* the next heartbeat shows that it is missing */
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
		apply(d, p, &n, g->names.name[0]);
	ow_br_gathering_drop(g);
	return 0;
}

void ow_br_advert_take_part(struct ow_br_directory *d, struct ow_br_peer *p,
			  const struct ow_br_frame *f, const char *payload)
{
	int r;

	pthread_mutex_lock(&d->peers->lock);
	r = take_part(d, p, f, payload);
	pthread_mutex_unlock(&d->peers->lock);
	if (r != 0)
		ask_for_all(d, p);
}

/* Have parts of generation `gen` come since this was asked last? Lock held. */
static bool goes_on(struct ow_br_peer *p, uint64_t gen)
{
	bool grows = p->gathering.grows && p->gathering.head.gen == gen;

	p->gathering.grows = false;
	return grows;
}

void ow_br_advert_heard(struct ow_br_directory *d, struct ow_br_peer *p,
			const struct ow_br_heartbeat *heartbeat)
{
	bool behind;

	pthread_mutex_lock(&d->peers->lock);
	p->tables = heartbeat->tables;
	behind = p->gen != heartbeat->gen && !goes_on(p, heartbeat->gen);
	pthread_mutex_unlock(&d->peers->lock);
	if (behind)
		ask_for_all(d, p);
}

void ow_br_advert_forget(struct ow_br_directory *d, struct ow_br_peer *p)
{
	ow_br_names_clear(&p->offers);
	ow_br_gathering_drop(&p->gathering);
	p->gen = 0;
	ow_br_offers_changed(d);
}
