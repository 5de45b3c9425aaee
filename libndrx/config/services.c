/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - <services> and <routing>: what is said about services
 *
 * Values without effect yet are checked, so that a slip is found when it is
 * made; values with variables are not, because some variables are known only to
 * the program that reads them.
 */
#include "libndrx/config/sections.h"

#include <errno.h>
#include <string.h>

#include "libatmi/cache/cache.h"
#include "libatmi/route/ranges.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"

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

static int check_cache(struct ow_config_check *check,
		       const struct ow_config_node *node)
{
	const char *text = ow_config_node_attr(node, "cache");
	struct ow_cache_settings s;
	char why[80] = "";

	if (!is_fixed(text) || ow_cache_parse(text, &s, why, sizeof(why)) == 0)
		return 0;
	return ow_config_fail(check, node, "cache=\"%s\": %s", text, why);
}

static int set_service(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       struct ow_config_service *s)
{
	const char *prio = ow_config_node_attr(node, "prio");
	int r = set_attrs(check, &ow_config_service_table, node, s);

	if (r == 0)
		r = ow_config_acl_check(check, node, "acl", s->acl);
	if (r == 0)
		r = check_cache(check, node);
	if (r == 0 && prio != NULL && !is_fixed(prio))
		r = ow_config_notice(check, node, "prio with a variable in "
					  "it: no effect");
	return r;
}

/* Of a service that is there twice the last one counts: a notice. NULL: it is
 * new. */
static struct ow_config_service *earlier(struct ow_config_check *check,
					 const char *name)
{
	for (size_t i = 0; i < check->config->n_services; i++)
		if (strcmp(check->services[i].name, name) == 0)
			return &check->services[i];
	return NULL;
}

static int replace_service(struct ow_config_check *check,
			   const struct ow_config_node *node,
			   struct ow_config_service *old,
			   const struct ow_config_service *s)
{
	int r = ow_config_notice(check, node, "%.40s is there twice, first at "
				 "%.160s:%u; the last one counts", s->name,
				 old->file, old->line);

	*old = *s;
	return r;
}

static int add_service(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_service *defaults)
{
	struct ow_config *c = check->config;
	struct ow_config_service s = *defaults, *all, *old;
	int r = set_service(check, node, &s);

	if (r == 0 && *ow_config_node_attr(node, "svcnm") == '\0')
		r = ow_config_fail(check, node, "attribute svcnm: is empty; "
				   "give a name");
	if (r == 0 && s.queuehigh > 0 && s.queuelow >= s.queuehigh)
		r = ow_config_fail(check, node, "queuelow is %d: give less "
				   "than queuehigh, %d", s.queuelow,
				   s.queuehigh);
	if (r != 0)
		return r;
	s.name = ow_arena_strdup(c->arena,
				 ow_config_node_attr(node, "svcnm"));
	s.file = ow_arena_strdup(c->arena, node->file);
	s.line = node->line;
	if (s.name == NULL || s.file == NULL)
		return ow_config_no_memory(check);
	old = earlier(check, s.name);
	if (old != NULL)
		return replace_service(check, node, old, &s);
	all = ow_arena_push(c->arena, check->services, c->n_services,
			    sizeof(*all));
	if (all == NULL)
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

static int set_route(struct ow_config_check *check,
		     const struct ow_config_node *route,
		     struct ow_config_route *ret)
{
	const struct ow_field_table *t = &ow_config_route_table;
	int r = set_attrs(check, &ow_config_route_attrs, route, ret);

	for (const struct ow_config_node *n = route->children;
	     n != NULL && r == 0; n = n->next) {
		int i = ow_config_field_find(t, n->name);

		if (is_fixed(n->text))
			r = ow_config_field_set(check, &t->fields[i], n, ret);
	}
	return r;
}

/* Are the ranges of the form that callers read? */
static int check_ranges(struct ow_config_check *check,
			const struct ow_config_node *node, const char *text)
{
	struct ow_ranges *ranges = NULL;
	int r = ow_ranges_parse(text, &ranges);

	ow_ranges_free(ranges);
	if (r == -ENOMEM)
		return ow_config_no_memory(check);
	return r == 0 ? 0
		      : ow_config_fail(check, node, "<ranges>: give "
				       "FROM-TO:GROUP, VALUE:GROUP or "
				       "*:GROUP, separated by commas; a group "
				       "has at most 15 characters");
}

static int add_route(struct ow_config_check *check,
		     const struct ow_config_node *node)
{
	struct ow_config *c = check->config;
	struct ow_config_route route = { 0 }, *all;
	int r = set_route(check, node, &route);

	if (r != 0)
		return r;
	if (route.name == NULL || route.field == NULL || route.ranges == NULL)
		return ow_config_notice(check, node, "without a name, <field> "
					"and <ranges> it has no effect");
	r = check_ranges(check, node, route.ranges);
	if (r != 0)
		return r;
	all = ow_arena_push(c->arena, check->routes, c->n_routes,
			    sizeof(*all));
	if (all == NULL)
		return ow_config_no_memory(check);
	all[c->n_routes++] = route;
	check->routes = all;
	c->routes = all;
	return 0;
}

int ow_config_routing(struct ow_config_check *check,
		      const struct ow_config_node *section)
{
	int r = 0;

	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = add_route(check, n);
	return r;
}

const struct ow_config_route *
ow_config_route_find(const struct ow_config *config, const char *name)
{
	for (size_t i = 0; name != NULL && i < config->n_routes; i++)
		if (strcmp(config->routes[i].name, name) == 0)
			return &config->routes[i];
	return NULL;
}

int ow_config_routed_services(struct ow_config_check *check,
			      const struct ow_config_node *root)
{
	const struct ow_config *c = check->config;
	int r = 0;

	for (size_t i = 0; i < c->n_services && r == 0; i++) {
		const struct ow_config_service *s = &c->services[i];

		if (s->routing != NULL &&
		    ow_config_route_find(c, s->routing) == NULL)
			r = ow_config_notice(check, root, "service %s: there "
					     "is no <route> %s: its calls are "
					     "not routed", s->name,
					     s->routing);
	}
	return r;
}
