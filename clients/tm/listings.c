/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listings.c - the listings of tmadmin, in its columns
 *
 * Each service has one queue here, which all its servers share: a queue is
 * called after its service, and a server's queue after its id.
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

static void print_server(const struct filter *f, const struct rows *servers,
			 size_t i, const struct rows *services)
{
	const char *id = rows_get(servers, i, "srvid"), *busy;
	unsigned long n = done_by(services, id, &busy);

	printf("%-14s 00001.%05ld %-12s %5ld %6lu %9lu ( %s )\n",
	       rows_get(servers, i, "program"), atol(id),
	       or_dash(rows_get(servers, i, "procgrp")),
	       ids_theirs(&f->ids, atol(id)), n, n * 50, busy);
}

int list_servers(const char *const *words)
{
	struct rows servers, services;
	struct filter f;

	read_filter(words, &f);
	if (rows_ask("ppm", &servers) != 0)
		return fail("printserver");
	rows_ask("psc", &services);
	printf("Prog Name      Queue Name  Grp Name        ID RqDone Load Done "
	       "Current Service\n"
	       "---------      ----------  --------        -- ------ --------- "
	       "---------------\n");
	for (size_t i = 0; i < servers.n; i++)
		if (strcmp(rows_get(&servers, i, "pid"), "0") != 0 &&
		    chosen(f.group, rows_get(&servers, i, "procgrp")) &&
		    chosen(f.program, rows_get(&servers, i, "program")) &&
		    chosen_id(&f, rows_get(&servers, i, "srvid")))
			print_server(&f, &servers, i, &services);
	rows_free(&servers);
	rows_free(&services);
	return 0;
}

/* ---- printservice ---- */

static void print_service(const struct filter *f, const struct rows *services,
			  size_t i, const struct rows *servers,
			  const char *machine)
{
	const char *id = rows_get(services, i, "srvid");
	unsigned long n =
	    strtoul(rows_get(services, i, "succeeded"), NULL, 10) +
	    strtoul(rows_get(services, i, "failed"), NULL, 10);

	printf("%-12s %-12s %-12s %-10s %5ld %8s %6lu %s\n",
	       rows_get(services, i, "service"),
	       rows_get(services, i, "function"),
	       rows_get(services, i, "program"), group_of(servers, id),
	       ids_theirs(&f->ids, atol(id)), machine, n, rows_get(services, i, "status"));
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

		if (chosen(f.service, rows_get(&services, i, "service")) &&
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
		long depth = atol(rows_get(&queues, i, "queued"));

		if (chosen(f.program, name) && chosen(f.service, name))
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

int list_clients(const char *const *words)
{
	struct rows clients;
	char machine[64];
	struct filter f;

	read_filter(words, &f);
	if (rows_ask("clients", &clients) != 0)
		return fail("printclient");
	site_machine(machine, sizeof(machine));
	printf("     LMID         User Name       Client Name      Pid     "
	       "Status  Bgn/Cmmt/Abrt\n"
	       "--------------- --------------- --------------- -------- "
	       "------- -------------\n");
	for (size_t i = 0; i < clients.n; i++)
		if (strcmp(rows_get(&clients, i, "kind"), "client") == 0 &&
		    chosen(f.user, user_of(&clients, i)) &&
		    chosen(f.client, rows_get(&clients, i, "program")))
			printf("%-15s %-15s %-15s %8s %-7s %s\n", machine,
			       user_of(&clients, i),
			       rows_get(&clients, i, "program"),
			       rows_get(&clients, i, "pid"),
			       atol(rows_get(&clients, i, "open")) > 0
				   ? "BUSY/W" : "IDLE", "0/0/0");
	rows_free(&clients);
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
