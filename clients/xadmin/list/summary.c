/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary.c - count servers, services, contexts of a domain
 */
#include "clients/xadmin/list/summary.h"

#include <string.h>

#include "libndrx/observe/observer.h"

static void count_servers(const struct ow_observer *v, struct ow_summary *n)
{
	const struct ow_tables *t = v->d.tables;
	const struct ow_adv *a;
	char name[OW_SVC_NAME];
	uint32_t id, row, state;
	bool given_up;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		n->missing += ow_observer_missing(v, id, &given_up);
		if (atomic_load(&t->srv[id].pid) == 0)
			continue;
		if (!ow_srv_alive(t, id)) {
			n->dead += !ow_srv_is_thread(t, id);
			continue;
		}
		state = atomic_load(&t->srv[id].state);
		if (ow_srv_is_thread(t, id))
			n->threads++;
		else if (state <= OW_SRV_STOPPING)
			n->servers[state]++;
		n->living += !ow_srv_is_thread(t, id);
		n->requests += atomic_load(&t->srv[id].requests);
		for (row = 0; row < ow_observer_rows(v, id); row++) {
			if (ow_observer_row_service(v, id, row, name) == NULL)
				continue;
			n->offers++;
			a = &ow_tables_adv(t, id)[row];
			n->calls_ok += atomic_load(&a->ok);
			n->calls_failed += atomic_load(&a->fail);
		}
	}
}

void ow_summary_count(const struct ow_observer *v, struct ow_summary *n)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	bool remote;
	uint32_t i;

	memset(n, 0, sizeof(*n));
	count_servers(v, n);
	for (i = 0; i < ow_observer_services(v); i++) {
		s = ow_observer_service(v, i, name);
		n->services +=
		    s != NULL && ow_observer_servers(v, s, &remote) > 0;
	}
	for (i = 0; i < ow_observer_clients(v); i++)
		n->clients += ow_observer_client(v, i);
}
