/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - import the groups of a UBBCONFIG
 *
 * Groups of other machines are left out, with their servers.
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/setup/folder.h"
#include "clients/xadmin/import/import.h"

static long number(struct ow_ubb_entry *e, const char *key, long otherwise)
{
	const char *value = ow_ubb_value(e, key);

	return value != NULL && atol(value) > 0 ? atol(value) : otherwise;
}

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
static bool is_remote(const struct ow_import *im, const char *lmid)
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

	if (ow_import_group(im, e->name) != NULL)
		ow_import_refuse(im, e, "GROUPS %s: the group is there already, "
				 "in line %u", e->name,
				 ow_import_group(im, e->name)->entry->line);
	g->entry = e;
	g->remote = is_remote(im, lmid);
	g->grpno = im->n_groups > 0 ? im->groups[im->n_groups - 1].grpno : 0;
	if (g->remote) {
		ow_import_say(im, OW_IMPORT_NONE, e, "LMID=%s: another "
			      "machine, left out", lmid);
		ow_import_use_up(e);
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

	if (ow_import_section(im, "GROUPS") == NULL)
		return;
	fputs("\t<procgroups>\n", im->xml);
	for (e = im->ubb.entries; e != NULL; e = e->next)
		if (strcmp(e->section, "GROUPS") == 0 &&
		    im->n_groups < OW_IMPORT_GROUPS)
			take_group(im, e);
	fputs("\t</procgroups>\n", im->xml);
}
