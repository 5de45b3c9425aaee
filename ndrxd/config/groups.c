/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - <procgroups>: groups of servers and clients
 *
 * A group is its attributes. The table is the reference of their names, kinds
 * and ranges, as config/fields.c is for elements.
 */
#include "ndrxd/config/check.h"

#include <ctype.h>
#include <string.h>

#include "ndrxd/config/value.h"

#define GROUP(member)  offsetof(struct ow_config_procgroup, member)
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define GRPNO_MAX      4096
#define GROUP_NAME_LEN 30

static const struct ow_field group_fields[] = {
	{ .name = "name", .kind = OW_FIELD_TEXT, .offset = GROUP(name),
	  .flags = OW_FIELD_NO_DEFAULT, .hi = GROUP_NAME_LEN },
	{ .name = "grpno", .kind = OW_FIELD_INT, .offset = GROUP(grpno),
	  .flags = OW_FIELD_NO_DEFAULT, .lo = 1, .hi = GRPNO_MAX },
	{ .name = "noorder", .kind = OW_FIELD_BOOL,
	  .offset = GROUP(noorder) },
	{ .name = "singleton", .kind = OW_FIELD_BOOL,
	  .offset = GROUP(singleton) },
	{ .name = "sg_nodes", .kind = OW_FIELD_TEXT,
	  .offset = GROUP(sg_nodes), .hi = 255 },
	{ .name = "sg_nodes_verify", .kind = OW_FIELD_BOOL,
	  .offset = GROUP(sg_nodes_verify) },
	{ .name = "lockfile", .kind = OW_FIELD_TEXT,
	  .offset = GROUP(lockfile), .flags = OW_FIELD_NO_DEFAULT,
	  .hi = 4000 },
};

const struct ow_field_table ow_config_group_table = {
	.fields = group_fields, .n = COUNT(group_fields)
};

const struct ow_config_procgroup *
ow_config_procgroup_find(const struct ow_config *config, const char *name)
{
	for (size_t i = 0; name != NULL && i < config->n_groups; i++) {
		if (strcmp(config->groups[i].name, name) == 0)
			return &config->groups[i];
	}
	return NULL;
}

/* Nodes of a cluster: numbers, separated by comma or blank. */
static bool nodes_ok(const char *s)
{
	return s == NULL || s[strspn(s, "0123456789, \t")] == '\0';
}

static int set_attrs(struct ow_config_check *check,
		     const struct ow_config_node *node, bool is_defaults,
		     struct ow_config_procgroup *g)
{
	char words[OW_CONFIG_NAMES];
	int r;

	ow_config_list_names(&ow_config_group_table, "", words);
	r = ow_config_check_attrs(check, node, words);
	if (r == 0)
		r = ow_config_check_no_text(check, node);
	if (r == 0 && node->children != NULL)
		r = ow_config_fail_element(check, node->children, "");
	for (size_t i = 0; i < COUNT(group_fields) && r == 0; i++) {
		const struct ow_field *f = &group_fields[i];
		const char *text = ow_config_node_attr(node, f->name);

		if (text == NULL)
			continue;
		if (is_defaults && (f->flags & OW_FIELD_NO_DEFAULT) != 0)
			return ow_config_fail(check, node,
					      "attribute %s cannot have a "
					      "default; give it in each "
					      "<procgroup>",
					      f->name);
		r = ow_config_attr_set(check, f, node, text, g);
	}
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
				      g->name == NULL ? "missing"
						      : "has other characters",
				      GROUP_NAME_LEN);
	if (g->grpno == 0)
		return ow_config_fail(check, node,
				      "attribute grpno: missing; give a "
				      "number from 1 to %d",
				      GRPNO_MAX);
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
	int r = set_attrs(check, node, false, &g);

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
	int r = ow_config_check_attrs(check, section, "");

	if (r == 0)
		r = ow_config_check_no_text(check, section);
	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "defaults") == 0)
			r = set_attrs(check, n, true, &defaults);
		else if (strcmp(n->name, "procgroup") == 0)
			r = add_group(check, n, &defaults);
		else
			r = ow_config_fail_element(check, n,
						   "defaults procgroup");
	}
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

/* An error about a whole entry, which is no element any more. */
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
