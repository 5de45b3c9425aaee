/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - <procgroups>: groups of servers and clients
 */
#include "libndrx/config/sections.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"
#include "libndrx/config/value.h"

/* Nodes of a cluster: numbers, separated by comma or blank. */
static bool nodes_ok(const char *s)
{
	return s == NULL || s[strspn(s, "0123456789, \t")] == '\0';
}

static int set_attrs(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     struct ow_config_procgroup *g)
{
	int r = ow_config_attrs_set(check, &ow_config_group_table, node, g);

	if (r == 0 && !nodes_ok(g->sg_nodes))
		return ow_config_fail(check, node,
				      "attribute sg_nodes: give node numbers "
				      "such as 1,2");
	return r;
}

static bool name_ok(const char *s)
{
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

static int check_group(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_procgroup *g)
{
	const struct ow_config *c = check->config;

	if (g->name == NULL || !name_ok(g->name))
		return ow_config_fail(check, node,
				      "attribute name: %s; give letters, "
				      "digits and \"_\", at most %d",
				      g->name == NULL ? "is empty"
						      : "has other characters",
				      OW_CONFIG_GROUP_NAME_LEN);
	for (size_t i = 0; i < c->n_groups; i++) {
		const struct ow_config_procgroup *o = &c->groups[i];

		if (strcmp(o->name, g->name) != 0 && o->grpno != g->grpno)
			continue;
		return ow_config_fail(check, node,
				      "%s is that of <procgroup name=\"%s\"> "
				      "at %.160s:%u; give each group its own",
				      o->grpno == g->grpno ? "grpno" : "name",
				      o->name, o->file, o->line);
	}
	return 0;
}

static int add_group(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     const struct ow_config_procgroup *defaults)
{
	struct ow_config_procgroup g = *defaults, *groups;
	struct ow_config *c = check->config;
	int r = set_attrs(check, node, &g);

	if (r == 0)
		r = check_group(check, node, &g);
	if (r != 0)
		return r;
	g.file = ow_arena_strdup(c->arena, node->file);
	g.line = node->line;
	groups = ow_arena_push(c->arena, check->procgroups, c->n_groups,
			       sizeof(*groups));
	if (g.file == NULL || groups == NULL)
		return ow_config_no_memory(check);
	groups[c->n_groups++] = g;
	check->procgroups = groups;
	c->groups = groups;
	return 0;
}

int ow_config_procgroups(struct ow_config_check *check,
			 const struct ow_config_node *section)
{
	struct ow_config_procgroup defaults = { 0 };
	int r = 0;

	ow_config_set_initial(check, &ow_config_group_table, false, &defaults);
	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = strcmp(n->name, "defaults") == 0
			? set_attrs(check, n, &defaults)
			: add_group(check, n, &defaults);
	return r;
}

int ow_config_need_group(struct ow_config_check *check,
			 const struct ow_config_node *node, const char *name,
			 const char *what)
{
	char shown[48];

	if (name == NULL ||
	    ow_config_procgroup_find(check->config, name) != NULL)
		return 0;
	return ow_config_fail(check, node,
			      "%sthere is no group %s; define it with "
			      "<procgroup name=\"...\"> in <procgroups>",
			      what, ow_value_quote(name, shown, sizeof(shown)));
}

/* An error about an entry whose element is not at hand any more. */
static int fail_entry(struct ow_config_check *check,
		      const struct ow_config_server *s, const char *what)
{
	snprintf(check->err->text, sizeof(check->err->text),
		 "%.160s:%u: <server name=\"%s\">: <procgrp_lp>: %s", s->file,
		 s->line, s->name, what);
	return OW_CONFIG_BAD;
}

int ow_config_lock_providers(struct ow_config_check *check)
{
	const struct ow_config *c = check->config;

	for (size_t i = 0; i < c->n_servers; i++) {
		const struct ow_config_server *s = &c->servers[i];

		if (s->procgrp_lp == NULL)
			continue;
		if (s->procgrp != NULL &&
		    strcmp(s->procgrp, s->procgrp_lp) == 0)
			return fail_entry(check, s,
					  "a lock provider would wait for "
					  "itself; leave out its <procgrp>");
		if (s->max > 1)
			return fail_entry(check, s,
					  "a group has one lock provider; "
					  "give <max>1</max>");
		for (size_t j = 0; j < i; j++) {
			const char *lp = c->servers[j].procgrp_lp;

			if (lp != NULL && strcmp(lp, s->procgrp_lp) == 0)
				return fail_entry(check, s,
						  "the group has a lock "
						  "provider already; remove "
						  "one");
		}
	}
	return 0;
}
