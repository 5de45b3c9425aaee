/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - make the figures of the screens from samples
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ndrxtop/model/model.h"
#include "clients/ndrxtop/model/things.h"
#include "libatmi/base/clock.h"

#define SPAN_NS (2 * OW_NS_PER_SEC)

struct ow_model *ow_model_new(void)
{
	struct ow_model *m = calloc(1, sizeof(*m));

	if (m != NULL)
		m->span_ns = SPAN_NS;
	return m;
}

struct ow_model *ow_model_free(struct ow_model *m)
{
	if (m == NULL)
		return NULL;
	ow_model_free_services(m);
	ow_model_free_servers(m);
	ow_model_free_offers(m);
	ow_model_free_clients(m);
	free(m->list_services.rows);
	free(m->list_servers.rows);
	free(m->list_offers.rows);
	free(m->list_clients.rows);
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
	t->mq_used = s->mq_limit > 0 && s->mq_limit != UINT64_MAX
			     ? 100.0 * (double)s->mq_bytes /
				       (double)s->mq_limit
			     : NAN;
	m->list_services.n = m->list_servers.n = 0;
	m->list_offers.n = m->list_clients.n = 0;
}

int ow_model_take(struct ow_model *m, const struct ow_sample *s)
{
	int r;

	begin_totals(m, s);
	if (!s->domain) {
		ow_model_free_services(m);
		ow_model_free_servers(m);
		ow_model_free_offers(m);
		ow_model_free_clients(m);
		return 0;
	}
	r = ow_model_take_services(m, s);
	if (r == 0)
		r = ow_model_take_servers(m, s);
	if (r == 0)
		r = ow_model_take_clients(m, s);
	if (r == 0)
		r = ow_model_take_offers(m, s);
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
