/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - <access>: Unix groups whose members may use the domain
 *
 * Where a group may call, or callers must log in, the gate runs: a client that the file need not name.
 */
#include "libndrx/config/sections.h"

#include <ctype.h>
#include <string.h>

#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"

/* It becomes a word of a command line. */
static bool name_ok(const char *s)
{
	if (s == NULL || !(isalnum((unsigned char)*s) || *s == '_'))
		return false;
	while (isalnum((unsigned char)*s) || strchr("_.-", *s) != NULL)
		if (*s++ == '\0')
			return true;
	return false;
}

int ow_config_access(struct ow_config_check *check,
		     const struct ow_config_node *node)
{
	struct ow_config *c = check->config;
	struct ow_config_access a = { 0 }, *all;
	int r;

	ow_config_set_initial(check, &ow_config_access_table, false, &a);
	r = ow_config_attrs_set(check, &ow_config_access_table, node, &a);
	if (r != 0)
		return r;
	if (!name_ok(a.group))
		return ow_config_fail(check, node, "attribute group: give a "
				      "Unix group: letters, digits, \"_\", "
				      "\".\" and \"-\"");
	for (size_t i = 0; i < c->n_access; i++)
		if (strcmp(c->access[i].group, a.group) == 0)
			return ow_config_fail(check, node,
					      "group \"%s\" is there twice, "
					      "also at line %u; give each "
					      "group once", a.group,
					      c->access[i].line);
	a.file = ow_arena_strdup(c->arena, node->file);
	a.line = node->line;
	all = ow_arena_push(c->arena, check->access, c->n_access,
			    sizeof(*all));
	if (a.file == NULL || all == NULL)
		return ow_config_no_memory(check);
	all[c->n_access++] = a;
	check->access = all;
	c->access = all;
	return 0;
}

/* "ndrxgate -l -g GROUP ..."; NULL: no memory. */
static const char *gate_command(struct ow_config *c)
{
	size_t len = sizeof("ndrxgate -l");
	char *line, *end;

	for (size_t i = 0; i < c->n_access; i++)
		len += strlen(c->access[i].group) + 4;
	line = ow_arena_alloc(c->arena, len);
	if (line == NULL)
		return NULL;
	end = stpcpy(line, "ndrxgate");
	if (ow_config_wants_logins(c))
		end = stpcpy(end, " -l");
	for (size_t i = 0; i < c->n_access; i++)
		if (c->access[i].clients)
			end = stpcpy(stpcpy(end, " -g "), c->access[i].group);
	return line;
}

int ow_config_gate(struct ow_config_check *check)
{
	struct ow_config *c = check->config;
	struct ow_config_client gate = { .implied = true };

	ow_config_set_initial(check, &ow_config_client_table, false, &gate);
	if (ow_config_wants_logins(c)) {
		gate.file = c->security.file;
		gate.line = c->security.line;
	}
	for (size_t i = 0; i < c->n_access && gate.file == NULL; i++)
		if (c->access[i].clients) {
			gate.file = c->access[i].file;
			gate.line = c->access[i].line;
		}
	if (gate.file == NULL)
		return 0;
	gate.tag = OW_CONFIG_GATE_TAG;
	gate.subsect = "-";
	gate.autostart = true;
	gate.cmdline = gate_command(c);
	return gate.cmdline == NULL ? ow_config_no_memory(check)
				    : ow_config_client_add(check, &gate);
}
