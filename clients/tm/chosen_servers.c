/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen_servers.c - commands of tmadmin for servers of a group, of a program, or one
 */
#include "clients/tm/chosen_servers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/tm/rows.h"
#include "clients/tm/run.h"

struct choice {
	const char *group, *srvid, *program; /* NULL: any */
	const char *service;		     /* NULL: none is named */
};

static void read_choice(const char *const *words, struct choice *c)
{
	memset(c, 0, sizeof(*c));
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

	return (c->srvid == NULL || atol(c->srvid) == atol(id)) &&
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
