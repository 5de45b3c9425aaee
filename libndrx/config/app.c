/* SPDX-License-Identifier: Apache-2.0 */
/*
 * app.c - <appconfig>: settings of the supervisor
 */
#include "libndrx/config/sections.h"

#include <stdbool.h>
#include <string.h>

#include "libndrx/config/origin.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"

void ow_config_app_init(struct ow_config_check *check)
{
	ow_config_set_initial(check, &ow_config_app_table, false,
			      &check->config->app);
}

static int set_field(struct ow_config_check *check,
		     const struct ow_config_node *node,
		     const struct ow_config_node **set)
{
	const struct ow_field_table *t = &ow_config_app_table;
	int i = ow_config_field_find(t, node->name);
	int r = ow_config_note_inert(check, t, i, node, &check->noted_app);

	set[i] = node;
	return r != 0 ? r : ow_config_field_set(check, &t->fields[i], node,
						&check->config->app);
}

/* The fields of `section` and of those of its name that follow: <sanity>, or
 * all others. */
static int set_fields(struct ow_config_check *check,
		      const struct ow_config_node *section, bool sanity,
		      const struct ow_config_node **set)
{
	const struct ow_config_node *s, *n;
	int r = 0;

	for (s = section; s != NULL; s = s->next) {
		if (strcmp(s->name, section->name) != 0)
			continue;
		for (n = s->children; n != NULL && r == 0; n = n->next)
			if ((strcmp(n->name, "sanity") == 0) == sanity)
				r = set_field(check, n, set);
	}
	return r;
}

static bool is_first(const struct ow_config_node *section)
{
	const struct ow_config_node *n = section->parent->children;

	while (strcmp(n->name, section->name) != 0)
		n = n->next;
	return n == section;
}

/* Several sections are read as one: <sanity> is the unit of all. */
int ow_config_app(struct ow_config_check *check,
		  const struct ow_config_node *section)
{
	const struct ow_field_table *t = &ow_config_app_table;
	const struct ow_config_node *set[OW_CONFIG_FIELDS] = { 0 };
	struct ow_config_app *app = &check->config->app;
	const struct ow_config_node *n;
	int r;

	if (!is_first(section))
		return 0;
	r = set_fields(check, section, true, set);
	ow_config_set_initial(check, t, true, app);
	if (r == 0)
		r = set_fields(check, section, false, set);
	if (r == 0 && app->restart_min_ms > app->restart_max_ms) {
		n = set[ow_config_field_find(t, "restart_max")];
		if (n != NULL)
			return ow_config_fail(check, n,
					      "is less than <restart_min>; "
					      "give at least as much");
		app->restart_max_ms = app->restart_min_ms;
	}
	return r != 0 ? r : ow_config_origins(check, t, set,
					      &check->config->app_origins);
}
