/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help.c - help: list the commands, or explain one
 */
#include "clients/xadmin/session/session.h"

#include <stdio.h>
#include <string.h>

#include "clients/xadmin/command/others.h"

static void print_names(const struct ow_cmd *c)
{
	char names[64];

	snprintf(names, sizeof(names), "%s%s%s%s%s", c->name,
		 c->alias != NULL ? ", " : "",
		 c->alias != NULL ? c->alias : "",
		 c->alias2 != NULL ? ", " : "",
		 c->alias2 != NULL ? c->alias2 : "");
	printf("  %-18s %s\n", names, c->brief);
}

static void print_list(void)
{
	const char *group = "";
	const struct ow_cmd *c;
	size_t i;

	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++) {
		if (strcmp(group, c->group) != 0)
			printf("%s%s\n", i > 0 ? "\n" : "", c->group);
		group = c->group;
		print_names(c);
	}
	printf("\n`help COMMAND` explains one; listings take --json, --csv,\n"
	       "--watch, --wide, --narrow.\n");
}

int ow_session_help(struct ow_args *a)
{
	char synopsis[OW_SYNOPSIS_LEN];
	const struct ow_cmd *c;

	if (a->n_rest == 0) {
		print_list();
		return OW_EXIT_OK;
	}
	c = ow_cmd_find(a->rest[0]);
	if (c == NULL && ow_command_of_others(a->rest[0]) != NULL) {
		ow_cmd_fail(a, "%s: %s", a->rest[0],
			    ow_command_of_others(a->rest[0]));
		return OW_EXIT_UNKNOWN;
	}
	if (c == NULL) {
		c = ow_cmd_suggest(a->rest[0]);
		ow_cmd_fail(a, "%s: unknown command%s%s", a->rest[0],
			    c != NULL ? ", did you mean " : "",
			    c != NULL ? c->name : "");
		return OW_EXIT_UNKNOWN;
	}
	printf("%s\n  %s\n", ow_cmd_synopsis(c, synopsis, sizeof(synopsis)),
	       c->brief);
	if (c->alias != NULL)
		printf("  Also: %s%s%s\n", c->alias,
		       c->alias2 != NULL ? ", " : "",
		       c->alias2 != NULL ? c->alias2 : "");
	if (c->help != NULL)
		printf("\n%s\n", c->help);
	if (c->example != NULL)
		printf("\nExample:\n  %s\n", c->example);
	return OW_EXIT_OK;
}
