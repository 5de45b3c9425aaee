/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects_domain.c - T_DOMAIN and T_MACHINE: one object each; T_CLIENT
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/mib/fields.h"
#include "libatmi/mib/object.h"

#define FIELD(name) { #name, (BFLDID)OW_##name }

static uint64_t next_single(const struct ow_domain *d, uint64_t from)
{
	(void)d;
	return from == 0 ? 0 : OW_MIB_NOWHERE;
}

static uint64_t count_servers(const struct ow_tables *t)
{
	uint64_t n = 0;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		n += !ow_srv_is_thread(t, id) && ow_srv_alive(t, id);
	return n;
}

static void count_services(const struct ow_tables *t, uint64_t *ret_services,
			   uint64_t *ret_queues)
{
	uint32_t i, s, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX ||
		    atomic_load(&t->svc[s].used) != OW_SVC_NAMED)
			continue;
		*ret_services += ow_svc_servers(&t->svc[s]) > 0;
		*ret_queues += atomic_load(&t->svc[s].gen) & 1;
	}
}

static uint32_t slots(const struct ow_tables *t)
{
	uint32_t n = atomic_load(&t->head->clt_high);

	return n < OW_CLT_MAX ? n : OW_CLT_MAX;
}

/* ---- T_DOMAIN ---- */

static const struct ow_mib_field domain_fields[] = {
	FIELD(TA_DOMAINID),    FIELD(TA_STATE),
	FIELD(TA_CURQUEUES),   FIELD(TA_CURSERVERS),
	FIELD(TA_CURSERVICES), { NULL, 0 },
};

static bool read_domain(const struct ow_domain *d, uint64_t at,
			struct ow_mib_object *o)
{
	uint64_t services = 0, queues = 0;

	count_services(d->tables, &services, &queues);
	ow_mib_text(o, "%s", d->prefix);
	ow_mib_text(o, "ACT");
	ow_mib_number(o, queues);
	ow_mib_number(o, count_servers(d->tables));
	ow_mib_number(o, services);
	return at == 0;
}

const struct ow_mib_class ow_mib_t_domain = {
	.name = "T_DOMAIN",
	.fields = domain_fields,
	.next = next_single,
	.read = read_domain,
};

/* ---- T_MACHINE ---- */

static const struct ow_mib_field machine_fields[] = {
	FIELD(TA_LMID),
	FIELD(TA_CURACCESSERS),
	FIELD(TA_STATE),
	FIELD(TA_NUMREQ),
	FIELD(TA_NUMPOST),
	FIELD(TA_NUMTRAN),
	FIELD(TA_NUMTRANABT),
	FIELD(TA_NUMTRANCMT),
	FIELD(TA_NUMENQUEUE),
	FIELD(TA_NUMDEQUEUE),
	{ NULL, 0 },
};

static bool read_machine(const struct ow_domain *d, uint64_t at,
			 struct ow_mib_object *o)
{
	const struct ow_tables *t = d->tables;
	uint64_t n = count_servers(t);
	uint32_t i;

	for (i = 0; i < slots(t); i++)
		n += (atomic_load(&t->clt[i].gen) & 1) && t->clt[i].srvid == 0;
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_number(o, n);
	ow_mib_text(o, "ACT");
	/* In the order of the fields. */
	for (i = 0; i < OW_DONE_KINDS; i++)
		ow_mib_number(o, ow_done_sum(t, (enum ow_done)i));
	return at == 0;
}

const struct ow_mib_class ow_mib_t_machine = {
	.name = "T_MACHINE",
	.fields = machine_fields,
	.next = next_single,
	.read = read_machine,
};

/* ---- T_CLIENT: contexts of clients, by slot ---- */

static const struct ow_mib_field client_fields[] = {
	FIELD(TA_LMID),	     FIELD(TA_CLIENTID), FIELD(TA_CLTNAME),
	FIELD(TA_STATE),     FIELD(TA_PID),	 FIELD(TA_CONTEXTID),
	FIELD(TA_CURTIME),   FIELD(TA_USRNAME),	 { NULL, 0 },
};

static uint64_t next_client(const struct ow_domain *d, uint64_t from)
{
	const struct ow_tables *t = d->tables;
	uint64_t i;

	for (i = from; i < slots(t); i++)
		if ((atomic_load(&t->clt[i].gen) & 1) && t->clt[i].srvid == 0)
			return i;
	return OW_MIB_NOWHERE;
}

/* The program in "clt,PROGRAM,PID,CONTEXT,NODE". */
static void name_of(const char *id, char name[64])
{
	const char *p = strchr(id, ',');
	size_t n = p != NULL ? strcspn(p + 1, ",") : 0;

	snprintf(name, 64, "%.*s", (int)n, p != NULL ? p + 1 : "");
}

static bool read_client(const struct ow_domain *d, uint64_t at,
			struct ow_mib_object *o)
{
	const struct ow_clt *c = &d->tables->clt[at];
	uint32_t gen = atomic_load(&c->gen);
	ow_proc_id owner = atomic_load(&c->owner);
	char id[sizeof(c->cltid)], name[64], user[sizeof(c->said_user)] = "";

	if (atomic_load(&c->said_gen) == gen)
		snprintf(user, sizeof(user), "%.*s", (int)sizeof(user) - 1,
			 c->said_user);
	memcpy(id, c->cltid, sizeof(id));
	id[OW_CLTID_TAIL] = '\0'; /* the text ends before */
	name_of(id, name);
	ow_mib_text(o, "%s", d->lmid);
	ow_mib_text(o, "%s", id);
	ow_mib_text(o, "%s", name);
	ow_mib_text(o, "%s", ow_proc_id_alive(owner) ? "ACT" : "DEA");
	ow_mib_number(o, (uint64_t)ow_proc_id_pid(owner));
	ow_mib_number(o, c->ctx);
	ow_mib_number(o, ow_clock_real_ns() / OW_NS_PER_SEC);
	ow_mib_text(o, "%s", user);
	return (gen & 1) && owner != 0 && atomic_load(&c->gen) == gen;
}

const struct ow_mib_class ow_mib_t_client = {
	.name = "T_CLIENT",
	.fields = client_fields,
	.next = next_client,
	.read = read_client,
};
