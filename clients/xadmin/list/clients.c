/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.c - clients: the contexts that call, from the tables
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"
#include "libatmi/door/rules.h"
#include "libubf/base/printable.h"

static const struct ow_column clients_columns[] = {
	{ "PROGRAM", 12, OW_COLUMN_GROWS },
	{ "KIND", 6, 0 },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "CTX", 5, OW_COLUMN_RIGHT },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "CALLS", 10, OW_COLUMN_RIGHT },
	{ "ONEWAY", 8, OW_COLUMN_RIGHT },
	{ "CALLS/S", 8, OW_COLUMN_RIGHT },
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

/* A context, and how many calls it makes a second. */
struct seen {
	uint32_t slot, gen;
	uint64_t calls;
	double rate; /* below 0: not looked for */
};

static void show(struct ow_listing *l, struct ow_domain *d,
		 const struct seen *s)
{
	uint32_t slot = s->slot;
	const struct ow_clt *c = &d->tables->clt[slot];
	int32_t pid = ow_proc_id_pid(atomic_load(&c->owner));
	bool alive = ow_proc_id_alive(atomic_load(&c->owner));
	const char *kind = !alive ? "dead" : c->srvid != 0 ? "server"
							    : "client";
	char id[sizeof(c->cltid)], queue[OW_CLT_QUEUE], program[64];
	char login[OW_LOGIN_NAME], user[sizeof(c->said_user)];

	ow_observer_text(user, c->said_user, sizeof(user));
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
		ow_json_uint(l->json, "oneway", atomic_load(&c->oneway));
		if (s->rate >= 0)
			ow_json_uint(l->json, "calls_per_second",
				     (uint64_t)(s->rate + 0.5));
		ow_json_uint(l->json, "open", atomic_load(&c->outstanding));
		ow_json_uint(l->json, "timeouts", atomic_load(&c->timeouts));
		ow_json_uint(l->json, "late", atomic_load(&c->late));
		ow_json_str(l->json, "login", login);
		ow_json_str(l->json, "user", user);
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
	ow_grid_cell(l->grid, "%llu", (unsigned long long)c->oneway);
	if (s->rate >= 0)
		ow_grid_cell(l->grid, "%.0f", s->rate);
	else
		ow_grid_cell(l->grid, "-");
	ow_grid_cell(l->grid, "%u", atomic_load(&c->outstanding));
	ow_grid_cell(l->grid, "%llu", (unsigned long long)c->timeouts);
	ow_grid_cell(l->grid, "%llu", (unsigned long long)c->late);
	ow_grid_cell(l->grid, "%s", login[0] != '\0' ? login : "-");
	ow_grid_cell(l->grid, "%s", queue[0] != '\0' ? queue : "-");
	ow_grid_end_row(l->grid);
}

/* All contexts; returns how many, *ret is the caller's. -1: no memory. */
static long look(const struct ow_observer *v, struct seen **ret)
{
	uint32_t i, n = 0, high = ow_observer_clients(v);
	struct seen *all = calloc((size_t)high + 1, sizeof(*all));
	const struct ow_clt *c;

	if (all == NULL)
		return -1;
	for (i = 0; i < high; i++) {
		c = &v->d.tables->clt[i];
		if (!ow_observer_client(v, i))
			continue;
		all[n++] = (struct seen){ i, atomic_load(&c->gen),
					  atomic_load(&c->calls), -1 };
	}
	*ret = all;
	return (long)n;
}

static int by_rate(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate > y->rate ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* What each has made in a second, busiest first. One that comes meanwhile is in
 * the next listing. */
static void measure(const struct ow_observer *v, struct seen *all, size_t n)
{
	uint64_t begin = ow_clock_mono_ns(), calls;
	struct timespec second = { 1, 0 };
	const struct ow_clt *c;
	double took;
	size_t i;

	nanosleep(&second, NULL);
	took = (double)(ow_clock_mono_ns() - begin) / 1e9;
	for (i = 0; i < n; i++) {
		c = &v->d.tables->clt[all[i].slot];
		calls = atomic_load(&c->calls);
		all[i].rate = atomic_load(&c->gen) == all[i].gen &&
					      calls >= all[i].calls
				      ? (double)(calls - all[i].calls) / took
				      : 0;
	}
	if (n > 0)
		qsort(all, n, sizeof(*all), by_rate);
}

int ow_list_clients(struct ow_args *a)
{
	struct seen *all = NULL;
	struct ow_listing l;
	struct ow_observer v;
	long i, n;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	n = look(&v, &all);
	if (n < 0 || ow_listing_begin(&l, &a->form, clients_columns) != 0) {
		free(all);
		ow_observer_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	if (ow_args_has(a, 'r'))
		measure(&v, all, (size_t)n);
	for (i = 0; i < n; i++)
		if (ow_observer_client(&v, all[i].slot))
			show(&l, &v.d, &all[i]);
	ow_listing_end(&l);
	free(all);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
