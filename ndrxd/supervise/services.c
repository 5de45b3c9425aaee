/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - priorities of services, from the configuration to the tables
 */
#include "ndrxd/supervise/services.h"

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/model/ndrxd.h"

static bool has_memory(const struct ow_tables *t, uint32_t s)
{
	return s < OW_SVC_MAX &&
	       (atomic_load(&t->head->svc_map[s / 64]) >> (s % 64) & 1) != 0;
}

/* Returns the first service for which there is no room, or NULL. Lock held. */
static const char *configure(struct ow_tables *t, const struct ow_config *c)
{
	const char *homeless = NULL;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	int at;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (has_memory(t, s))
			atomic_store(&t->svc[s].prio, OW_CONFIG_PRIO);
	}
	for (size_t k = 0; k < c->n_services; k++) {
		at = ow_svc_name(t, c->services[k].name);
		if (at >= 0)
			atomic_store(&t->svc[at].prio,
				     (uint32_t)c->services[k].prio);
		else if (homeless == NULL)
			homeless = c->services[k].name;
	}
	return homeless;
}

void ow_services_configure(struct ndrxd *d)
{
	const char *homeless;

	if (d->config == NULL || d->dom == NULL || d->ipc_gone)
		return;
	d->services_due = ow_tables_lock(d->dom->tables) != 0;
	if (d->services_due)
		return; /* the next tick tries again */
	homeless = configure(d->dom->tables, d->config);
	ow_tables_unlock(d->dom->tables);
	if (homeless != NULL)
		log_error("service %s: no room in the tables: its calls, and "
			  "those of later ones without room, have priority %d",
			  homeless, OW_CONFIG_PRIO);
}
