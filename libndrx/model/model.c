/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - make the figures of the screens from samples
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/model.h"
#include "libndrx/model/things.h"
#include "libatmi/base/clock.h"

#define SPAN_NS (2 * OW_NS_PER_SEC)

struct ow_model *ow_model_new(void)
{
	struct ow_model *m = calloc(1, sizeof(*m));

	if (m != NULL)
		m->span_ns = SPAN_NS;
	return m;
}

static void free_things(struct ow_model *m)
{
	ow_model_free_services(m);
	ow_model_free_servers(m);
	ow_model_free_offers(m);
	ow_model_free_clients(m);
	ow_model_free_trans(m);
	ow_model_free_durable(m);
	ow_model_free_links(m);
	ow_model_free_calls(m);
	ow_model_free_routes(m);
}

struct ow_model *ow_model_free(struct ow_model *m)
{
	if (m == NULL)
		return NULL;
	free_things(m);
	free(m->list_trans.rows);
	free(m->list_calls.rows);
	free(m->list_routes.rows);
	free(m->list_durable.rows);
	free(m->list_services.rows);
	free(m->list_servers.rows);
	free(m->list_offers.rows);
	free(m->list_clients.rows);
	free(m->list_links.rows);
	free(m);
	return NULL;
}

void ow_model_set_span(struct ow_model *m, uint64_t span_ns)
{
	m->span_ns = span_ns;
}

static void begin_totals(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_overview *t = &m->overview;
	uint32_t looks = t->looks + 1;

	m->fresh = !t->domain;
	memset(t, 0, sizeof(*t));
	t->looks = looks;
	t->domain = s->domain;
	snprintf(t->why, sizeof(t->why), "%s", s->why);
	snprintf(t->prefix, sizeof(t->prefix), "%s", s->prefix);
	t->nodeid = s->nodeid;
	t->ndrxd_pid = s->ndrxd_pid;
	t->ndrxd_expected = s->ndrxd_expected;
	t->ndrxd_stopped = s->ndrxd_stopped;
	t->logs = s->logs;
	t->real_ns = s->real_ns;
	t->now_ns = s->now_ns;
	t->clients = (uint32_t)s->n_clients;
	t->unconnected = s->unconnected;
	t->mq_used = s->mq_limit > 0 && s->mq_limit != UINT64_MAX
			     ? 100.0 * (double)s->mq_bytes /
				       (double)s->mq_limit
			     : NAN;
	m->list_services.n = m->list_servers.n = 0;
	m->list_offers.n = m->list_clients.n = m->list_links.n = 0;
	m->list_trans.n = m->list_durable.n = m->list_calls.n = 0;
	m->list_routes.n = 0;
}

static void take_spins(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_overview *t = &m->overview;

	if (m->fresh) {
		ow_growth_start(&m->spins, s->spins, s->now_ns);
		ow_growth_start(&m->spin_hits, s->spin_hits, s->now_ns);
		ow_growth_start(&m->spin_ns, s->spin_ns, s->now_ns);
	}
	t->spins = ow_growth_rate(&m->spins, s->spins, s->now_ns, m->span_ns);
	t->spin_hits = ow_growth_rate(&m->spin_hits, s->spin_hits, s->now_ns,
				      m->span_ns);
	t->spin_cpu = ow_growth_rate(&m->spin_ns, s->spin_ns, s->now_ns,
				     m->span_ns) / (double)OW_NS_PER_SEC;
}

int ow_model_take(struct ow_model *m, const struct ow_sample *s)
{
	int r;

	begin_totals(m, s);
	if (!s->domain) {
		free_things(m);
		return 0;
	}
	take_spins(m, s);
	r = ow_model_take_services(m, s);
	if (r == 0)
		r = ow_model_take_servers(m, s);
	if (r == 0)
		r = ow_model_take_clients(m, s);
	if (r == 0)
		r = ow_model_take_links(m, s);
	if (r == 0)
		r = ow_model_take_offers(m, s);
	if (r == 0)
		r = ow_model_take_trans(m, s);
	if (r == 0)
		r = ow_model_take_durable(m, s);
	if (r == 0)
		r = ow_model_take_calls(m, s);
	if (r == 0)
		r = ow_model_take_routes(m, s);
	if (r != 0)
		return r;
	ow_model_share_offers(m);
	return ow_model_sum_services(m, s);
}

const struct ow_overview *ow_model_overview(const struct ow_model *m)
{
	return &m->overview;
}

static size_t give(const struct ow_list *l, const struct ow_row *const **ret)
{
	*ret = l->rows;
	return l->n;
}

size_t ow_model_services(const struct ow_model *m,
			 const struct ow_row *const **ret)
{
	return give(&m->list_services, ret);
}

size_t ow_model_servers(const struct ow_model *m,
			const struct ow_row *const **ret)
{
	return give(&m->list_servers, ret);
}

size_t ow_model_offers(const struct ow_model *m,
		       const struct ow_row *const **ret)
{
	return give(&m->list_offers, ret);
}

size_t ow_model_clients(const struct ow_model *m,
			const struct ow_row *const **ret)
{
	return give(&m->list_clients, ret);
}

size_t ow_model_trans(const struct ow_model *m,
		      const struct ow_row *const **ret)
{
	return give(&m->list_trans, ret);
}

size_t ow_model_durable(const struct ow_model *m,
			const struct ow_row *const **ret)
{
	return give(&m->list_durable, ret);
}

size_t ow_model_links(const struct ow_model *m,
		      const struct ow_row *const **ret)
{
	return give(&m->list_links, ret);
}

size_t ow_model_calls(const struct ow_model *m,
		      const struct ow_row *const **ret)
{
	return give(&m->list_calls, ret);
}

size_t ow_model_routes(const struct ow_model *m,
		       const struct ow_row *const **ret)
{
	return give(&m->list_routes, ret);
}
