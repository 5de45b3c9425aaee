/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - find and run the command that a line names
 */
#include "clients/xadmin/command/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/command/elsewhere.h"
#include "clients/xadmin/command/near.h"
#include "clients/xadmin/command/watch.h"

static bool is_named(const struct ow_cmd *c, const char *name)
{
	return strcmp(c->name, name) == 0 ||
	       (c->alias != NULL && strcmp(c->alias, name) == 0) ||
	       (c->alias2 != NULL && strcmp(c->alias2, name) == 0);
}

const struct ow_cmd *ow_cmd_find(const char *name)
{
	size_t i;

	for (i = 0; i < ow_commands_count; i++)
		if (is_named(&ow_commands[i], name))
			return &ow_commands[i];
	return NULL;
}

const struct ow_cmd *ow_cmd_suggest(const char *name)
{
	const struct ow_cmd *best = NULL;
	int d, min = strlen(name) > 4 ? 3 : 2;
	size_t i;

	for (i = 0; i < ow_commands_count; i++) {
		const char *n = ow_commands[i].name;

		if (strlen(name) >= 3 && strncmp(n, name, strlen(name)) == 0)
			d = 1;
		else
			d = ow_near_distance(name, n);
		if (d < min) {
			min = d;
			best = &ow_commands[i];
		}
	}
	return best;
}

/* ---- running ---- */

static void complain(const struct ow_args *a, const char *fmt, va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "xadmin: %s: ", a->cmd->name);
	vfprintf(stderr, fmt, ap);
	putc('\n', stderr);
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
		ow_args_synopsis(a->cmd, synopsis, sizeof(synopsis)),
		a->cmd->name);
	return OW_EXIT_USAGE;
}

bool ow_cmd_sure(const struct ow_args *a)
{
	char answer[64];

	if (ow_args_has(a, 'y'))
		return true;
	fprintf(stderr, "Are you sure? (y/n) ");
	fflush(stderr);
	if (fgets(answer, sizeof(answer), stdin) == NULL) {
		putc('\n', stderr);
		answer[0] = 'n';
	}
	if (answer[0] == 'y' || answer[0] == 'Y')
		return true;
	fprintf(stderr, "%s: not done (-y answers yes)\n", a->cmd->name);
	return false;
}

static int fail_unknown(const char *name)
{
	const struct ow_cmd *near = ow_cmd_suggest(name);
	const char *why = ow_elsewhere(name);

	if (why != NULL)
		fprintf(stderr, "xadmin: %s: %s\n", name, why);
	else if (near != NULL)
		fprintf(stderr, "xadmin: %s: unknown command, did you mean "
			"`%s`?\n", name, near->name);
	else
		fprintf(stderr, "xadmin: %s: unknown command; `help` lists "
			"them\n", name);
	return OW_EXIT_UNKNOWN;
}

int ow_cmd_run(struct ow_xadmin *x, int argc, char **argv)
{
	const struct ow_cmd *cmd = ow_cmd_find(argv[0]);
	struct ow_args a;
	int r;

	if (cmd == NULL)
		return fail_unknown(argv[0]);
	if (!ow_args_parse(cmd, argc, argv, &a)) {
		char *help[] = { (char *)"help", (char *)cmd->name, NULL };

		return a.help ? ow_cmd_run(x, 2, help) : OW_EXIT_USAGE;
	}
	x->term = ow_term_ask();
	a.x = x;
	r = a.watch_ms > 0 ? ow_watch_run(&a) : cmd->run(&a);
	if (fflush(stdout) != 0 && r == OW_EXIT_OK)
		r = ow_cmd_fail(&a, "standard output: %s", strerror(errno));
	return r;
}

int ow_cmd_run_line(struct ow_xadmin *x, const char *line)
{
	char buf[OW_WORDS_LEN];
	char *argv[OW_ARGS_MAX];
	int n = ow_cmd_split(line, buf, sizeof(buf), argv);

	if (n == 0)
		return OW_EXIT_OK;
	if (n < 0) {
		fprintf(stderr, "xadmin: %s\n",
			n == -EINVAL ? "a quote is not closed"
				     : "the line is too long");
		return OW_EXIT_FAILED;
	}
	return ow_cmd_run(x, n, argv);
}
