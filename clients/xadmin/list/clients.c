/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - clients: the contexts that call, from the tables
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

#include "clients/xadmin/domain/reach.h"
#include "libatmi/door/rules.h"
#include "libubf/base/printable.h"

static const struct ow_column clients_columns[] = {
	{ "PROGRAM", 12, OW_COLUMN_GROWS },
	{ "KIND", 6, 0 },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "CTX", 5, OW_COLUMN_RIGHT },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "CALLS", 10, OW_COLUMN_RIGHT },
	{ "OPEN", 5, OW_COLUMN_RIGHT },
	{ "TIMEOUTS", 8, OW_COLUMN_RIGHT },
	{ "LATE", 6, OW_COLUMN_RIGHT },
	{ "LOGIN", 8, 0 },
	{ "QUEUE", 20, 0 },
	{ NULL, 0, 0 },
};

/* The program: the second word of a client id; commas separate words. */
static void program_of(const char *cltid, char *buf, size_t size)
{
	const char *from = strchr(cltid, ',');

	from = from != NULL ? from + 1 : cltid;
	snprintf(buf, size, "%.*s", (int)strcspn(from, ","), from);
}

/* The name with which the context has logged in; "": it has not. */
static void login_of(struct ow_domain *d, uint32_t slot, char *buf, size_t size)
{
	uint32_t gen = atomic_load(&d->tables->clt[slot].gen);
	struct ow_caller who;

	buf[0] = '\0';
	if (ow_rules_guards(d) != 0 &&
	    ow_callers_read(d, slot, gen, &who) == 0)
		ow_observer_text(buf, who.login, size);
}

static void show(struct ow_listing *l, struct ow_domain *d, uint32_t slot)
{
	const struct ow_clt *c = &d->tables->clt[slot];
	int32_t pid = ow_proc_id_pid(atomic_load(&c->owner));
	bool alive = ow_proc_id_alive(atomic_load(&c->owner));
	const char *kind = !alive ? "dead" : c->srvid != 0 ? "server"
							    : "client";
	char id[sizeof(c->cltid)], queue[OW_CLT_QUEUE], program[64];
	char login[OW_LOGIN_NAME];

	ow_observer_text(id, c->cltid, sizeof(id));
	ow_printable(ow_clt_queue(d->tables, slot, queue));
	program_of(id, program, sizeof(program));
	login_of(d, slot, login, sizeof(login));
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_str(l->json, "program", program);
		ow_json_str(l->json, "kind", kind);
		ow_json_str(l->json, "client_id", id);
		ow_json_int(l->json, "pid", pid);
		ow_json_uint(l->json, "context", c->ctx);
		ow_json_uint(l->json, "srvid", c->srvid);
		ow_json_uint(l->json, "calls", atomic_load(&c->calls));
		ow_json_uint(l->json, "open", atomic_load(&c->outstanding));
		ow_json_uint(l->json, "timeouts", atomic_load(&c->timeouts));
		ow_json_uint(l->json, "late", atomic_load(&c->late));
		ow_json_str(l->json, "login", login);
		ow_json_str(l->json, "queue", queue);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%s", program);
	ow_grid_cell(l->grid, "%s", kind);
	ow_grid_cell(l->grid, "%d", pid);
	ow_grid_cell(l->grid, "%u", c->ctx);
	if (c->srvid != 0)
		ow_grid_cell(l->grid, "%u", c->srvid);
	else
		ow_grid_cell(l->grid, "-");
	ow_grid_cell(l->grid, "%llu", (unsigned long long)c->calls);
	ow_grid_cell(l->grid, "%u", atomic_load(&c->outstanding));
	ow_grid_cell(l->grid, "%llu", (unsigned long long)c->timeouts);
	ow_grid_cell(l->grid, "%llu", (unsigned long long)c->late);
	ow_grid_cell(l->grid, "%s", login[0] != '\0' ? login : "-");
	ow_grid_cell(l->grid, "%s", queue[0] != '\0' ? queue : "-");
	ow_grid_end_row(l->grid);
}

int ow_list_clients(struct ow_args *a)
{
	struct ow_listing l;
	struct ow_observer v;
	uint32_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, clients_columns) != 0) {
		ow_observer_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	for (i = 0; i < ow_observer_clients(&v); i++)
		if (ow_observer_client(&v, i))
			show(&l, &v.d, i);
	ow_listing_end(&l);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
