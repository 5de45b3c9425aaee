/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - the interface between a command of xadmin and its function
 */
#include "clients/xadmin/command/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/command/near.h"
#include "libubf/base/printable.h"

/* ---- the table ---- */

const struct ow_cmd *ow_cmd_at(size_t i)
{
	const struct ow_cmd_group *const *g;

	for (g = ow_cmd_groups; *g != NULL; g++) {
		if (i < (*g)->n)
			return &(*g)->rows[i];
		i -= (*g)->n;
	}
	return NULL;
}

const struct ow_cmd *ow_cmd_find(const char *name)
{
	const struct ow_cmd *c;
	size_t i;

	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++)
		if (strcmp(c->name, name) == 0 ||
		    (c->alias != NULL && strcmp(c->alias, name) == 0) ||
		    (c->alias2 != NULL && strcmp(c->alias2, name) == 0))
			return c;
	return NULL;
}

const struct ow_cmd *ow_cmd_suggest(const char *name)
{
	const struct ow_cmd *c, *best = NULL;
	int d, min = strlen(name) > 4 ? 3 : 2;
	size_t i;

	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++) {
		if (strlen(name) >= 3 &&
		    strncmp(c->name, name, strlen(name)) == 0)
			d = 1;
		else
			d = ow_near_distance(name, c->name);
		if (d < min) {
			min = d;
			best = c;
		}
	}
	return best;
}

const char *ow_cmd_synopsis(const struct ow_cmd *cmd, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s", cmd->name,
		 *cmd->synopsis != '\0' ? " " : "", cmd->synopsis,
		 cmd->json ? " [--json | --csv] [--watch[=SECONDS]] [--wide]"
			   : "");
	return buf;
}

/* ---- options ---- */

bool ow_args_has(const struct ow_args *a, int opt)
{
	int i;

	for (i = 0; i < a->n_opts; i++)
		if (a->opts[i].opt == opt)
			return true;
	return false;
}

const char *ow_args_value(const struct ow_args *a, int opt)
{
	int i;

	for (i = a->n_opts - 1; i >= 0; i--)
		if (a->opts[i].opt == opt)
			return a->opts[i].value;
	return NULL;
}

/* ---- messages ---- */

static void complain(const struct ow_args *a, const char *fmt, va_list ap)
{
	char *text = NULL;

	fflush(stdout);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	ow_print(stderr, "xadmin: %s: %s\n", a->cmd->name,
		 text != NULL ? text : "no memory");
	free(text);
}

int ow_cmd_fail(const struct ow_args *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(a, fmt, ap);
	va_end(ap);
	return OW_EXIT_FAILED;
}

int ow_cmd_misused(const struct ow_args *a, const char *fmt, ...)
{
	char synopsis[OW_SYNOPSIS_LEN];
	va_list ap;

	va_start(ap, fmt);
	complain(a, fmt, ap);
	va_end(ap);
	fprintf(stderr, "usage: %s    (`help %s` explains)\n",
		ow_cmd_synopsis(a->cmd, synopsis, sizeof(synopsis)),
		a->cmd->name);
	return OW_EXIT_USAGE;
}
