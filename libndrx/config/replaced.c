/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replaced.c - <server> entries of programs whose work ndrxd itself does
 *
 * Programs of another runtime: the client monitor, and the lock providers of
 * process groups. What their entries say about the groups is kept; the process
 * is a stand-in (servers/standin).
 */
#include "libndrx/config/sections.h"

#include <string.h>

#include "libubf/base/cconfig.h"
#include "libndrx/config/say.h"

enum { LOCKFILE_LEN = 4000 };

bool ow_config_is_replaced(const struct ow_config_server *s)
{
	return s->fullpath == NULL && s->cmdline == NULL &&
	       ow_config_word_in("cpmsrv exsinglesv exsingleckl exsingleckr",
				 s->name);
}

static struct ow_config_procgroup *find_group(struct ow_config_check *check,
					      const char *name)
{
	for (size_t i = 0; name != NULL && i < check->config->n_groups; i++)
		if (strcmp(check->procgroups[i].name, name) == 0)
			return &check->procgroups[i];
	return NULL;
}

static int take_lockfile(struct ow_config_check *check,
			 const struct ow_config_node *node,
			 struct ow_config_procgroup *g, const char *path)
{
	if (strlen(path) > LOCKFILE_LEN)
		return ow_config_fail(check, node, "[@exsinglesv] lockfile_1 "
				      "is too long; give at most %d bytes",
				      LOCKFILE_LEN);
	g->lockfile = ow_arena_strdup(check->config->arena, path);
	if (g->lockfile == NULL)
		return ow_config_no_memory(check);
	return ow_config_notice(check, node, "lock file of group %s: %.200s, "
				"from [@exsinglesv] in NDRX_CCONFIG", g->name,
				path);
}

/* The section of the ini configuration that the program would read. */
static int take_ini(struct ow_config_check *check,
		    const struct ow_config_node *node,
		    struct ow_config_procgroup *g, const struct ow_cconfig *c)
{
	const char *path = ow_cconfig_value(c, "lockfile_1");
	int r = 0;

	if (path != NULL && *path != '\0' && g->lockfile == NULL)
		r = take_lockfile(check, node, g, path);
	for (size_t i = 0; i < c->n && r == 0; i++)
		if (strncmp(c->items[i].key, "exec_on_", 8) == 0)
			r = ow_config_notice(check, node, "[@exsinglesv] "
					     "%.40s: no effect, nothing is run "
					     "when a group is locked",
					     c->items[i].key);
	return r;
}

int ow_config_replace(struct ow_config_check *check,
		      const struct ow_config_node *node,
		      const struct ow_config_server *s)
{
	struct ow_config_procgroup *g = find_group(check, s->procgrp_lp);
	struct ow_cconfig c;
	int r = ow_config_notice(check, node, "ndrxd itself looks after %s: "
				 "the process only stands for it",
				 s->name[0] == 'c' ? "<clients>"
						   : "locks of <procgroups>");

	if (r != 0 || g == NULL)
		return r;
	ow_cconfig_read_tagged("@exsinglesv", s->cctag, &c);
	r = take_ini(check, node, g, &c);
	ow_cconfig_free(&c);
	return r;
}
