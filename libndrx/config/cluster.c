/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.c - <cluster>, and what bridges get of the configuration
 *
 * A bridge reads its settings from its environment: one variable for each key
 * (servers/bridge/wire/settings.c). Here they become variables of its entry, unless the
 * entry sets them itself. So a change restarts the bridge, as that of any variable.
 */
#include "libndrx/config/sections.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/tcp_link.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"

#define PREFIX "NDRX_CLUSTER_"

enum { NODES = 255, VARIABLES = 16 };

/* ---- <cluster> ---- */

static bool name_ok(const char *name)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_' ||
	       name[n] == '-')
		n++;
	return n > 0 && name[n] == '\0';
}

/* NODE:SERVICE,SERVICE;NODE:... as servers/bridge/directory/imports.h reads it. */
static bool imports_ok(const char *text)
{
	char *end;
	long n;

	while (text != NULL && *text != '\0') {
		text += strspn(text, " ;");
		if (*text == '\0')
			break;
		n = *text == '*' ? 1 : strtol(text, &end, 10);
		if (*text == '*')
			end = (char *)text + 1;
		if (n < 1 || n > NODES || *end != ':')
			return false;
		text = end + strcspn(end, ";");
	}
	return true;
}

static int check_cluster(struct ow_config_check *check,
			 const struct ow_config_node *node,
			 const struct ow_config_cluster *c)
{
	char *end = (char *)"";
	long n = c->node != NULL ? strtol(c->node, &end, 10) : 1;

	if (c->name == NULL || !name_ok(c->name))
		return ow_config_fail(check, node, "attribute name: give "
				      "letters, digits, \"-\" and \"_\", the "
				      "same at each node");
	if (*end != '\0' || n < 1 || n > NODES)
		return ow_config_fail(check, node, "attribute node: \"%s\" is "
				      "no node; give a number from 1 to %d",
				      c->node, NODES);
	if ((c->certificate != NULL) != (c->key != NULL))
		return ow_config_fail(check, node, "a certificate and its key "
				      "go together; give both");
	if (!imports_ok(c->importsvcs))
		return ow_config_fail(check, node, "attribute importsvcs: "
				      "\"%.60s\": give NODE:SERVICE,SERVICE; "
				      "and so on, * for all other nodes",
				      c->importsvcs);
	if ((c->user != NULL) != (c->password_file != NULL))
		return ow_config_fail(check, node, "user and password_file go "
				      "together; give both");
	return 0;
}

int ow_config_cluster(struct ow_config_check *check,
		      const struct ow_config_node *node)
{
	struct ow_config *config = check->config;
	struct ow_config_cluster c = { 0 };
	int r;

	if (config->cluster.file != NULL)
		return ow_config_fail(check, node, "is there twice, also at "
				      "line %u; give one",
				      config->cluster.line);
	r = ow_config_attrs_set(check, &ow_config_cluster_table, node, &c);
	if (r == 0)
		r = check_cluster(check, node, &c);
	if (r != 0)
		return r;
	c.file = ow_arena_strdup(config->arena, node->file);
	c.line = node->line;
	if (c.file == NULL)
		return ow_config_no_memory(check);
	config->cluster = c;
	return 0;
}

/* ---- bridges ---- */

static bool is_bridge(const struct ow_config_server *s)
{
	return strcmp(s->name, "ndrxbridge") == 0 ||
	       strcmp(s->name, "tpbridge") == 0;
}

static bool has_variable(const struct ow_config_server *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n_envs; i++)
		if (strcmp(s->envs[i].name, name) == 0)
			return true;
	return false;
}

/* Add the variable of `key` to `envs`, if there is a value. */
static int add_variable(struct ow_config_check *check,
			struct ow_config_server *s, const char *key,
			const char *value, struct ow_config_origin origin)
{
	struct ow_config_env *envs = (struct ow_config_env *)s->envs;
	char name[64] = PREFIX;
	size_t i, n = strlen(name);

	for (i = 0; key[i] != '\0'; i++)
		name[n + i] = (char)toupper((unsigned char)key[i]);
	name[n + i] = '\0';
	if (value == NULL || has_variable(s, name))
		return 0;
	envs[s->n_envs] = (struct ow_config_env){
		.name = ow_arena_strdup(check->config->arena, name),
		.value = value,
		.origin = origin,
	};
	return envs[s->n_envs++].name != NULL ? 0 : ow_config_no_memory(check);
}

/* Have room for more variables in an array of its own. */
static int copy_envs(struct ow_config_check *check, struct ow_config_server *s)
{
	struct ow_config_env *envs =
	    ow_arena_alloc(check->config->arena,
			   (s->n_envs + VARIABLES) * sizeof(*envs));

	if (envs == NULL)
		return ow_config_no_memory(check);
	if (s->n_envs > 0)
		memcpy(envs, s->envs, s->n_envs * sizeof(*envs));
	s->envs = envs;
	return 0;
}

static int add_cluster(struct ow_config_check *check,
		       struct ow_config_server *s)
{
	const struct ow_config_cluster *c = &check->config->cluster;
	const struct ow_config_origin at = { .file = c->file,
					     .line = c->line };
	const struct ow_field *f = ow_config_cluster_table.fields;
	const char *value;
	int r = 0;

	for (size_t i = 0; i < ow_config_cluster_table.n && r == 0; i++) {
		memcpy(&value, (const char *)c + f[i].offset, sizeof(value));
		r = add_variable(check, s, f[i].name, value, at);
	}
	return r;
}

/* <brrefresh>, if the file has it: without, the bridge has its own. */
static int add_refresh(struct ow_config_check *check,
		       struct ow_config_server *s)
{
	const struct ow_config *c = check->config;
	int i = ow_config_field_find(&ow_config_app_table, "brrefresh");
	char text[32];

	if (c->app_origins == NULL || c->app_origins[i].file == NULL)
		return 0;
	snprintf(text, sizeof(text), "%llums",
		 (unsigned long long)c->app.brrefresh_ms);
	return add_variable(check, s, "refresh",
			    ow_arena_strdup(c->arena, text),
			    c->app_origins[i]);
}

bool ow_config_tcp_link(const struct ow_config_server *s,
			struct ow_tcp_link *ret, char *why, size_t size)
{
	struct ow_cmdline cmd = { 0 };
	bool found = is_bridge(s) && s->appopt != NULL &&
		     ow_cmdline_split(&cmd, s->appopt) == 0 &&
		     ow_tcp_link_is((int)cmd.argc, cmd.argv);

	*ret = (struct ow_tcp_link){ .node = 0 };
	if (found)
		(void)ow_tcp_link_read((int)cmd.argc, cmd.argv, ret, why, size);
	ow_cmdline_clear(&cmd);
	return found;
}

/* What becomes of the options of a TCP link. */
static int explain(struct ow_config_check *check,
		   const struct ow_config_server *s)
{
	const struct ow_config_node at = { .name = "server", .file = s->file,
					   .line = s->line };
	char why[200] = "", address[300], others[64] = "";
	struct ow_tcp_link l;

	if (!ow_config_tcp_link(s, &l, why, sizeof(why)))
		return 0;
	if (check->config->cluster.file != NULL)
		return ow_config_notice(check, &at, "the <appopt> of %s is that "
					"of a TCP link: no effect, <cluster> "
					"says where nodes meet", s->name);
	if (l.node == 0)
		return ow_config_notice(check, &at, "%s", why);
	ow_tcp_link_address(&l, address, sizeof(address));
	if (l.unknown[0] != '\0')
		snprintf(others, sizeof(others), "; options \"%s\": not known "
			 "here", l.unknown);
	return ow_config_notice(
	    check, &at, "a TCP link to node %u: this side %s %s%s%s", l.node,
	    l.passive ? "starts a nats-server that listens at"
		      : "connects to", address,
	    l.is_offering ? "" : "; without -r it offers nothing there",
	    others);
}

static int prepare(struct ow_config_check *check, struct ow_config_server *s)
{
	const struct ow_config_origin own = { .file = s->file,
					      .line = s->line };
	int r = copy_envs(check, s);

	if (r == 0)
		r = add_cluster(check, s);
	if (r == 0)
		r = add_refresh(check, s);
	if (r == 0)
		r = add_variable(check, s, "exportsvcs", s->exportsvcs, own);
	if (r == 0)
		r = add_variable(check, s, "blacklistsvcs", s->blacklistsvcs,
				 own);
	return r == 0 ? explain(check, s) : r;
}

int ow_config_bridges(struct ow_config_check *check)
{
	int r = 0;

	for (size_t i = 0; i < check->config->n_servers && r == 0; i++)
		if (is_bridge(&check->servers[i]))
			r = prepare(check, &check->servers[i]);
	return r;
}
