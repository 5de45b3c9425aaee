/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_v.c - svmaps, svqids, svsemids: System V objects, of which there are
 * none
 *
 * Scripts written for other runtimes call these commands.
 */
#include "clients/xadmin/list/list.h"

#include <stdio.h>
#include <string.h>

static const struct ow_column svmaps_columns[] = {
	{ "SLOT", 6, OW_COLUMN_RIGHT },
	{ "MSGID", 10, OW_COLUMN_RIGHT },
	{ "FLAGS", 5, 0 },
	{ "CTIME", 20, OW_COLUMN_RIGHT },
	{ "Q NAME", 30, 0 },
	{ NULL, 0, 0 },
};

int ow_list_system_v(struct ow_args *a)
{
	struct ow_listing l;

	if (strcmp(a->cmd->name, "svmaps") == 0 || a->form.json) {
		if (ow_listing_begin(&l, &a->form, svmaps_columns) != 0)
			return ow_cmd_fail(a, "no memory");
		ow_listing_end(&l);
	}
	fflush(stdout);
	fprintf(stderr, "No System V queues and semaphores are used; `pqa` "
			"lists the queues, `shms` the memory.\n");
	return OW_EXIT_OK;
}
