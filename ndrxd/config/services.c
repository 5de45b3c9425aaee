/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - <services> and <routing>: what is said about services
 *
 * Only the priority of calls has an effect yet. The other values are checked,
 * so that a slip is found when it is made; values with variables are not,
 * because some variables are known only to the program that reads them.
 */
#include "ndrxd/config/sections.h"

#include <string.h>

#include "ndrxd/config/say.h"
#include "ndrxd/config/setter.h"

static bool is_fixed(const char *text)
{
	return text != NULL && strstr(text, "${") == NULL;
}

static int set_attrs(struct ow_config_check *check,
		     const struct ow_field_table *table,
		     const struct ow_config_node *node, void *base)
{
	int r = 0;

	for (size_t i = 0; i < table->n && r == 0; i++) {
		const struct ow_field *f = &table->fields[i];

		if (is_fixed(ow_config_node_attr(node, f->name)))
			r = ow_config_attr_set(check, f, node, base);
	}
	return r;
}

/* ---- <services> ---- */

static int set_service(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       struct ow_config_service *s)
{
	const char *prio = ow_config_node_attr(node, "prio");
	int r = set_attrs(check, &ow_config_service_table, node, s);

	if (r == 0 && prio != NULL && !is_fixed(prio))
		r = ow_config_notice(check, node, "prio with a variable in "
					  "it: no effect");
	if (r == 0 && (ow_config_node_attr(node, "routing") != NULL ||
		       ow_config_node_attr(node, "autotran") != NULL ||
		       ow_config_node_attr(node, "trantime") != NULL))
		r = ow_config_notice(check, node, "routing, autotran and "
					  "trantime are accepted, no effect "
					  "yet");
	return r;
}

static int add_service(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_service *defaults)
{
	struct ow_config *c = check->config;
	struct ow_config_service s = *defaults, *all;
	int r = set_service(check, node, &s);

	if (r != 0)
		return r;
	s.name = ow_arena_strdup(c->arena,
				 ow_config_node_attr(node, "svcnm"));
	s.file = ow_arena_strdup(c->arena, node->file);
	s.line = node->line;
	all = ow_arena_push(c->arena, check->services, c->n_services,
			    sizeof(*all));
	if (s.name == NULL || s.file == NULL || all == NULL)
		return ow_config_no_memory(check);
	all[c->n_services++] = s;
	check->services = all;
	c->services = all;
	return 0;
}

int ow_config_services(struct ow_config_check *check,
		       const struct ow_config_node *section)
{
	struct ow_config_service defaults = { 0 };
	int r = 0;

	ow_config_set_initial(check, &ow_config_service_table, false,
			      &defaults);
	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "defaults") == 0)
			r = set_service(check, n, &defaults);
		else
			r = add_service(check, n, &defaults);
	}
	return r;
}

/* ---- <routing> ---- */

static int check_route(struct ow_config_check *check,
		       const struct ow_config_node *route)
{
	const struct ow_field_table *t = &ow_config_route_table;
	int r = set_attrs(check, &ow_config_route_attrs, route, NULL);

	for (const struct ow_config_node *n = route->children;
	     n != NULL && r == 0; n = n->next) {
		int i = ow_config_field_find(t, n->name);

		if (is_fixed(n->text))
			r = ow_config_field_set(check, &t->fields[i], n, NULL);
	}
	return r;
}

int ow_config_routing(struct ow_config_check *check,
		      const struct ow_config_node *section)
{
	int r = 0;

	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = check_route(check, n);
	return r != 0 ? r : ow_config_notice(check, section,
					     "accepted, no effect yet");
}
