/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grammar.c - the elements of a configuration and what they may hold
 *
 * From the innermost to <endurox>. Elements with one value are in fields.c.
 */
#include "libndrx/config/grammar.h"

#include <string.h>

typedef const struct ow_element *const element_list[];

static const struct ow_element app = {
	.name = "appconfig", .values = &ow_config_app_table, .merged = true,
	.doc = "Settings of the supervisor. \"Cycles\" are multiples of "
	       "<sanity>.",
};

/* ---- variables ---- */

static const struct ow_element env = {
	.name = "env", .attrs = &ow_config_env_table, .text = true,
	.doc = "A variable of the process: <env name=\"N\">value</env>; "
	       "unset=\"Y\" removes it.",
};
static const struct ow_element usegroup = {
	.name = "usegroup", .text = true,
	.doc = "All variables of a group: <envs group=\"...\"> in <defaults> "
	       "or <clients>.",
};
static element_list variables = { &env, &usegroup, NULL };

static const struct ow_element envs = {
	.name = "envs", .children = variables,
	.doc = "Variables for the process.",
	.no_attr = "groups are defined in <defaults>; use one here with "
		   "<usegroup>",
};
static const struct ow_element envs_group = {
	.name = "envs", .rule = "envsgroup", .attrs = &ow_config_envs_table,
	.children = variables,
	.doc = "With group: a named list, taken with <usegroup>; without: "
	       "variables of every server.",
};
static const struct ow_element envs_named = {
	.name = "envs", .rule = "envsnamed",
	.attrs = &ow_config_named_envs_table, .children = variables,
	.doc = "A named list, taken with <usegroup>.",
};

/* ---- servers ---- */

static const struct ow_element defaults = {
	.name = "defaults", .values = &ow_config_server_table,
	.children = (element_list){ &env, &usegroup, &envs_group, NULL },
	.defaults_of = "server",
	.doc = "Values for each <server> that does not give them itself. A "
	       "further one changes them for the servers that follow it.",
};
static const struct ow_element server = {
	.name = "server", .attrs = &ow_config_server_attrs,
	.values = &ow_config_server_table,
	.children = (element_list){ &env, &usegroup, &envs, NULL },
	.doc = "A program in PATH, and how many of it run. Entries start in "
	       "the order of the file.",
};
static const struct ow_element servers = {
	.name = "servers", .children = (element_list){ &server, NULL },
};

/* ---- process groups ---- */

static const struct ow_element group_defaults = {
	.name = "defaults", .rule = "procgroupdefaults",
	.attrs = &ow_config_group_table, .defaults_of = "procgroup",
	.doc = "Values for the groups that follow and do not give them "
	       "themselves.",
};
static const struct ow_element procgroup = {
	.name = "procgroup", .attrs = &ow_config_group_table,
	.doc = "A group of servers and clients; name and number are unique.",
};
static const struct ow_element procgroups = {
	.name = "procgroups", .merged = true,
	.children = (element_list){ &group_defaults, &procgroup, NULL },
};

/* ---- clients ---- */

static const struct ow_element exec = {
	.name = "exec", .attrs = &ow_config_client_table,
	.children = (element_list){ &envs, NULL },
	.doc = "One process, or one for each number from subsectfrom to "
	       "subsectto.",
};
static const struct ow_element client = {
	.name = "client", .attrs = &ow_config_client_table,
	.children = (element_list){ &envs, &exec, NULL },
	.defaults_of = "exec",
	.doc = "A client program; its attributes are defaults of its <exec>.",
};
static const struct ow_element clients = {
	.name = "clients",
	.children = (element_list){ &envs_named, &client, NULL },
	.doc = "Client programs that ndrxd starts and watches.",
};

/* ---- other users ---- */

static const struct ow_element access_element = {
	.name = "access", .attrs = &ow_config_access_table,
	.doc = "Other users: what members of a Unix group may do.",
};

static const struct ow_element security_element = {
	.name = "security", .attrs = &ow_config_security_table,
	.doc = "Must callers log in, and who checks it?",
};
static const struct ow_element cluster_element = {
	.name = "cluster", .attrs = &ow_config_cluster_table,
	.doc = "The cluster of domains that ndrxbridge joins.",
};
static const struct ow_element event_element = {
	.name = "event", .attrs = &ow_config_event_table,
	.doc = "Who may post and get events. The first one whose name matches "
	       "counts.",
};

/* ---- services, routing ---- */

static const struct ow_element service_defaults = {
	.name = "defaults", .rule = "servicedefaults",
	.attrs = &ow_config_service_table, .defaults_of = "service",
	.doc = "Values for the services that follow.",
};
static const struct ow_element service = {
	.name = "service", .attrs = &ow_config_service_table,
};
static const struct ow_element services = {
	.name = "services",
	.children = (element_list){ &service_defaults, &service, NULL },
};
static const struct ow_element route = {
	.name = "route", .attrs = &ow_config_route_attrs,
	.values = &ow_config_route_table,
};
static const struct ow_element routing = {
	.name = "routing", .children = (element_list){ &route, NULL },
	.doc = "Routing by the data of a request.",
};

/* ---- HTTP ---- */

static const struct ow_element http_auth = {
	.name = "auth", .rule = "httpauth",
	.attrs = &ow_config_http_auth_table,
	.doc = "How callers of routes say who they are.",
};
static const struct ow_element http_route = {
	.name = "route", .rule = "httproute",
	.attrs = &ow_config_http_route_table,
	.doc = "Requests of a method and path, and what becomes of them.",
};
static const struct ow_element http_outgoing = {
	.name = "outgoing", .rule = "httpoutgoing",
	.attrs = &ow_config_http_outgoing_table,
	.doc = "A service that calls a URL.",
};
static const struct ow_element http_host = {
	.name = "host", .rule = "httphost",
	.attrs = &ow_config_http_host_table,
	.doc = "Where outgoing calls go.",
};
static const struct ow_element http = {
	.name = "http", .attrs = &ow_config_http_table,
	.children = (element_list){ &http_auth, &http_route, &http_outgoing,
				    &http_host, NULL },
	.doc = "What a gate for HTTP (httpgate) serves and calls.",
};

const struct ow_element ow_config_root = {
	.name = "endurox", .rule = "domain",
	.children = (element_list){ &app, &defaults, &servers, &procgroups,
				    &clients, &access_element, &security_element,
				    &cluster_element, &event_element, &services, &routing, &http, NULL },
};

int ow_config_field_find(const struct ow_field_table *table, const char *name)
{
	for (size_t i = 0; table != NULL && i < table->n; i++) {
		if (strcmp(table->fields[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

const struct ow_element *ow_config_child(const struct ow_element *parent,
					 const char *name)
{
	const struct ow_element *const *c = parent->children;

	for (; c != NULL && *c != NULL; c++) {
		if (strcmp((*c)->name, name) == 0)
			return *c;
	}
	return NULL;
}
