/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managers.c - import the resource managers of groups, and their queue spaces
 *
 * A group with OPENINFO has a resource manager, whose number here is that of the
 * group. Its TMS becomes a tmsrv: the program TMSNAME, which buildtms makes anew; for
 * queue spaces tmsrv itself with their driver. The null TMS has no resource manager:
 * one tmsrv coordinates for all such groups.
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"
#include "libndrx/config/config.h"

#define TMS_ID	   60000 /* plus the number of the group */
#define TMS_THREADS 10	 /* what a tmsrv has anyway */
#define RES_ID_MAX 255
#define QUEUES	   "TUXEDO/QM:"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* "": it has none. */
static const char *open_info(const struct ow_import_group *g)
{
	const char *info = ow_ubb_value(g->entry, "OPENINFO");

	return info != NULL && strcmp(info, "NONE") != 0 ? info : "";
}

static bool is_of_queues(const char *info)
{
	return strncmp(info, QUEUES, strlen(QUEUES)) == 0;
}

bool ow_import_has_manager(const struct ow_import_group *g)
{
	return g != NULL && g->grpno > 0 && g->grpno <= RES_ID_MAX &&
	       *open_info(g) != '\0';
}

/* `own`: not of the file, ${NAME} in it is a variable. */
static void put_variable(struct ow_import *im, const char *name,
			 const char *value, bool own)
{
	fputs("\t\t\t\t<env", im->xml);
	ow_import_put_attribute(im, "name", name);
	fputs(">", im->xml);
	ow_config_text_put(im->xml, value, !own);
	fputs("</env>\n", im->xml);
}

/* What follows the name of the resource manager. */
static const char *behind_name(const char *info)
{
	const char *colon = strchr(info, ':');

	return colon != NULL ? colon + 1 : "";
}

void ow_import_put_manager(struct ow_import *im,
			   const struct ow_import_group *g)
{
	const char *info, *close, *space;
	char text[128];

	if (!ow_import_has_manager(g))
		return;
	info = open_info(g);
	close = ow_ubb_value(g->entry, "CLOSEINFO");
	snprintf(text, sizeof(text), "%d", g->grpno);
	put_variable(im, "NDRX_XA_RES_ID", text, true);
	if (is_of_queues(info)) {
		space = strrchr(info, ':') + 1;
		snprintf(text, sizeof(text), "datadir=\"${NDRX_APPHOME}/qdata\","
					     "qspace=\"%.32s\"", space);
		put_variable(im, "NDRX_XA_OPEN_STR", text, true);
		put_variable(im, "NDRX_XA_DRIVERLIB", "libndrxxaqdisk.so",
			     true);
		return;
	}
	put_variable(im, "NDRX_XA_OPEN_STR", behind_name(info), false);
	if (close != NULL && *behind_name(close) != '\0')
		put_variable(im, "NDRX_XA_CLOSE_STR", behind_name(close),
			     false);
}

/* ---- the tmsrv of a group ---- */

static void put_tms(struct ow_import *im, const struct ow_import_group *g,
		    const char *name, long count)
{
	char threads[32];

	fputs("\t\t<server", im->xml);
	ow_import_put_attribute(im, "name", base_name(name));
	fprintf(im->xml, ">\n\t\t\t<srvid>%d</srvid>\n\t\t\t<min>1</min>\n"
			 "\t\t\t<max>1</max>\n", TMS_ID + g->grpno);
	if (strchr(name, '/') != NULL)
		ow_import_put_element(im, "fullpath", name);
	if (count > TMS_THREADS) {
		snprintf(threads, sizeof(threads), "-p %ld", count);
		ow_import_put_element(im, "appopt", threads);
	}
	fputs("\t\t\t<respawn>Y</respawn>\n", im->xml);
	fprintf(im->xml, "\t\t\t<procgrp>%s</procgrp>\n", g->entry->name);
	if (ow_import_has_manager(g)) {
		fputs("\t\t\t<envs>\n", im->xml);
		ow_import_put_manager(im, g);
		fputs("\t\t\t</envs>\n", im->xml);
	}
	fputs("\t\t</server>\n", im->xml);
}

static void say_info(struct ow_import *im, const struct ow_import_group *g,
		     const char *info)
{
	int n = (int)strcspn(info, ":");

	if (is_of_queues(info))
		ow_import_say(im, OW_IMPORT_TAKEN, g->entry, "OPENINFO=%s: "
			      "the queue space of tmqueue", info);
	else
		ow_import_say(im, OW_IMPORT_LOOK, g->entry, "OPENINFO=%.*s:...: "
			      "NDRX_XA_OPEN_STR of resource manager %d, also "
			      "for the group's servers. Passwords in it stand "
			      "in conf/ndrxconfig.xml now", n, info, g->grpno);
}

static void take_manager(struct ow_import *im, const struct ow_import_group *g)
{
	const char *name = ow_ubb_value(g->entry, "TMSNAME");
	const char *count = ow_ubb_value(g->entry, "TMSCOUNT");
	const char *info = open_info(g), *program = name;
	bool null = name != NULL && strcmp(base_name(name), "TMS") == 0;

	if (*info != '\0' && !ow_import_has_manager(g)) {
		ow_import_say(im, OW_IMPORT_LOOK, g->entry, "OPENINFO of group "
			      "number %d: resource managers have numbers up "
			      "to %d; write the entry by hand: `man tmsrv`",
			      g->grpno, RES_ID_MAX);
		return;
	}
	if (*info != '\0')
		say_info(im, g, info);
	if (name == NULL || *name == '\0')
		return;
	if (null || is_of_queues(info))
		program = "tmsrv";
	ow_import_say(im, program == name ? OW_IMPORT_LOOK : OW_IMPORT_TAKEN,
		      g->entry, "TMSNAME=%s%s%s: %s%s", name,
		      count != NULL ? " TMSCOUNT=" : "",
		      count != NULL ? count : "",
		      program == name ? "build it anew with buildtms; "
				      : "tmsrv; ",
		      "one process has threads for all");
	if (null && *info == '\0' && im->has_coordinator)
		return;
	im->has_coordinator = im->has_coordinator || (null && *info == '\0');
	put_tms(im, g, program, count != NULL ? atol(count) : 0);
}

void ow_import_managers(struct ow_import *im)
{
	size_t i;

	for (i = 0; i < im->n_groups; i++)
		if (!im->groups[i].remote && im->groups[i].grpno > 0)
			take_manager(im, &im->groups[i]);
}

/* ---- queue spaces ---- */

/* The name is behind the last colon of OPENINFO, or, without it, what -s of the
 * server makes of TMQUEUE: "" if neither says. */
static void find_space(struct ow_import *im, struct ow_ubb_entry *server,
		       char name[OW_IMPORT_SPACE_LEN])
{
	const struct ow_import_group *g =
	    ow_import_group(im, ow_ubb_value(server, "SRVGRP"));
	const char *info = g != NULL ? open_info(g) : "";
	const char *clopt = ow_ubb_value(server, "CLOPT"), *from;

	name[0] = '\0';
	if (is_of_queues(info))
		snprintf(name, OW_IMPORT_SPACE_LEN, "%s", strrchr(info, ':') + 1);
	from = clopt != NULL && name[0] == '\0' ? strstr(clopt, "-s") : NULL;
	if (from == NULL || strstr(from, ":TMQUEUE") == NULL)
		return;
	from += 2 + strspn(from + 2, " ");
	snprintf(name, OW_IMPORT_SPACE_LEN, "%.*s", (int)strcspn(from, ":,"),
		 from);
}

struct ow_import_space *ow_import_space(struct ow_import *im,
					struct ow_ubb_entry *server)
{
	struct ow_import_space *s = im->spaces;
	char name[OW_IMPORT_SPACE_LEN];

	find_space(im, server, name);
	if (name[0] == '\0') {
		ow_import_say(im, OW_IMPORT_LOOK, server, "its group has no "
			      "OPENINFO=\"TUXEDO/QM:DEVICE:SPACE\": left out; "
			      "write an entry for tmqueue: `man tmqueue`");
		return NULL;
	}
	while (s < im->spaces + im->n_spaces && strcmp(s->name, name) != 0)
		s++;
	if (s < im->spaces + im->n_spaces)
		return s;
	if (im->n_spaces == OW_IMPORT_SPACES) {
		ow_import_say(im, OW_IMPORT_LOOK, server, "more than %d queue "
			      "spaces: left out", OW_IMPORT_SPACES);
		return NULL;
	}
	s->queues = open_memstream(&s->text, &s->len);
	if (s->queues == NULL)
		return NULL;
	im->n_spaces++;
	snprintf(s->name, sizeof(s->name), "%s", name);
	fputs("# Queues of the space; the line @ is for all that have none of "
	      "their own: `man tmqueue`\n@,svcnm=-,autoq=n,tries=3\n",
	      s->queues);
	return s;
}
