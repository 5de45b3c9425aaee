/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects_service.c - T_SERVICE, T_QUEUE: by the place in the list of services;
 * T_SVCGRP: a service of one server, by server slot and row
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/mib/fields.h"
#include "libatmi/mib/object.h"
#include "libatmi/transport/transport.h"

#define FIELD(name) { #name, (BFLDID)OW_##name }

/* Copy text out of shared memory. */
static void copy(char *to, const char *from, size_t size)
{
	memcpy(to, from, size);
	to[size - 1] = '\0';
}

/* The service at a place of the list; NULL: none. */
static const struct ow_svc *service_at(const struct ow_tables *t, uint64_t at)
{
	uint32_t s;

	if (at >= OW_SVC_MAX || at >= atomic_load(&t->head->nsvc))
		return NULL;
	s = atomic_load(&t->head->svc_list[at]);
	return s < OW_SVC_MAX && atomic_load(&t->svc[s].used) == OW_SVC_NAMED
		   ? &t->svc[s] : NULL;
}

static const char *state_of(const struct ow_svc *s)
{
	if (atomic_load(&s->marks) & OW_SVC_SUSPENDED)
		return "SUS";
	return ow_svc_servers(s) > 0 ? "ACT" : "INA";
}

/* ---- T_SERVICE ---- */

static const struct ow_mib_field service_fields[] = {
	FIELD(TA_LMID),
	FIELD(TA_SERVICENAME),
	FIELD(TA_STATE),
	{ NULL, 0 },
};

static uint64_t next_service(const struct ow_domain *d, uint64_t from)
{
	uint64_t i, n = atomic_load(&d->tables->head->nsvc);

	for (i = from; i < n; i++)
		if (service_at(d->tables, i) != NULL)
			return i;
	return OW_MIB_NOWHERE;
}

static bool read_service(const struct ow_domain *d, uint64_t at,
			 struct ow_mib_object *o)
{
	const struct ow_svc *s = service_at(d->tables, at);
	char name[OW_SVC_NAME];

	if (s == NULL)
		return false;
	copy(name, s->name, sizeof(name));
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_text(o, "%s", name);
	ow_mib_text(o, "%s", state_of(s));
	return ow_svc_is(s, name);
}

const struct ow_mib_class ow_mib_t_service = {
	.name = "T_SERVICE",
	.fields = service_fields,
	.next = next_service,
	.read = read_service,
};

/* ---- T_QUEUE: of services ---- */

static const struct ow_mib_field queue_fields[] = {
	FIELD(TA_LMID),	   FIELD(TA_RQADDR), FIELD(TA_STATE),
	FIELD(TA_NQUEUED), FIELD(TA_RQID),   { NULL, 0 },
};

static bool read_queue(const struct ow_domain *d, uint64_t at,
		       struct ow_mib_object *o)
{
	const struct ow_svc *s = service_at(d->tables, at);
	struct ow_domain copy_of_d = *d;
	char name[OW_SVC_NAME];
	uint32_t depth = 0;

	if (s == NULL || (atomic_load(&s->gen) & 1) == 0)
		return false;
	copy(name, s->name, sizeof(name));
	if (ow_queue_peek(&copy_of_d, ow_service_queue(name), &depth) != 0)
		return false;
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_text(o, "%s,svc,%s", d->prefix, name);
	ow_mib_text(o, "ACT");
	ow_mib_number(o, depth);
	ow_mib_number(o, (uint64_t)(s - d->tables->svc));
	return ow_svc_is(s, name);
}

const struct ow_mib_class ow_mib_t_queue = {
	.name = "T_QUEUE",
	.fields = queue_fields,
	.next = next_service,
	.read = read_queue,
};

/* ---- T_SVCGRP ---- */

static const struct ow_mib_field svcgrp_fields[] = {
	FIELD(TA_LMID),		    FIELD(TA_SERVICENAME),
	FIELD(TA_SRVGRP),	    FIELD(TA_STATE),
	FIELD(TA_SRVID),	    FIELD(TA_SVCRNAM),
	FIELD(TA_NCOMPLETED),	    FIELD(TA_TOTSUCCNUM),
	FIELD(TA_TOTSFAILNUM),	    FIELD(TA_LASTEXECTIMEUSEC),
	FIELD(TA_MAXEXECTIMEUSEC),  FIELD(TA_MINEXECTIMEUSEC),
	{ NULL, 0 },
};

/* The service of a row; NULL: the row is free. */
static const struct ow_svc *service_of(const struct ow_tables *t, uint32_t id,
				       uint32_t row)
{
	uint32_t s = atomic_load(&ow_tables_adv(t, id)[row].svc);

	return s >= 1 && s <= OW_SVC_MAX ? &t->svc[s - 1] : NULL;
}

static uint64_t next_svcgrp(const struct ow_domain *d, uint64_t from)
{
	const struct ow_tables *t = d->tables;
	uint32_t id = (uint32_t)(from / OW_ADV_MAX), n;
	uint32_t row = (uint32_t)(from % OW_ADV_MAX), first = id;

	for (id = ow_srv_next(t, id < 1 ? 1 : id); id != 0;
	     id = ow_srv_next(t, id + 1)) {
		if (id != first)
			row = 0;
		if (!ow_srv_alive(t, id))
			continue;
		n = atomic_load(&t->srv[id].nadv);
		for (; row < n && row < OW_ADV_MAX; row++)
			if (service_of(t, id, row) != NULL)
				return (uint64_t)id * OW_ADV_MAX + row;
	}
	return OW_MIB_NOWHERE;
}

static void add_figures(struct ow_mib_object *o, const struct ow_adv *a)
{
	uint64_t ok = atomic_load(&a->ok), fail = atomic_load(&a->fail);

	ow_mib_number(o, ok + fail);
	ow_mib_number(o, ok);
	ow_mib_number(o, fail);
	ow_mib_number(o, atomic_load(&a->last_us));
	ow_mib_number(o, atomic_load(&a->max_us));
	ow_mib_number(o, atomic_load(&a->min_us));
}

static bool read_svcgrp(const struct ow_domain *d, uint64_t at,
			struct ow_mib_object *o)
{
	uint32_t id = (uint32_t)(at / OW_ADV_MAX);
	uint32_t row = (uint32_t)(at % OW_ADV_MAX);
	const struct ow_tables *t = d->tables;
	const struct ow_adv *a = &ow_tables_adv(t, id)[row];
	const struct ow_svc *s = service_of(t, id, row);
	char name[OW_SVC_NAME], func[OW_SVC_NAME], group[32];
	uint32_t of = atomic_load(&t->srv[id].of);

	if (s == NULL || !ow_srv_alive(t, id))
		return false;
	copy(name, s->name, sizeof(name));
	copy(func, a->func, sizeof(func));
	copy(group, t->srv[of != 0 ? of : id].ctl_group, sizeof(group));
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_text(o, "%s", name);
	ow_mib_text(o, "%s", group);
	ow_mib_text(o, "%s", state_of(s));
	ow_mib_number(o, of != 0 ? of : id);
	ow_mib_text(o, "%s", func);
	add_figures(o, a);
	return service_of(t, id, row) == s;
}

const struct ow_mib_class ow_mib_t_svcgrp = {
	.name = "T_SVCGRP",
	.fields = svcgrp_fields,
	.next = next_svcgrp,
	.read = read_svcgrp,
};
