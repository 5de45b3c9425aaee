/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight_domain.c - find what entries of a configuration expect of others
 *
 * Each process would start, and calls would fail: a service with autotran in a
 * domain without tmsrv, a route to a group in which no server is.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/optscan.h"
#include "libatmi/domain/server_options.h"
#include "libatmi/route/ranges.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/config.h"
#include "libndrx/prepare/entry.h"
#include "libndrx/prepare/preflight.h"

/* ---- transactions ---- */

static bool has_server(const struct ow_config *c, const char *program)
{
	size_t i;

	for (i = 0; i < c->n_servers; i++)
		if (strcmp(c->servers[i].name, program) == 0)
			return true;
	return false;
}

static void check_autotran(const struct ow_config *c, ow_preflight_fn *say,
			   void *arg)
{
	const struct ow_config_service *s;
	char text[900];
	size_t i;

	if (has_server(c, "tmsrv"))
		return;
	for (i = 0; i < c->n_services; i++) {
		s = &c->services[i];
		if (!s->autotran)
			continue;
		snprintf(text, sizeof(text), "%.200s:%u: <service svcnm=\"%s\">: "
			 "autotran: there is no <server name=\"tmsrv\"> to "
			 "begin a transaction: its calls fail with TPETRAN",
			 s->file, s->line, s->name);
		say(arg, OW_PREFLIGHT_NOTICE, text);
	}
}

/* ---- routes ---- */

/* The value of the last -g in <sysopt>, or of NDRX_RTGRP, into `buf`. */
static void group_of(const struct ow_config_server *def, char *buf)
{
	struct ow_procenv env = { 0 };
	struct ow_cmdline cmd = { 0 };
	char why[OW_ENTRY_WHY];
	enum ow_optscan_result r;
	const char *group = NULL;

	if (ow_entry_server_env(def, &env, why) == 0) {
		group = ow_procenv_get(&env, "NDRX_RTGRP");
		snprintf(buf, OW_ROUTE_GROUP, "%s", group != NULL ? group : "");
		if (ow_entry_words(&env, &cmd, def->sysopt, why) == 0) {
			struct ow_optscan s = { .argc = (int)cmd.argc,
						.argv = cmd.argv,
						.known = OW_SERVER_OPTIONS };

			while ((r = ow_optscan_next(&s)) != OW_OPTSCAN_END)
				if (r == OW_OPTSCAN_OPTION && s.letter == 'g')
					snprintf(buf, OW_ROUTE_GROUP, "%s",
						 s.value);
		}
	}
	ow_cmdline_clear(&cmd);
	ow_procenv_clear(&env);
}

static bool has_group(char (*groups)[OW_ROUTE_GROUP], size_t n,
		      const char *group)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(groups[i], group) == 0)
			return true;
	return strcmp(group, "*") == 0;
}

static void check_route(const struct ow_config *c,
			const struct ow_config_service *s,
			char (*groups)[OW_ROUTE_GROUP], ow_preflight_fn *say,
			void *arg)
{
	const struct ow_config_route *route =
	    ow_config_route_find(c, s->routing);
	struct ow_ranges *ranges;
	const char *group;
	char text[900];
	size_t i;

	if (route == NULL || ow_ranges_parse(route->ranges, &ranges) != 0)
		return; /* said before */
	for (i = 0; (group = ow_ranges_group(ranges, i)) != NULL; i++) {
		if (has_group(groups, c->n_servers, group))
			continue;
		snprintf(text, sizeof(text), "%.200s:%u: <service svcnm=\"%s\">: "
			 "<route> %s: no server is in group %s "
			 "(NDRX_RTGRP, -g): calls that it chooses fail with "
			 "TPENOENT", s->file, s->line, s->name, route->name,
			 group);
		say(arg, OW_PREFLIGHT_NOTICE, text);
	}
	ow_ranges_free(ranges);
}

static void check_routes(const struct ow_config *c, ow_preflight_fn *say,
			 void *arg)
{
	char(*groups)[OW_ROUTE_GROUP];
	size_t i;

	if (c->n_routes == 0)
		return;
	groups = calloc(c->n_servers + 1, sizeof(*groups));
	for (i = 0; groups != NULL && i < c->n_servers; i++)
		group_of(&c->servers[i], groups[i]);
	for (i = 0; groups != NULL && i < c->n_services; i++)
		if (c->services[i].routing != NULL)
			check_route(c, &c->services[i], groups, say, arg);
	free(groups);
}

void ow_preflight_domain(const struct ow_config *c, ow_preflight_fn *say,
			 void *arg)
{
	check_autotran(c, say, arg);
	check_routes(c, say, arg);
}
