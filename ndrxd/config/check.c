/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - the tree of elements checked and made a configuration
 *
 * Order matters: <appconfig> first, because times are counted in its <sanity>;
 * then <procgroups>, which servers and clients name; then <defaults>, which
 * every server starts from; servers and clients in the order of the file. The position of a section in the file does not matter.
 */
#include "ndrxd/config/check.h"

#include <string.h>

#define SECTIONS \
	"appconfig defaults servers procgroups clients " OW_CONFIG_OTHER

static void init_app(struct ow_config_app *app)
{
	uint64_t s = app->sanity_ms;

	app->checkpm_ms = 2 * s;
	app->restart_min_ms = s;
	app->restart_step_ms = s;
	app->restart_max_ms = 10 * s;
	app->restart_to_check_ms = 20000;
	app->rqaddrttl_ms = 10000;
	app->ddrreload_ms = 60 * s;
}

static int app_element(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_node **set)
{
	const struct ow_field_table *t = &ow_config_app_table;
	int i = ow_config_field_find(t, node->name);
	char words[OW_CONFIG_NAMES];
	int r;

	if (i < 0) {
		ow_config_list_names(t, "", words);
		return ow_config_fail_element(check, node, words);
	}
	if (set[i] != NULL)
		return ow_config_fail_twice(check, node, set[i]);
	set[i] = node;
	r = ow_config_note_inert(check, &t->fields[i], node, &check->noted_app);
	if (r != 0)
		return r;
	return ow_config_field_set(check, &t->fields[i], node,
				   &check->config->app);
}

static int check_app(struct ow_config_check *check,
		     const struct ow_config_node *section)
{
	const struct ow_config_node *set[OW_CONFIG_FIELDS] = { 0 };
	struct ow_config_app *app = &check->config->app;
	int r = ow_config_check_attrs(check, section, "");

	if (r == 0)
		r = ow_config_check_no_text(check, section);
	/* <sanity> is the unit of the others, wherever it stands. */
	for (int pass = 0; pass < 2; pass++) {
		for (const struct ow_config_node *n = section->children;
		     n != NULL && r == 0; n = n->next) {
			if ((strcmp(n->name, "sanity") == 0) == (pass == 0))
				r = app_element(check, n, set);
		}
		if (pass == 0)
			init_app(app);
	}
	if (r == 0 && app->restart_min_ms > app->restart_max_ms) {
		int i = ow_config_field_find(&ow_config_app_table,
					     "restart_max");

		if (set[i] != NULL)
			return ow_config_fail(check, set[i],
					      "is less than <restart_min>; "
					      "give at least as much");
		app->restart_max_ms = app->restart_min_ms;
	}
	return r != 0 ? r : ow_config_origins(check, &ow_config_app_table, set,
					      &check->config->app_origins);
}

static int check_servers(struct ow_config_check *check,
			 const struct ow_config_node *section)
{
	int r = ow_config_check_attrs(check, section, "");

	if (r == 0)
		r = ow_config_check_no_text(check, section);
	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, "server") != 0)
			r = ow_config_fail_element(check, n, "server");
		else
			r = ow_config_server(check, n);
	}
	return r;
}

static int check_defaults(struct ow_config_check *check,
			  const struct ow_config_node *section)
{
	int r = ow_config_check_attrs(check, section, "");

	if (r == 0)
		r = ow_config_server_elements(check, section,
					      &check->defaults);
	return r != 0 ? r : ow_config_server_names(check, &check->defaults);
}

/* Run `step` on every section called `name`; `one`: there may be only one. */
static int each_section(struct ow_config_check *check,
			const struct ow_config_node *root, const char *name,
			bool one,
			int (*step)(struct ow_config_check *,
				    const struct ow_config_node *))
{
	const struct ow_config_node *first = NULL;
	int r = 0;

	for (const struct ow_config_node *n = root->children;
	     n != NULL && r == 0; n = n->next) {
		if (strcmp(n->name, name) != 0)
			continue;
		if (one && first != NULL)
			return ow_config_fail_twice(check, n, first);
		first = n;
		r = step(check, n);
	}
	return r;
}

static int check_root(struct ow_config_check *check,
		      const struct ow_config_node *root)
{
	int r;

	if (strcmp(root->name, "endurox") != 0 &&
	    strcmp(root->name, "onewake") != 0)
		return ow_config_fail(check, root,
				      "is not the element expected; the whole "
				      "configuration stands in <endurox>");
	r = ow_config_check_attrs(check, root, "");
	if (r == 0)
		r = ow_config_check_no_text(check, root);
	for (const struct ow_config_node *n = root->children;
	     n != NULL && r == 0; n = n->next) {
		if (!ow_config_word_in(SECTIONS, n->name))
			r = ow_config_fail_element(check, n, SECTIONS);
		else if (ow_config_word_in(OW_CONFIG_OTHER, n->name))
			r = ow_config_other(check, n);
	}
	return r;
}

int ow_config_check(struct ow_config *config,
		    const struct ow_config_node *root,
		    struct ow_config_error *err)
{
	struct ow_config_check check = { .config = config, .err = err };
	int r;

	config->app.sanity_ms = 1000;
	init_app(&config->app);
	ow_config_server_init(&check.defaults.server);
	r = check_root(&check, root);
	if (r == 0)
		r = each_section(&check, root, "appconfig", true, check_app);
	if (r == 0)
		r = each_section(&check, root, "procgroups", true,
				 ow_config_procgroups);
	if (r == 0)
		r = each_section(&check, root, "defaults", true,
				 check_defaults);
	if (r == 0)
		r = each_section(&check, root, "servers", false,
				 check_servers);
	if (r == 0)
		r = each_section(&check, root, "clients", false,
				 ow_config_clients);
	if (r == 0)
		r = ow_config_lock_providers(&check);
	if (r == 0)
		r = ow_config_clients_unique(&check);
	return r != 0 ? r : ow_config_server_overlaps(&check);
}
