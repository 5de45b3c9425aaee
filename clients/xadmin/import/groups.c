/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - import the machines of a UBBCONFIG, with their groups
 *
 * A domain is one machine: the first machine of MASTER, or else the first
 * entry of MACHINES. Groups of other machines are left out, with their
 * servers.
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/setup/folder.h"
#include "clients/xadmin/import/import.h"
#include "libubf/base/cleanup.h"

#define SCANUNIT  10 /* seconds, when RESOURCES does not say */
#define BLOCKTIME 6

static struct ow_ubb_entry *find_section(const struct ow_import *im,
					 const char *section)
{
	struct ow_ubb_entry *e = im->ubb.entries;

	while (e != NULL && strcmp(e->section, section) != 0)
		e = e->next;
	return e;
}

static long number(struct ow_ubb_entry *e, const char *key, long otherwise)
{
	const char *value = ow_ubb_value(e, key);

	return value != NULL && atol(value) > 0 ? atol(value) : otherwise;
}

/* ---- RESOURCES ---- */

static void take_resources(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *master = ow_ubb_value(e, "MASTER");
	const char *name = ow_ubb_value(e, "DOMAINID");
	long unit = number(e, "SCANUNIT", SCANUNIT);
	long seconds = unit * number(e, "BLOCKTIME", BLOCKTIME);
	long scan = number(e, "SANITYSCAN", 0);

	snprintf(im->timeout, sizeof(im->timeout), "%ld", seconds);
	ow_import_say(im, OW_IMPORT_TAKEN, e, "BLOCKTIME * SCANUNIT: calls "
		      "time out after %ld s (NDRX_TOUT)", seconds);
	if (scan > 0)
		ow_import_say(im, OW_IMPORT_LOOK, e, "SANITYSCAN=%ld: process "
			      "ids are checked every 2 s (<checkpm>); the end "
			      "of a process is noticed at once anyway", scan);
	if (name != NULL)
		ow_import_say(im, OW_IMPORT_TAKEN, e, "DOMAINID=%s", name);
	if (master == NULL)
		return;
	im->machine = ow_arena_strndup(&im->ubb.arena, master,
				       strcspn(master, ", \t"));
	ow_import_say(im, OW_IMPORT_TAKEN, e, "MASTER=%s: the machine that is "
		      "imported", master);
}

/* ---- MACHINES ---- */

/* Write a line with a path to setenv. */
static void put_path(struct ow_import *im, const struct ow_ubb_entry *e,
		     const char *key, const char *format, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) char *word = ow_folder_quote(path);

	if (word == NULL)
		return;
	fprintf(im->env, format, word);
	ow_import_say(im, OW_IMPORT_TAKEN, e, "%s=%s: in setenv", key, path);
}

/* Shell functions of setenv. An environment file has lines NAME=VALUE; ${NAME}
 * in a value is replaced, and nothing in the file is run. */
static const char read_envfile[] =
	"ow_envfile() {\n"
	"\twhile IFS= read -r ow_line || [ -n \"$ow_line\" ]; do\n"
	"\t\tcase ${ow_line%%=*} in\n"
	"\t\t\"$ow_line\" | '' | [0-9]* | *[!A-Za-z0-9_]*) continue ;;\n"
	"\t\tesac\n"
	"\t\tow_rest=${ow_line#*=} ow_value=\n"
	"\t\twhile :; do\n"
	"\t\t\tcase $ow_rest in *'${'*'}'*) ;; *) break ;; esac\n"
	"\t\t\tow_value=$ow_value${ow_rest%%'${'*}\n"
	"\t\t\tow_rest=${ow_rest#*'${'}\n"
	"\t\t\tow_name=${ow_rest%%'}'*} ow_rest=${ow_rest#*'}'}\n"
	"\t\t\tcase $ow_name in\n"
	"\t\t\t'' | [0-9]* | *[!A-Za-z0-9_]*) continue ;;\n"
	"\t\t\tesac\n"
	"\t\t\teval \"ow_value=\\$ow_value\\${$ow_name-}\"\n"
	"\t\tdone\n"
	"\t\texport \"${ow_line%%=*}=$ow_value$ow_rest\"\n"
	"\tdone <\"$1\"\n"
	"\tunset ow_line ow_rest ow_value ow_name\n"
	"}\n";

static void put_envfile(struct ow_import *im, const struct ow_ubb_entry *e,
			const char *path)
{
	fputs("# from ENVFILE\n", im->env);
	fputs(read_envfile, im->env);
	put_path(im, e, "ENVFILE", "ow_envfile %s\n", path);
}

static void take_machine(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *lmid = ow_ubb_value(e, "LMID");
	const char *app = ow_ubb_value(e, "APPDIR");
	const char *env = ow_ubb_value(e, "ENVFILE");
	const char *log = ow_ubb_value(e, "ULOGPFX");
	char *slash, *dir;

	if (im->machine == NULL)
		im->machine = lmid;
	if (lmid == NULL || strcmp(lmid, im->machine) != 0) {
		ow_import_say(im, OW_IMPORT_NONE, e, "another machine (LMID "
			      "%s): its groups and servers are left out; make "
			      "a domain of its own there",
			      lmid != NULL ? lmid : "is missing");
		return;
	}
	if (app != NULL)
		put_path(im, e, "APPDIR", "# from APPDIR\n"
			 "export PATH=%s:\"$PATH\"\n", app);
	if (env != NULL)
		put_envfile(im, e, env);
	dir = log != NULL ? ow_arena_strdup(&im->ubb.arena, log) : NULL;
	slash = dir != NULL ? strrchr(dir, '/') : NULL;
	if (slash != NULL && slash != dir) {
		*slash = '\0';
		put_path(im, e, "ULOGPFX", "# from ULOGPFX\n"
			 "export NDRX_ULOG=%s\n", dir);
	}
}

void ow_import_machines(struct ow_import *im)
{
	struct ow_ubb_entry *e = find_section(im, "RESOURCES");

	if (e != NULL)
		take_resources(im, e);
	for (e = im->ubb.entries; e != NULL; e = e->next)
		if (strcmp(e->section, "MACHINES") == 0)
			take_machine(im, e);
}

/* ---- GROUPS ---- */

const struct ow_import_group *ow_import_group(const struct ow_import *im,
					      const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < im->n_groups; i++)
		if (strcmp(im->groups[i].entry->name, name) == 0)
			return &im->groups[i];
	return NULL;
}

/* `lmid` is "SITE1" or "SITE1,SITE2" (a site to migrate to). */
static bool is_elsewhere(const struct ow_import *im, const char *lmid)
{
	size_t n = lmid != NULL ? strcspn(lmid, ",") : 0;

	return lmid != NULL && im->machine != NULL &&
	       (strlen(im->machine) != n ||
		strncmp(lmid, im->machine, n) != 0);
}

static void take_group(struct ow_import *im, struct ow_ubb_entry *e)
{
	struct ow_import_group *g = &im->groups[im->n_groups];
	long theirs = number(e, "GRPNO", 0);
	const char *lmid = ow_ubb_value(e, "LMID");

	g->entry = e;
	g->elsewhere = is_elsewhere(im, lmid);
	g->grpno = im->n_groups > 0 ? im->groups[im->n_groups - 1].grpno : 0;
	if (g->elsewhere) {
		ow_import_say(im, OW_IMPORT_NONE, e, "LMID=%s: another "
			      "machine, left out", lmid);
		im->n_groups++;
		return;
	}
	if (ow_folder_bad_name(e->name) != NULL) {
		ow_import_say(im, OW_IMPORT_LOOK, e, "not a valid name of a "
			      "process group (%s): left out; its servers are "
			      "imported", ow_folder_bad_name(e->name));
		return;
	}
	g->grpno++;
	im->n_groups++;
	fprintf(im->xml, "\t\t<procgroup name=\"%s\" grpno=\"%d\"/>\n",
		e->name, g->grpno);
	if (theirs != g->grpno)
		ow_import_say(im, OW_IMPORT_LOOK, e, "GRPNO=%ld: process group "
			      "number %d", theirs, g->grpno);
	else
		ow_import_say(im, OW_IMPORT_TAKEN, e, "process group %d",
			      g->grpno);
}

void ow_import_groups(struct ow_import *im)
{
	struct ow_ubb_entry *e;

	if (find_section(im, "GROUPS") == NULL)
		return;
	fputs("\t<procgroups>\n", im->xml);
	for (e = im->ubb.entries; e != NULL; e = e->next)
		if (strcmp(e->section, "GROUPS") == 0 &&
		    im->n_groups < OW_IMPORT_GROUPS)
			take_group(im, e);
	fputs("\t</procgroups>\n", im->xml);
}
