/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offers.c - what this node offers to others, and others to this node
 *
 * The tables say what servers of this node offer; bridges do not count, so
 * nothing is offered to its owner again. A service that servers here offer is
 * not advertised for others: local servers come first.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xatmi.h>

#include "bridge/abroad.h"
#include "bridge/bridge.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/nodes.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"

/* ---- what servers here offer ---- */

/* Add the services of one server. */
static void look_at(const struct ow_tables *t, uint32_t srvid,
		    struct ow_br_names *to)
{
	uint32_t row, svc, n = atomic_load(&t->srv[srvid].nadv);
	char name[OW_SVC_NAME];

	for (row = 0; row < n && row < OW_ADV_MAX; row++) {
		svc = ow_tables_row_svc(t, srvid, row);
		if (svc == 0 || svc > OW_SVC_MAX)
			continue;
		memcpy(name, t->svc[svc - 1].name, sizeof(name));
		name[sizeof(name) - 1] = '\0';
		if (name[0] != '\0' && name[0] != '@' && name[0] != '.')
			ow_br_names_add(to, name);
	}
}

static void look_at_all(const struct ow_tables *t, struct ow_br_names *to)
{
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (atomic_load(&t->srv[id].pid) != 0 &&
		    atomic_load(&t->srv[id].state) != OW_SRV_STOPPING &&
		    !ow_nodes_is_bridge(t->srv[id].bin))
			look_at(t, id, to);
	ow_br_names_order(to);
}

/* Of these, what others may know. */
static void choose(const struct ow_br_options *o,
		   const struct ow_br_names *local, struct ow_br_names *to)
{
	uint32_t i;

	for (i = 0; i < local->n; i++)
		if ((o->exports.n == 0 ||
		     ow_br_names_has(&o->exports, local->name[i])) &&
		    !ow_br_names_has(&o->hidden, local->name[i]))
			ow_br_names_add(to, local->name[i]);
}

/* ---- told to others ---- */

/* News from two sets, malloc'ed, with the length; NULL: no memory. */
static struct ow_br_news *compose(uint64_t gen, bool full,
				  const struct ow_br_names *plus,
				  const struct ow_br_names *minus,
				  size_t *ret_len)
{
	size_t a = (size_t)plus->n * OW_BR_NAME,
	       z = minus != NULL ? (size_t)minus->n * OW_BR_NAME : 0;
	struct ow_br_news *n = calloc(1, sizeof(*n) + a + z);

	if (n == NULL)
		return NULL;
	n->gen = gen;
	n->full = full;
	n->plus = plus->n;
	n->minus = minus != NULL ? minus->n : 0;
	if (a > 0)
		memcpy((char *)(n + 1), plus->name, a);
	if (z > 0)
		memcpy((char *)(n + 1) + a, minus->name, z);
	*ret_len = sizeof(*n) + a + z;
	return n;
}

static void tell(struct ow_bridge *b, const struct ow_br_peer *p,
		 const struct ow_br_news *n, size_t len)
{
	struct ow_br_frame f = { .kind = OW_BR_NEWS, .len = len };

	if (n != NULL)
		ow_br_say(b, p, &f, n, false);
}

void ow_br_offers_tell(struct ow_bridge *b, const struct ow_br_peer *p)
{
	struct ow_br_news *n;
	size_t len = 0;

	pthread_mutex_lock(&b->lock);
	n = compose(b->gen, true, &b->own, NULL, &len);
	pthread_mutex_unlock(&b->lock);
	tell(b, p, n, len);
	free(n);
}

/* `own` is what we offer now. Returns the news, if there are any. */
static struct ow_br_news *take_over(struct ow_bridge *b,
				    struct ow_br_names *own, size_t *ret_len)
{
	struct ow_br_names plus = { 0 }, minus = { 0 }, old;
	struct ow_br_news *n;

	if (ow_br_names_same(own, &b->own))
		return NULL;
	ow_br_names_minus(own, &b->own, &plus);
	ow_br_names_minus(&b->own, own, &minus);
	old = b->own;
	b->own = *own;
	*own = old;
	n = compose(++b->gen, false, &plus, &minus, ret_len);
	ow_br_names_free(&plus);
	ow_br_names_free(&minus);
	return n;
}

void ow_br_offers_look(struct ow_bridge *b)
{
	struct ow_br_names local = { 0 }, own = { 0 }, old;
	struct ow_br_news *n;
	size_t len = 0;

	look_at_all(b->dom->tables, &local);
	choose(&b->opt, &local, &own);
	pthread_mutex_lock(&b->lock);
	n = take_over(b, &own, &len);
	if (!ow_br_names_same(&local, &b->local)) {
		old = b->local;
		b->local = local;
		local = old;
		ow_br_offers_changed(b);
	}
	pthread_mutex_unlock(&b->lock);
	tell(b, NULL, n, len);
	free(n);
	ow_br_names_free(&local);
	ow_br_names_free(&own);
}

/* ---- of others ---- */

void ow_br_offers_changed(struct ow_bridge *b)
{
	struct ow_br_names all = { 0 };
	uint64_t one = 1;
	uint32_t i, k;

	for (i = 0; i < b->npeers; i++)
		for (k = 0; b->peer[i]->up && k < b->peer[i]->offers.n; k++)
			ow_br_names_add(&all, b->peer[i]->offers.name[k]);
	ow_br_names_order(&all);
	ow_br_names_clear(&b->wanted);
	ow_br_names_minus(&all, &b->local, &b->wanted);
	ow_br_names_free(&all);
	if (!ow_br_names_same(&b->wanted, &b->shown) && b->changed_fd >= 0)
		(void)!write(b->changed_fd, &one, sizeof(one));
}

static int advertise(const char *name)
{
	if (tpadvertise_full((char *)name, ow_br_abroad,
			     (char *)"ABROAD") == 0)
		return 0;
	log_error("service %s of another node: %s", name, tpstrerror(tperrno));
	return -1;
}

int ow_br_offers_show(struct ow_bridge *b)
{
	struct ow_br_names plus = { 0 }, minus = { 0 }, shown = { 0 };
	uint32_t i;

	pthread_mutex_lock(&b->lock);
	ow_br_names_minus(&b->wanted, &b->shown, &plus);
	ow_br_names_minus(&b->shown, &b->wanted, &minus);
	pthread_mutex_unlock(&b->lock);
	ow_br_names_minus(&b->shown, &minus, &shown);
	for (i = 0; i < minus.n; i++)
		tpunadvertise(minus.name[i]);
	for (i = 0; i < plus.n; i++)
		if (advertise(plus.name[i]) == 0)
			ow_br_names_add(&shown, plus.name[i]);
	ow_br_names_order(&shown);
	pthread_mutex_lock(&b->lock);
	ow_br_names_free(&b->shown);
	b->shown = shown;
	pthread_mutex_unlock(&b->lock);
	ow_br_names_free(&plus);
	ow_br_names_free(&minus);
	return 0;
}

/* ---- field tables ---- */

static uint64_t hash_file(uint64_t h, const char *path)
{
	FILE *f = fopen(path, "re");
	int c;

	while (f != NULL && (c = getc(f)) != EOF)
		h = (h ^ (uint64_t)(unsigned char)c) * UINT64_C(1099511628211);
	if (f != NULL)
		fclose(f);
	return h;
}

uint64_t ow_br_tables_hash(void)
{
	const char *dirs = getenv("FLDTBLDIR"), *tables = getenv("FIELDTBLS");
	char *copy = strdup(tables != NULL ? tables : ""), *save = NULL, *name;
	uint64_t h = UINT64_C(14695981039346656037);
	char path[4096];

	if (copy == NULL || tables == NULL || dirs == NULL) {
		free(copy);
		return 0;
	}
	for (name = strtok_r(copy, ",", &save); name != NULL;
	     name = strtok_r(NULL, ",", &save)) {
		snprintf(path, sizeof(path), "%.*s/%s",
			 (int)strcspn(dirs, ":"), dirs, name);
		h = hash_file(h, path);
	}
	free(copy);
	return h != 0 ? h : 1;
}
