/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nudge.c - find requests that wait although an idle server could take them
 *
 * The wake-up of a message is lost when the server that got it is killed or
 * stopped before it receives. ndrxd comes here when a server dies, and once a
 * second for queues whose servers poll seldom.
 */
#include <stdatomic.h>

#include "libatmi/domain/tables.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/transport.h"
#include "libatmi/waking/poll.h"

static bool queue_waits(struct ow_domain *d, const struct ow_svc *s)
{
	uint32_t depth = 0;

	return ow_queue_peek(d, ow_service_queue(s->name), &depth) == 0 &&
	       depth > 0;
}

/* Where any process can wake an idle server. */
static void nudge_here(struct ow_domain *d, const struct ow_svc *s)
{
	struct ow_queue *q = NULL;

	if (ow_queue_open(d, ow_service_queue(s->name), &q) == 0)
		ow_queue_nudge(q);
	ow_queue_close(q);
}

void ow_reap_nudge_crowds(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);

	if (!d->transport->bounds_polls(d))
		return; /* each server polls every second */
	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX &&
		    ow_waking_is_crowd(&d->waking,
				       ow_svc_servers(&t->svc[s])) &&
		    queue_waits(d, &t->svc[s]))
			nudge_here(d, &t->svc[s]);
	}
}

/* Does server `id` offer service `svc`, and is it idle? */
static bool idle_server_of(struct ow_tables *t, uint32_t id, uint32_t svc)
{
	uint32_t row, n = atomic_load(&t->srv[id].nadv);

	if (atomic_load(&t->srv[id].state) != OW_SRV_IDLE)
		return false;
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		if (atomic_load(&ow_tables_adv(t, id)[row].svc) == svc + 1)
			return true;
	return false;
}

int ow_reap_nudge(struct ow_domain *d, uint32_t srvid, uint32_t *ret_ids,
		  int max)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, id, n = atomic_load(&t->head->nsvc);
	bool wakes = d->transport->bounds_polls(d);
	int found = 0;

	for (i = 0; i < n && i < OW_SVC_MAX && found < max; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX || ow_svc_servers(&t->svc[s]) == 0 ||
		    !queue_waits(d, &t->svc[s]))
			continue;
		if (wakes) {
			nudge_here(d, &t->svc[s]);
			continue;
		}
		for (id = ow_srv_next(t, 1); id != 0 && found < max;
		     id = ow_srv_next(t, id + 1))
			if (id != srvid && !ow_srv_is_thread(t, id) &&
			    idle_server_of(t, id, s)) {
				ret_ids[found++] = id;
				break;
			}
	}
	return found;
}
