/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen_servers.c - commands of tmadmin for servers of a group, of a program, or one
 */
#include "clients/tm/chosen_servers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/tm/ids.h"
#include "clients/tm/rows.h"
#include "clients/tm/run.h"

struct choice {
	const char *group, *srvid, *program; /* NULL: any */
	const char *service;		     /* NULL: none is named */
	struct ids ids;
};

static void read_choice(const char *const *words, struct choice *c)
{
	memset(c, 0, sizeof(*c));
	ids_read(&c->ids);
	for (; words[0] != NULL; words++) {
		const char **to = strcmp(words[0], "-g") == 0	? &c->group
				  : strcmp(words[0], "-i") == 0 ? &c->srvid
				  : strcmp(words[0], "-q") == 0 ? &c->program
								: &c->service;

		if (words[0][0] == '-' && words[1] == NULL)
			return;
		if (words[0][0] == '-')
			words++;
		*to = words[0];
	}
}

static bool is_chosen(const struct choice *c, const struct rows *servers,
		      size_t i)
{
	const char *id = rows_get(servers, i, "srvid");

	return (c->srvid == NULL || ids_is(&c->ids, atol(id), c->srvid)) &&
	       (c->group == NULL ||
		strcmp(c->group, rows_get(servers, i, "procgrp")) == 0) &&
	       (c->program == NULL ||
		strcmp(c->program, rows_get(servers, i, "program")) == 0);
}

/* Run `xadmin COMMAND -i ID [-s SERVICE]` for each server that is chosen. */
static int run_for_each(const char *name, const char *command,
			const struct choice *c)
{
	char service[64];
	struct rows servers;
	int status = 0, n = 0;

	if (rows_ask("ppm", &servers) != 0) {
		fprintf(stderr, "%s: no answer; is the application booted?\n",
			name);
		return 1;
	}
	/* SERVICE:FUNCTION; a server knows the function itself. */
	snprintf(service, sizeof(service), "%.*s",
		 c->service != NULL ? (int)strcspn(c->service, ":") : 0,
		 c->service != NULL ? c->service : "");
	for (size_t i = 0; i < servers.n; i++) {
		const char *words[] = { "xadmin", command, "-i",
					rows_get(&servers, i, "srvid"),
					c->service != NULL ? "-s" : NULL,
					service, NULL };

		if (!is_chosen(c, &servers, i))
			continue;
		n++;
		if (run_program(words, NULL, NULL) != 0)
			status = 1;
	}
	rows_free(&servers);
	if (n == 0)
		fprintf(stderr, "tmadmin: %s: no such server\n", name);
	return n == 0 ? 1 : status;
}

static int offer(const char *name, const char *command,
		 const char *const *words)
{
	struct choice c;

	read_choice(words, &c);
	if (c.service != NULL && (c.group != NULL || c.srvid != NULL ||
				  c.program != NULL))
		return run_for_each(name, command, &c);
	fprintf(stderr, "tmadmin: %s: give a service, and a server: -g GROUP -i "
			"ID, or -q PROGRAM\n", name);
	return 1;
}

int chosen_advertise(const char *const *words)
{
	return offer("advertise", "readv", words);
}

int chosen_unadvertise(const char *const *words)
{
	return offer("unadvertise", "unadv", words);
}

int chosen_parameters(const char *const *words)
{
	static const char *const all[] = { "xadmin", "config", NULL };
	struct choice c;

	read_choice(words, &c);
	c.service = NULL;
	if (c.group == NULL && c.srvid == NULL && c.program == NULL)
		return run_program(all, NULL, NULL) == 0 ? 0 : 1;
	return run_for_each("serverparms", "config", &c);
}

/* ---- suspend, resume: of services, whose servers share a queue ---- */

/* The rows of the service: does a chosen server offer it, and does another? */
static bool is_offered(const struct choice *c, const struct rows *services,
		       const struct rows *servers, const char *name,
		       bool *ret_elsewhere)
{
	bool here = false;

	*ret_elsewhere = false;
	for (size_t i = 0; i < services->n; i++) {
		const char *id = rows_get(services, i, "srvid");
		long row = rows_find(servers, "srvid", id);

		if (strcmp(rows_get(services, i, "service"), name) != 0)
			continue;
		if (row >= 0 && is_chosen(c, servers, (size_t)row))
			here = true;
		else
			*ret_elsewhere = true;
	}
	return here;
}

/* For each service that chosen servers offer, and no other. */
static int run_for_services(const char *name, const struct choice *c)
{
	struct rows services, servers;
	int status = 0, n = 0;
	bool elsewhere;

	if (rows_ask("psc", &services) != 0) {
		fprintf(stderr, "%s: no answer; is the application booted?\n",
			name);
		return 1;
	}
	rows_ask("ppm", &servers);
	for (size_t i = 0; i < services.n; i++) {
		const char *svc = rows_get(&services, i, "service");
		const char *words[] = { "xadmin", name, "-s", svc, NULL };

		if ((c->service != NULL && strcmp(svc, c->service) != 0) ||
		    rows_find(&services, "service", svc) != (long)i ||
		    strchr(".@", svc[0]) != NULL ||
		    !is_offered(c, &services, &servers, svc, &elsewhere))
			continue;
		n++;
		if (elsewhere)
			fprintf(stderr, "tmadmin: %s: %s: other servers offer it, "
				"too, and all share its queue: -s %s is for all "
				"of them\n", name, svc, svc);
		if (elsewhere || run_program(words, NULL, NULL) != 0)
			status = 1;
	}
	rows_free(&services);
	rows_free(&servers);
	if (n == 0)
		fprintf(stderr, "tmadmin: %s: no such server, or it has no "
				"service\n", name);
	return n == 0 ? 1 : status;
}

static int set_services(const char *name, const char *const *words)
{
	const char *one[] = { "xadmin", name, "-s", NULL, NULL };
	bool all, some;
	struct choice c;

	read_choice(words, &c);
	all = c.service != NULL && strcmp(c.service, "all") == 0;
	some = c.group != NULL || c.srvid != NULL || c.program != NULL;
	if (all)
		c.service = NULL;
	if (all || some)
		return run_for_services(name, &c);
	one[3] = c.service;
	if (c.service != NULL)
		return run_program(one, NULL, NULL) == 0 ? 0 : 1;
	fprintf(stderr, "tmadmin: %s: give -s SERVICE, servers by -g GROUP, -i "
			"ID or -q PROGRAM, or all\n", name);
	return 1;
}

int chosen_suspend(const char *const *words)
{
	return set_services("suspend", words);
}

int chosen_resume(const char *const *words)
{
	return set_services("resume", words);
}
