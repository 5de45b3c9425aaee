/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listings.c - the listings of tmadmin, in its columns
 *
 * Each service has one queue here, which all its servers share: a queue is
 * called after its service, and a server's queue after its group and id. What
 * the runtime makes beside what the application has is left out: its services
 * (@...), contexts of servers that call. A service of one group (NAME@GROUP, to
 * which calls are routed) counts as the service.
 */
#include "clients/tm/listings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/tm/ids.h"
#include "clients/tm/rows.h"
#include "clients/tm/site.h"

/* What -s, -g, -i, -q, -u and -c choose; NULL: all. */
struct filter {
	const char *service, *group, *srvid, *program, *user, *client;
	struct ids ids;
};

static int fail(const char *what)
{
	fprintf(stderr, "%s: no answer; is the application booted?\n", what);
	return 1;
}

static void read_filter(const char *const *words, struct filter *f)
{
	memset(f, 0, sizeof(*f));
	ids_read(&f->ids);
	for (; words[0] != NULL; words++) {
		if (words[0][0] != '-' || words[1] == NULL)
			continue;
		if (words[0][1] == 's')
			f->service = words[1];
		else if (words[0][1] == 'g')
			f->group = words[1];
		else if (words[0][1] == 'i')
			f->srvid = words[1];
		else if (words[0][1] == 'q' || words[0][1] == 'a')
			f->program = words[1];
		else if (words[0][1] == 'u')
			f->user = words[1];
		else if (words[0][1] == 'c')
			f->client = words[1];
		else
			continue;
		words++;
	}
}

static int chosen(const char *want, const char *value)
{
	return want == NULL || strcmp(want, value) == 0;
}

/* Does -i choose the server? */
static int chosen_id(const struct filter *f, const char *srvid)
{
	return f->srvid == NULL || ids_is(&f->ids, atol(srvid), f->srvid);
}

static const char *or_dash(const char *text)
{
	return *text != '\0' ? text : "-";
}

/* The process group of a server. */
static const char *group_of(const struct rows *servers, const char *srvid)
{
	long row = rows_find(servers, "srvid", srvid);

	return row >= 0 ? or_dash(rows_get(servers, (size_t)row, "procgrp"))
			: "-";
}

/* ---- printserver ---- */

/* Requests that a server has done, and the service that it is busy with. */
static unsigned long done_by(const struct rows *services, const char *srvid,
			     const char **ret_busy)
{
	unsigned long n = 0;

	*ret_busy = "IDLE";
	for (size_t i = 0; i < services->n; i++) {
		if (strcmp(rows_get(services, i, "srvid"), srvid) != 0)
			continue;
		n += strtoul(rows_get(services, i, "succeeded"), NULL, 10) +
		     strtoul(rows_get(services, i, "failed"), NULL, 10);
		if (strcmp(rows_get(services, i, "status"), "BUSY") == 0)
			*ret_busy = rows_get(services, i, "service");
	}
	return n;
}

/* GRPNO; 0: in no group. */
static long number_of(const struct rows *groups, const char *group)
{
	long row = rows_find(groups, "group", group);

	return row >= 0 ? atol(rows_get(groups, (size_t)row, "grpno")) : 0;
}

static void print_server(const struct filter *f, const struct rows *servers,
			 size_t i, const struct rows *services,
			 const struct rows *groups)
{
	const char *id = rows_get(servers, i, "srvid"), *busy;
	const char *group = rows_get(servers, i, "procgrp");
	unsigned long n = done_by(services, id, &busy);
	long theirs = ids_theirs(&f->ids, atol(id));

	printf("%-14s %05ld.%05ld %-12s %5ld %6lu %9lu ( %s )\n",
	       rows_get(servers, i, "program"), number_of(groups, group),
	       theirs, or_dash(group), theirs, n, n * 50, busy);
}

int list_servers(const char *const *words)
{
	struct rows servers, services, groups;
	struct filter f;

	read_filter(words, &f);
	if (rows_ask("ppm", &servers) != 0)
		return fail("printserver");
	rows_ask("psc", &services);
	rows_ask("psg", &groups);
	printf("Prog Name      Queue Name  Grp Name        ID RqDone Load Done "
	       "Current Service\n"
	       "---------      ----------  --------        -- ------ --------- "
	       "---------------\n");
	for (size_t i = 0; i < servers.n; i++)
		if (strcmp(rows_get(&servers, i, "pid"), "0") != 0 &&
		    chosen(f.group, rows_get(&servers, i, "procgrp")) &&
		    chosen(f.program, rows_get(&servers, i, "program")) &&
		    chosen_id(&f, rows_get(&servers, i, "srvid")))
			print_server(&f, &servers, i, &services, &groups);
	rows_free(&servers);
	rows_free(&services);
	rows_free(&groups);
	return 0;
}

/* ---- printservice ---- */

/* Is the service chosen by -s or, without it, one of the application? */
static int chosen_service(const struct filter *f, const char *service)
{
	return f->service != NULL ? chosen(f->service, service)
				  : strchr(service, '@') == NULL;
}

/* Is it the service, or the same one in a group? */
static int is_of_service(const char *name, const char *service)
{
	size_t n = strlen(service);

	return strncmp(name, service, n) == 0 &&
	       (name[n] == '\0' || (name[n] == '@' && n > 0));
}

/* What the server has done of the service of row `of`. */
static unsigned long done_of(const struct rows *services, size_t of)
{
	const char *id = rows_get(services, of, "srvid");
	const char *service = rows_get(services, of, "service");
	unsigned long n = 0;

	for (size_t i = 0; i < services->n; i++)
		if (strcmp(rows_get(services, i, "srvid"), id) == 0 &&
		    is_of_service(rows_get(services, i, "service"), service))
			n += strtoul(rows_get(services, i, "succeeded"), NULL,
				     10) +
			     strtoul(rows_get(services, i, "failed"), NULL, 10);
	return n;
}

static void print_service(const struct filter *f, const struct rows *services,
			  size_t i, const struct rows *servers,
			  const char *machine)
{
	const char *id = rows_get(services, i, "srvid");

	printf("%-12s %-12s %-12s %-10s %5ld %8s %6lu %s\n",
	       rows_get(services, i, "service"),
	       rows_get(services, i, "function"),
	       rows_get(services, i, "program"), group_of(servers, id),
	       ids_theirs(&f->ids, atol(id)), machine, done_of(services, i),
	       rows_get(services, i, "status"));
}

int list_services(const char *const *words)
{
	struct rows services, servers;
	char machine[64];
	struct filter f;

	read_filter(words, &f);
	if (rows_ask("psc", &services) != 0)
		return fail("printservice");
	rows_ask("ppm", &servers);
	site_machine(machine, sizeof(machine));
	printf("Service Name Routine Name Prog Name    Grp Name      ID  "
	       "Machine # Done Status\n"
	       "------------ ------------ ---------    --------      --  "
	       "------- ------ ------\n");
	for (size_t i = 0; i < services.n; i++) {
		const char *id = rows_get(&services, i, "srvid");

		if (chosen_service(&f, rows_get(&services, i, "service")) &&
		    chosen(f.program, rows_get(&services, i, "program")) &&
		    chosen_id(&f, id) &&
		    chosen(f.group, group_of(&servers, id)))
			print_service(&f, &services, i, &servers, machine);
	}
	rows_free(&services);
	rows_free(&servers);
	return 0;
}

/* ---- printqueue ---- */

/* The program of a server that offers the service: the first one. */
static const char *program_of(const struct rows *services, const char *name)
{
	long row = rows_find(services, "service", name);

	return row >= 0 ? or_dash(rows_get(services, (size_t)row, "program"))
			: "-";
}

/* Requests that wait for the service. */
static long queued_for(const struct rows *queues, const char *service)
{
	long n = 0;

	for (size_t i = 0; i < queues->n; i++)
		if (is_of_service(rows_get(queues, i, "service"), service))
			n += atol(rows_get(queues, i, "queued"));
	return n;
}

int list_queues(const char *const *words)
{
	struct rows queues, services;
	char machine[64];
	struct filter f;

	read_filter(words, &f);
	if (rows_ask("pq", &queues) != 0)
		return fail("printqueue");
	rows_ask("psc", &services);
	site_machine(machine, sizeof(machine));
	printf("Prog Name      Queue Name                     # Serve Wk Queued"
	       "  # Queued  Ave. Len    Machine\n"
	       "---------      ----------                     ------- ---------"
	       "  --------  --------    -------\n");
	for (size_t i = 0; i < queues.n; i++) {
		const char *name = rows_get(&queues, i, "service");
		long depth = queued_for(&queues, name);

		if (chosen(f.program, name) && chosen_service(&f, name))
			printf("%-14s %-30s %7s %9ld %9ld %9s %10s\n",
			       program_of(&services, name), name,
			       rows_get(&queues, i, "servers"), depth * 50,
			       depth,
			       rows_get(&queues, i, "average"), machine);
	}
	rows_free(&queues);
	rows_free(&services);
	return 0;
}

/* ---- printclient, printgroup ---- */

/* What the client has told tpinit(), else whom a gate has let in. */
static const char *user_of(const struct rows *clients, size_t i)
{
	const char *user = rows_get(clients, i, "user");

	return *user != '\0' ? user : rows_get(clients, i, "login");
}

/* A server that calls by a context of its own is no client. */
static int is_client(const struct rows *clients, size_t i,
		     const struct rows *servers)
{
	return strcmp(rows_get(clients, i, "kind"), "client") == 0 &&
	       rows_find(servers, "server_pid", rows_get(clients, i, "pid")) < 0;
}

int list_clients(const char *const *words)
{
	struct rows clients, servers;
	char machine[64];
	struct filter f;

	read_filter(words, &f);
	if (rows_ask("clients", &clients) != 0)
		return fail("printclient");
	rows_ask("ppm", &servers);
	site_machine(machine, sizeof(machine));
	printf("     LMID         User Name       Client Name      Pid     "
	       "Status  Bgn/Cmmt/Abrt\n"
	       "--------------- --------------- --------------- -------- "
	       "------- -------------\n");
	for (size_t i = 0; i < clients.n; i++)
		if (is_client(&clients, i, &servers) &&
		    chosen(f.user, user_of(&clients, i)) &&
		    chosen(f.client, rows_get(&clients, i, "program")))
			printf("%-15s %-15s %-15s %8s %-7s %s\n", machine,
			       user_of(&clients, i),
			       rows_get(&clients, i, "program"),
			       rows_get(&clients, i, "pid"),
			       atol(rows_get(&clients, i, "open")) > 0
				   ? "BUSY/W" : "IDLE", "0/0/0");
	rows_free(&clients);
	rows_free(&servers);
	return 0;
}

int list_groups(const char *const *words)
{
	struct rows groups;
	char machine[64];

	(void)words;
	if (rows_ask("psg", &groups) != 0)
		return fail("printgroup");
	site_machine(machine, sizeof(machine));
	printf("Grp Name       LMID\n"
	       "--------       ----\n");
	for (size_t i = 0; i < groups.n; i++)
		printf("%-14s %s\n", rows_get(&groups, i, "group"), machine);
	rows_free(&groups);
	return 0;
}
