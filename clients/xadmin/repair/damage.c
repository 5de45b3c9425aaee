/* SPDX-License-Identifier: Apache-2.0 */
/*
 * damage.c - repair: what damaged files have lost, and the word to go on
 *
 * The servers that own the files do the work; they do nothing without this word
 * (libndrx/storage/damage.h).
 */
#include "clients/xadmin/repair/repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/storage/damage.h"

struct reports {
	struct ow_args *a;
	bool accept;
	int n, failed;
};

/* Is it one of those that were named? Without names all are. */
static bool is_wanted(const struct ow_args *a, const char *report)
{
	int i;

	for (i = 0; i < a->n_rest; i++)
		if (strncmp(report, a->rest[i], strlen(a->rest[i])) == 0)
			return true;
	return a->n_rest == 0;
}

static void show(const char *report, void *arg)
{
	struct reports *rs = arg;
	char *text;
	int r;

	if (!is_wanted(rs->a, report))
		return;
	rs->n++;
	text = ow_damage_read(report);
	printf("%s", text != NULL ? text : "a report that cannot be read\n");
	free(text);
	if (!rs->accept)
		return;
	r = ow_damage_accept(report);
	rs->failed += r != 0;
	if (r != 0)
		ow_cmd_fail(rs->a, "%s: %s", report, strerror(-r));
	else
		printf("accepted: its server goes on with what is kept when it "
		       "is started\n");
}

int ow_repair_damage(struct ow_args *a)
{
	struct reports rs = { .a = a };

	(void)ow_damage_each(show, &rs);
	if (rs.n == 0) {
		printf("no damage was reported: tmsrv and tmqueue look at their "
		       "files when they start\n");
		return OW_EXIT_OK;
	}
	if (!ow_args_has(a, 'a')) {
		printf("to go on without what is lost: xadmin repair -a\n");
		return OW_EXIT_FAILED;
	}
	if (!ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	rs.accept = true;
	rs.n = 0;
	(void)ow_damage_each(show, &rs);
	return rs.failed == 0 ? OW_EXIT_OK : OW_EXIT_FAILED;
}
