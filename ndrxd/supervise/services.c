/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - what ndrxd writes about services into the tables
 */
#include "ndrxd/supervise/services.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/cache/cache.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/route/route.h"
#include "ndrxd/model/ndrxd.h"

static bool has_memory(const struct ow_tables *t, uint32_t s)
{
	return s < OW_SVC_MAX &&
	       (atomic_load(&t->head->svc_map[s / 64]) >> (s % 64) & 1) != 0;
}

/* As struct ow_svc has it. Longer times than its word holds are cut. */
static uint16_t autotran_of(const struct ow_config_service *s)
{
	uint64_t seconds = (s->trantime_ms + 999) / 1000;

	if (!s->autotran)
		return 0;
	return (uint16_t)(seconds < UINT16_MAX ? 1 + seconds : UINT16_MAX);
}

static void set(struct ow_svc *to, const struct ow_config_service *s)
{
	atomic_store(&to->prio, (uint8_t)s->prio);
	atomic_store(&to->autotran, autotran_of(s));
}

/* What the configuration says of the service in slot `s`; NULL: nothing. */
static const struct ow_config_service *row_of(const struct ow_tables *t,
					      const struct ow_config *c,
					      uint32_t s)
{
	char name[OW_SVC_NAME];

	memcpy(name, t->svc[s].name, sizeof(name));
	return ow_config_service_find(c, name);
}

/* Each word changes at most once: a service keeps its transactions while the
 * configuration is read again. Returns the first service for which there is no
 * room, or NULL. Lock held. */
static const char *configure(struct ow_tables *t, const struct ow_config *c)
{
	static const struct ow_config_service plain = { .prio =
							    OW_CONFIG_PRIO };
	const struct ow_config_service *row;
	const char *homeless = NULL;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	int at;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (!has_memory(t, s))
			continue;
		row = row_of(t, c, s);
		set(&t->svc[s], row != NULL ? row : &plain);
	}
	for (size_t k = 0; k < c->n_services; k++) {
		at = ow_svc_name(t, c->services[k].name);
		if (at >= 0)
			set(&t->svc[at],
			    ow_config_service_find(c, c->services[k].name));
		else if (homeless == NULL)
			homeless = c->services[k].name;
	}
	return homeless;
}

/* ---- routes ---- */

/* Write the routes of the configuration beside the tables: 0, -errno. */
static int publish_routes(const struct ow_domain *d, const struct ow_config *c)
{
	struct ow_route *routes = calloc(c->n_routes + 1, sizeof(*routes));
	struct ow_routed_service *all =
	    calloc(c->n_services + 1, sizeof(*all));
	size_t i, n = 0;
	int r = -ENOMEM;

	for (i = 0; routes != NULL && i < c->n_routes; i++)
		routes[i] = (struct ow_route){
			.name = c->routes[i].name,
			.field = c->routes[i].field,
			.type = c->routes[i].fieldtype != NULL
				    ? c->routes[i].fieldtype : "",
			.ranges = c->routes[i].ranges,
			.view = c->routes[i].buftype != NULL &&
				strcmp(c->routes[i].buftype, "VIEW") == 0 };
	for (i = 0; all != NULL && i < c->n_services; i++)
		if (ow_config_route_find(c, c->services[i].routing) != NULL)
			all[n++] = (struct ow_routed_service){
				.service = c->services[i].name,
				.route = c->services[i].routing };
	if (routes != NULL && all != NULL)
		r = ow_route_publish(d, routes, c->n_routes, all, n);
	free(routes);
	free(all);
	return r;
}

/* ---- caches ---- */

/* The settings of the cache of a service: false: it has none. */
static bool cache_of(const struct ow_config_service *s,
		     struct ow_cache_settings *ret)
{
	char why[80];

	return s->cache != NULL &&
	       ow_cache_parse(s->cache, ret, why, sizeof(why)) == 0 &&
	       ret->ttl_ns != 0;
}

/* Write which services are cached: 0, -errno. */
static int publish_caches(struct ow_domain *d, const struct ow_config *c)
{
	struct ow_cache_service *all =
	    calloc(c->n_services + 1, sizeof(*all));
	size_t i, n = 0;
	int r;

	if (all == NULL)
		return -ENOMEM;
	for (i = 0; i < c->n_services; i++) {
		const char *name = c->services[i].name;

		if (ow_config_service_find(c, name) == &c->services[i] &&
		    cache_of(&c->services[i], &all[n].settings))
			all[n++].name = name;
	}
	r = ow_cache_publish(d, all, n);
	free(all);
	return r;
}

/* ---- marks ---- */

typedef bool has_fn(const struct ow_config *c,
		    const struct ow_config_service *s);

static bool is_routed(const struct ow_config *c,
		      const struct ow_config_service *s)
{
	return ow_config_route_find(c, s->routing) != NULL;
}

static bool is_cached(const struct ow_config *c,
		      const struct ow_config_service *s)
{
	struct ow_cache_settings settings;

	(void)c;
	return cache_of(s, &settings);
}

static bool refuses(const struct ow_config *c,
		    const struct ow_config_service *s)
{
	(void)c;
	return s->restart != NULL && strcmp(s->restart, "refuse") == 0;
}

static bool is_durable(const struct ow_config *c,
		       const struct ow_config_service *s)
{
	(void)c;
	return s->durable;
}

/* Give the services a mark that have it in the configuration, and no others.
 * Lock held. */
static void mark(struct ow_tables *t, const struct ow_config *c,
		 enum ow_svc_mark bit, has_fn *has)
{
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	const struct ow_config_service *row;
	int at;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (!has_memory(t, s) ||
		    !(atomic_load(&t->svc[s].marks) & bit))
			continue;
		row = row_of(t, c, s);
		if (row == NULL || !has(c, row))
			ow_svc_set_mark(t, s, bit, false);
	}
	for (i = 0; i < c->n_services; i++) {
		row = &c->services[i];
		at = ow_svc_find(t, row->name);
		if (at >= 0 && ow_config_service_find(c, row->name) == row &&
		    has(c, row))
			ow_svc_set_mark(t, (uint32_t)at, bit, true);
	}
}

void ow_services_configure(struct ndrxd *d)
{
	const char *homeless;
	int r = 0, cached;

	if (d->config == NULL || d->dom == NULL || d->ipc_gone)
		return;
	if (d->config->n_routes > 0 ||
	    atomic_load(&d->dom->tables->head->routes) != 0)
		r = publish_routes(d->dom, d->config);
	cached = publish_caches(d->dom, d->config);
	if (cached != 0 && d->caches_failed != cached)
		log_error("caches: %s: some services have none until a reload",
			  strerror(-cached));
	d->caches_failed = cached;
	d->services_due = r != 0 || ow_tables_lock(d->dom->tables) != 0;
	if (r != 0 && d->routes_failed != r)
		log_error("the routes of the domain cannot be written: %s",
			  strerror(-r));
	d->routes_failed = r;
	if (d->services_due)
		return; /* the next tick tries again */
	homeless = configure(d->dom->tables, d->config);
	mark(d->dom->tables, d->config, OW_SVC_ROUTED, is_routed);
	mark(d->dom->tables, d->config, OW_SVC_CACHED, is_cached);
	mark(d->dom->tables, d->config, OW_SVC_REFUSES, refuses);
	mark(d->dom->tables, d->config, OW_SVC_DURABLE, is_durable);
	ow_tables_unlock(d->dom->tables);
	if (homeless != NULL)
		log_error("service %s: no room in the tables: its calls, and "
			  "those of later ones without room, have priority %d",
			  homeless, OW_CONFIG_PRIO);
}

/* ---- orders ---- */

/* Why the service cannot be suspended; NULL: it can. */
static const char *unfit(const struct ndrxd *d, const char *name)
{
	if (d->dom == NULL || d->ipc_gone)
		return "the domain has no tables";
	if (name[0] == '\0')
		return "give a service name";
	if (name[0] == '@' || name[0] == '.')
		return "a service of the system";
	return ow_svc_find(d->dom->tables, name) < 0 ? "no such service"
						     : NULL;
}

int ow_services_suspend(struct ndrxd *d, const char *name, bool on, char *text,
			size_t size)
{
	const char *why = unfit(d, name);
	bool changed = false;
	int at;

	if (why == NULL && ow_tables_lock(d->dom->tables) != 0)
		why = "the domain lock is held: try again";
	if (why != NULL) {
		snprintf(text, size, "%s%s%s", name, name[0] ? ": " : "", why);
		return -1;
	}
	/* Another name may have the slot by now. */
	at = ow_svc_find(d->dom->tables, name);
	if (at >= 0)
		changed = ow_svc_set_mark(d->dom->tables, (uint32_t)at,
					  OW_SVC_SUSPENDED, on);
	ow_tables_unlock(d->dom->tables);
	snprintf(text, size, "%s is %s%s", name,
		 on ? "suspended" : changed ? "resumed" : "not suspended",
		 on && !changed ? " already" : "");
	return changed;
}

int ow_services_drop(struct ndrxd *d, const char *name, char *text,
		     size_t size)
{
	uint32_t n = 0;

	if (d->dom != NULL && !d->ipc_gone)
		n = ow_cache_drop(d->dom, name[0] != '\0' ? name : NULL);
	if (n == 0)
		snprintf(text, size, "%s%s", name,
			 name[0] != '\0' ? " is not cached"
					 : "no service is cached");
	else if (name[0] != '\0')
		snprintf(text, size, "%s: what was kept is dropped", name);
	else
		snprintf(text, size, "what was kept of %u services is dropped",
			 n);
	return n == 0 ? -1 : (int)n;
}
