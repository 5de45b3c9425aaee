/* SPDX-License-Identifier: Apache-2.0 */
/*
 * totals.c - totals of the counters in the tables, which never fall
 *
 * For each row the last counters and their process are kept. The counters of a
 * new process start at zero, whatever the process before it had counted. A row
 * is copied first and added only if the server is still the same process.
 */
#include "libndrx/figures/totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The counters of a row at the last look; `svc` is 1 + the service. */
struct seen {
	uint32_t svc;
	uint64_t start; /* of the process */
	struct ow_counts last;
};

struct seen_client {
	uint32_t gen;
	uint64_t calls, timeouts, late;
};

struct ow_totals {
	struct ow_total *services[OW_SVC_MAX]; /* by number in the table */
	struct seen *rows[OW_SRV_MAX];	       /* by server, nrows of them */
	uint32_t nrows[OW_SRV_MAX];
	struct seen_client *seen_clients;
	uint32_t nclients;
	struct ow_totals_clients clients;
};

static const struct ow_total nothing;

struct ow_totals *ow_totals_open(void)
{
	return calloc(1, sizeof(struct ow_totals));
}

struct ow_totals *ow_totals_close(struct ow_totals *t)
{
	if (t == NULL)
		return NULL;
	for (uint32_t i = 0; i < OW_SVC_MAX; i++)
		free(t->services[i]);
	for (uint32_t i = 0; i < OW_SRV_MAX; i++)
		free(t->rows[i]);
	free(t->seen_clients);
	free(t);
	return NULL;
}

/* What `now` has grown by since *last. */
static uint64_t growth(uint64_t *last, uint64_t now)
{
	uint64_t d = now >= *last ? now - *last : now;

	*last = now;
	return d;
}

static uint64_t load(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_acquire);
}

/* Make room for the last counters of `n` rows of server `id`. */
static int need_rows(struct ow_totals *t, uint32_t id, uint32_t n)
{
	struct seen *p;

	if (n <= t->nrows[id])
		return 0;
	p = realloc(t->rows[id], n * sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	memset(p + t->nrows[id], 0, (n - t->nrows[id]) * sizeof(*p));
	t->rows[id] = p;
	t->nrows[id] = n;
	return 0;
}

/* The total of service 1 + `svc`; NULL: no memory. */
static struct ow_total *total_of(struct ow_totals *t, uint32_t svc)
{
	if (t->services[svc - 1] == NULL)
		t->services[svc - 1] = calloc(1, sizeof(nothing));
	return t->services[svc - 1];
}

static int look_at_server(struct ow_totals *t, const struct ow_observer *v,
			  uint32_t id)
{
	const struct ow_srv *srv = &v->d.tables->srv[id];
	uint64_t start = load(&srv->start);
	uint32_t row, n = ow_observer_rows(v, id);
	uint32_t cur = atomic_load(&srv->cur_adv);

	if (need_rows(t, id, n) != 0)
		return -ENOMEM;
	for (row = 0; row < n; row++) {
		const struct ow_adv *a = &ow_tables_adv(v->d.tables, id)[row];
		struct seen *s = &t->rows[id][row];
		uint32_t svc = atomic_load(&a->svc);
		struct ow_total *sum;
		struct ow_counts now;
		uint64_t front_ns;

		if (svc == 0 || svc > OW_SVC_MAX)
			continue;
		sum = total_of(t, svc);
		if (sum == NULL)
			return -ENOMEM;
		ow_counts_copy(a, &now);
		front_ns = load(&a->front_ns);
		if (atomic_load(&srv->start) != start)
			break; /* the process changed: add at the next look */
		if (s->svc != svc || s->start != start)
			*s = (struct seen){ .svc = svc, .start = start };
		ow_counts_grow(&sum->counts, &s->last, &now);
		if (front_ns > sum->front_ns)
			sum->front_ns = front_ns;
		sum->busy += cur == row + 1;
	}
	return 0;
}

static int look_at_clients(struct ow_totals *t, const struct ow_observer *v)
{
	uint32_t i, n = ow_observer_clients(v);
	struct seen_client *p = t->seen_clients;

	t->clients.outstanding = t->clients.contexts = 0;
	if (n > t->nclients) {
		p = realloc(p, n * sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		memset(p + t->nclients, 0, (n - t->nclients) * sizeof(*p));
		t->seen_clients = p;
		t->nclients = n;
	}
	for (i = 0; i < n; i++) {
		const struct ow_clt *c = &v->d.tables->clt[i];
		uint32_t gen = atomic_load(&c->gen);

		if ((gen & 1) == 0)
			continue;
		if (p[i].gen != gen)
			p[i] = (struct seen_client){ .gen = gen };
		t->clients.calls += growth(&p[i].calls, load(&c->calls));
		t->clients.timeouts += growth(&p[i].timeouts,
					      load(&c->timeouts));
		t->clients.late += growth(&p[i].late, load(&c->late));
		t->clients.outstanding += atomic_load(&c->outstanding);
		t->clients.contexts++;
	}
	return 0;
}

int ow_totals_look(struct ow_totals *t, const struct ow_observer *v)
{
	const struct ow_tables *tab = v->d.tables;
	uint32_t id, i, at;
	int r = look_at_clients(t, v);

	for (i = 0; i < ow_observer_services(v); i++) {
		at = atomic_load(&tab->head->svc_list[i]);
		if (at < OW_SVC_MAX && t->services[at] != NULL)
			t->services[at]->busy = 0;
	}
	for (id = ow_srv_next(tab, 1); id != 0; id = ow_srv_next(tab, id + 1))
		if (look_at_server(t, v, id) != 0)
			r = -ENOMEM;
	return r;
}

const struct ow_total *ow_totals_service(const struct ow_totals *t,
					 uint32_t svc)
{
	return svc < OW_SVC_MAX && t->services[svc] != NULL ? t->services[svc]
							    : &nothing;
}

const struct ow_totals_clients *ow_totals_clients(const struct ow_totals *t)
{
	return &t->clients;
}
