/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.c - config: the values of a configuration, with the origin of each
 *
 * xadmin reads the file itself and needs no domain. Where ndrxd runs, the
 * values that it uses are shown, and what the file would change.
 */
#include "clients/xadmin/setup/setup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/command/command.h"
#include "clients/xadmin/setup/in_force.h"
#include "clients/xadmin/setup/variables.h"
#include "libatmi/base/env.h"
#include "libatmi/base/masked.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"

static const struct ow_column config_columns[] = {
	{ "SECTION", 12, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "NAME", 18, OW_COLUMN_GROWS },
	{ "VALUE", 10, OW_COLUMN_GROWS },
	{ "ORIGIN", 7, 0 },
	{ NULL, 0, 0 },
};

/* The listing and its filters. */
struct config_list {
	const struct ow_args *a;
	struct ow_listing out;
	const char *server; /* -s, or NULL */
	int srvid;	    /* -i, or 0 */
	bool given;	    /* -g: no defaults */
	struct ow_in_force *in_force; /* NULL: ndrxd does not run */
	unsigned int pending; /* values that a reload would change */
};

/* What a reload would do to a value. */
enum pending {
	NOTHING, /* or ndrxd does not run */
	CHANGE,
	ADD,
	REMOVE,
};

static const char *const pending_words[] = {
	[NOTHING] = "", [CHANGE] = "change", [ADD] = "add",
	[REMOVE] = "remove",
};

struct config_row {
	const char *section;
	int srvid; /* 0: none */
	const char *name;
	const char *value; /* in force; NULL: none */
	const char *origin; /* of the value in the file */
	const char *file_value; /* if it differs, NULL: none */
	enum pending pending;
};

static const char *or_dash(const char *value)
{
	return value != NULL ? value : "-";
}

/* The last cell: the origin, and what the file would change. */
static void put_origin(struct ow_grid *g, const struct config_row *row)
{
	switch (row->pending) {
	case CHANGE:
		ow_grid_cell(g, "in force; %s: %s", row->origin,
			     or_dash(row->file_value));
		break;
	case ADD:
		ow_grid_cell(g, "not in force; %s", row->origin);
		break;
	case REMOVE:
		ow_grid_cell(g, "in force; not in the file");
		break;
	default:
		ow_grid_cell(g, "%s", row->origin);
	}
}

/* The row as somebody else than the domain's user may see it. */
static struct config_row masked(const struct config_row *row)
{
	struct config_row r = *row;

	if (r.value != NULL)
		r.value = OW_MASKED;
	if (r.file_value != NULL)
		r.file_value = OW_MASKED;
	return r;
}

static void add_row(struct config_list *l, const struct config_row *given)
{
	struct ow_json *j = l->out.json;
	struct ow_grid *g = l->out.grid;
	const struct config_row *row = given, hidden = masked(given);

	if (l->a->x->right != OW_GUEST_NOBODY && ow_masked_name(given->name))
		row = &hidden;
	if (strcmp(given->section, "environment") == 0 &&
	    ow_cconfig_is_hidden(given->name))
		row = &hidden;
	if (j != NULL) {
		ow_json_row_begin(j);
		ow_json_str(j, "section", row->section);
		ow_json_int(j, "srvid", row->srvid);
		ow_json_str(j, "name", row->name);
		ow_json_str(j, "value", row->value != NULL ? row->value : "");
		ow_json_bool(j, "has_value", row->value != NULL);
		ow_json_str(j, "origin", row->origin);
		ow_json_str(j, "pending", pending_words[row->pending]);
		ow_json_str(j, "file_value", row->pending == CHANGE &&
						     row->file_value != NULL
						 ? row->file_value : "");
		ow_json_row_end(j);
		return;
	}
	ow_grid_cell(g, "%s", row->section);
	if (row->srvid > 0)
		ow_grid_cell(g, "%d", row->srvid);
	else
		ow_grid_cell(g, "-");
	ow_grid_cell(g, "%s", row->name);
	ow_grid_cell(g, "%s", or_dash(row->value));
	put_origin(g, row);
	ow_grid_end_row(g);
}

static void add_variable(struct config_list *l, const struct ow_variable *v)
{
	const char *value = ow_env_str(v->name, NULL);
	struct config_row row = {
		.section = "environment",
		.name = v->name,
		.value = value != NULL ? value : ow_variable_default(v),
		.origin = value != NULL ? "environment" : "default",
	};

	if (value == NULL &&
	    (v->use != OW_VARIABLE_USED || ow_variable_default(v) == NULL ||
	     l->given))
		return;
	if (value != NULL && v->use == OW_VARIABLE_UNUSED)
		row.origin = "environment (no effect here)";
	add_row(l, &row);
}

/* A variable NDRX_... that Onewake does not know: a typing error? */
static void add_stranger(struct config_list *l, const char *setting)
{
	size_t len = strcspn(setting, "=");
	char name[128], origin[256];
	const char *near;
	struct config_row row = { .section = "environment", .name = name,
				  .origin = origin };

	if (strncmp(setting, "NDRX_", 5) != 0 || len >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)len, setting);
	if (ow_variable_find(name) != NULL)
		return;
	near = ow_variable_suggest(name);
	snprintf(origin, sizeof(origin), "environment (not known here%s%s)",
		 near != NULL ? "; did you mean " : "",
		 near != NULL ? near : "");
	row.value = setting + len + (setting[len] == '=');
	add_row(l, &row);
}

/* The origin of a value that the file does not set. */
static const char *other_origin(const struct ow_config_setting *v,
				const char **ret_value)
{
	static const char *const by_variable[][2] = {
		{ "transport", "NDRX_TRANSPORT" },
		{ "wake", "NDRX_WAKE" },
	};
	const char *value;
	size_t i;

	for (i = 0; v->server == NULL && i < 2; i++) {
		if (strcmp(v->name, by_variable[i][0]) != 0)
			continue;
		value = ow_env_str(by_variable[i][1], NULL);
		*ret_value = value != NULL
				 ? value
				 : ow_variable_default(
				       ow_variable_find(by_variable[i][1]));
		return value != NULL ? "environment" : "default";
	}
	return "default";
}

static bool is_selected(const struct config_list *l,
			const struct ow_config_server *s)
{
	if ((l->server != NULL || l->srvid != 0) && s == NULL)
		return false;
	if (l->server != NULL && strcmp(s->name, l->server) != 0)
		return false;
	return l->srvid == 0 ||
	       (l->srvid >= s->srvid && l->srvid < s->srvid + s->max);
}

static bool differ(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a != b : strcmp(a, b) != 0;
}

/* Compare the value of the file with the one in force. */
static void compare(struct config_list *l, const struct ow_place_of *at,
		    struct config_row *row)
{
	const char *now = NULL;

	if (l->in_force == NULL)
		return;
	if (!ow_in_force_find(l->in_force, at, &now)) {
		row->pending = row->value != NULL ? ADD : NOTHING;
	} else if (differ(now, row->value)) {
		row->pending = CHANGE;
		row->file_value = row->value;
		row->value = now;
	}
	l->pending += row->pending != NOTHING;
}

static void on_value(const struct ow_config_setting *v, void *arg)
{
	struct config_list *l = arg;
	struct ow_place_of at;
	char origin[800];
	struct config_row row = {
		.section = at.section, .name = at.name, .value = v->value,
		.origin = origin,
	};

	if (!is_selected(l, v->server))
		return;
	ow_place_of(v, &at);
	row.srvid = at.srvid;
	compare(l, &at, &row);
	if (v->origin->file != NULL)
		snprintf(origin, sizeof(origin), "%s:%u%s%s",
			 v->origin->file, v->origin->line,
			 v->origin->variables != NULL ? ", environment " : "",
			 v->origin->variables != NULL ? v->origin->variables
						      : "");
	else
		snprintf(origin, sizeof(origin), "%s",
			 row.pending == NOTHING ? other_origin(v, &row.value)
						: "default");
	if (v->is_env && row.value == NULL)
		row.value = "(removed)";
	if (row.pending == NOTHING && strcmp(origin, "default") == 0 &&
	    (l->given || row.value == NULL))
		return;
	add_row(l, &row);
}

/* A value in force that the file does not have. */
static void on_unseen(const struct ow_place_of *at, const char *text,
		      void *arg)
{
	struct config_list *l = arg;
	struct config_row row = {
		.section = at->section, .srvid = at->srvid, .name = at->name,
		.value = text, .origin = "", .pending = REMOVE,
	};

	if (text == NULL ||
	    (l->server != NULL && strcmp(l->server, at->section) != 0) ||
	    (l->srvid != 0 && l->srvid != at->srvid))
		return;
	l->pending++;
	add_row(l, &row);
}

static void add_environment(struct config_list *l)
{
	size_t i;

	for (i = 0; i < ow_variables_count; i++)
		add_variable(l, &ow_variables[i]);
	for (i = 0; environ[i] != NULL; i++)
		add_stranger(l, environ[i]);
}

static int list_config(struct config_list *l, const struct ow_config *config)
{
	int r;

	if (ow_listing_begin(&l->out, &l->a->form, config_columns) != 0)
		return ow_cmd_fail(l->a, "no memory");
	if (l->server == NULL && l->srvid == 0)
		add_environment(l);
	l->in_force = ow_in_force_open();
	r = ow_config_each_value(config, on_value, l);
	if (l->in_force != NULL && r == 0)
		ow_in_force_each_unseen(l->in_force, on_unseen, l);
	ow_listing_end(&l->out);
	if (l->in_force == NULL)
		fprintf(stderr, "ndrxd is not running: these are the values of "
				"the file\n");
	else if (l->pending > 0)
		fprintf(stderr, "%u values are not as in the file: `xadmin "
				"reload` puts it in force\n", l->pending);
	l->in_force = ow_in_force_close(l->in_force);
	return r == 0 ? OW_EXIT_OK : ow_cmd_fail(l->a, "no memory");
}

/* Does the file have a server for -s and -i? */
static bool names_something(const struct config_list *l,
			    const struct ow_config *config)
{
	size_t i;

	if (l->srvid != 0 && ow_config_server_find(config, l->srvid) == NULL)
		return false;
	for (i = 0; l->server != NULL && i < config->n_servers; i++)
		if (strcmp(config->servers[i].name, l->server) == 0)
			return true;
	return l->server == NULL;
}

int ow_setup_config(struct ow_args *a)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	struct config_list l = {
		.a = a,
		.server = ow_args_value(a, 's'),
		.given = ow_args_has(a, 'g'),
	};
	const char *path = ow_setup_config_path(a), *id = ow_args_value(a, 'i');
	struct ow_config_error err;

	if (id != NULL && (l.srvid = (int)ow_args_srvid(a, id)) == 0)
		return OW_EXIT_USAGE;
	if (path == NULL)
		return OW_EXIT_FAILED;
	if (ow_config_load(path, &err, &config) != 0)
		return ow_cmd_fail(a, "%s", err.text);
	if (ow_args_has(a, OW_ARGS_CLUSTER))
		return ow_setup_tcp_links(a, config);
	if (ow_args_has(a, 'x'))
		return ow_config_print(stdout, config) == 0
			   ? OW_EXIT_OK
			   : ow_cmd_fail(a, "standard output: not written");
	if (!names_something(&l, config))
		return ow_cmd_fail(a, "%s: no such server", path);
	return list_config(&l, config);
}
