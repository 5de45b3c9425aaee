/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsvcload.c - what waits for a service, and how long its servers take
 *
 * Figures that servers write for listings, read without a lock: each is right, and
 * together they are of nearly the same time.
 */
#include <limits.h>
#include <stdatomic.h>
#include <tpbind.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/transport.h"

/* How long the server has been in its request, in microseconds; 0: in none. */
static long in_hand(const struct ow_srv *s)
{
	uint64_t since, now = ow_clock_mono_ns();

	if (atomic_load(&s->cur_adv) == 0)
		return 0;
	since = atomic_load(&s->cur_since);
	return since >= now ? 0 : (long)((now - since) / 1000);
}

/* Add what a server says of the service. */
static void add(struct tpload *load, const struct ow_tables *t, uint32_t id,
		uint32_t svc)
{
	const struct ow_adv *a = ow_tables_adv(t, id);
	uint32_t n = atomic_load(&t->srv[id].nadv);
	long busy = in_hand(&t->srv[id]);

	for (uint32_t i = 0; i < n && i < OW_ADV_MAX; i++) {
		if (atomic_load(&a[i].svc) != svc + 1)
			continue;
		load->busy = load->servers == 0 || busy < load->busy
				 ? busy
				 : load->busy;
		load->servers++;
		load->served += (long)(atomic_load(&a[i].ok) +
				       atomic_load(&a[i].fail));
		load->usec += (long)atomic_load(&a[i].sum_us);
		return;
	}
}

static int read_load(struct ow_domain *d, const char *svc,
		     struct tpload *ret)
{
	const struct ow_tables *t = d->tables;
	struct tpload load = { 0 };
	int s = ow_svc_find(t, svc);
	uint32_t depth = 0;

	if (s < 0 || ow_svc_servers(&t->svc[s]) == 0)
		return ow_tp_fail(TPENOENT, "no server here offers %s", svc);
	for (uint32_t id = ow_srv_next(t, 1); id != 0;
	     id = ow_srv_next(t, id + 1))
		add(&load, t, id, (uint32_t)s);
	if (ow_queue_peek(d, ow_service_queue(svc), &depth) == 0)
		load.waiting = (long)depth;
	*ret = load;
	return 0;
}

int tpsvcload(const char *svc, struct tpload *load)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	if (svc == NULL || svc[0] == '\0' || load == NULL)
		return ow_tp_fail(TPEINVAL, "give a service, and a place");
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (ow_ctx_need_domain(c) != 0)
		return c->guest == NULL ? -1
					: ow_tp_fail(TPEPERM, "a guest does not "
						     "see queues");
	return read_load(c->dom, svc, load);
}
