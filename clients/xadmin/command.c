/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - take a command line apart and run what it names
 */
#include "clients/xadmin/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger than any distance that would be a likely slip of the fingers. */
#define FAR 99

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

static int least(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Single-character edits (a swap of neighbours is one) from a to b. */
static int distance(const char *a, const char *b)
{
	int row[3][32] = { { 0 } };
	int la = (int)strlen(a), lb = (int)strlen(b), i, j;

	if (la >= 32 || lb >= 32)
		return FAR;
	for (j = 0; j <= lb; j++)
		row[0][j] = j;
	for (i = 1; i <= la; i++) {
		int *cur = row[i % 3], *prev = row[(i + 2) % 3];
		const int *before = row[(i + 1) % 3];

		cur[0] = i;
		for (j = 1; j <= lb; j++) {
			cur[j] = least(prev[j] + 1, cur[j - 1] + 1,
				       prev[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && before[j - 2] + 1 < cur[j])
				cur[j] = before[j - 2] + 1;
		}
	}
	return row[la % 3][lb];
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
			d = distance(name, n);
		if (d < min) {
			min = d;
			best = &ow_commands[i];
		}
	}
	return best;
}

/* ---- words ---- */

/* One word from *in to *out. False: a quote is not closed. */
static bool take_word(const char **in, char **out)
{
	char quote = '\0';
	const char *s = *in;
	char *o = *out;

	for (; *s != '\0' && (quote != '\0' || strchr(" \t\r\n", *s) == NULL);
	     s++) {
		if (quote == '\0' && (*s == '"' || *s == '\''))
			quote = *s;
		else if (*s == quote)
			quote = '\0';
		else if (*s == '\\' && quote != '\'' && s[1] != '\0')
			*o++ = *++s;
		else
			*o++ = *s;
	}
	*o++ = '\0';
	*in = s;
	*out = o;
	return quote == '\0';
}

int ow_cmd_split(const char *line, char *buf, size_t size, char **argv)
{
	int n = 0;

	if (strlen(line) + 1 > size)
		return -E2BIG;
	for (;;) {
		line += strspn(line, " \t\r\n");
		if (*line == '\0' || *line == '#')
			break;
		if (n + 1 >= OW_ARGS_MAX)
			return -E2BIG;
		argv[n++] = buf;
		if (!take_word(&line, &buf))
			return -EINVAL;
	}
	argv[n] = NULL;
	return n;
}

/* ---- options ---- */

static void say_usage(const struct ow_cmd *cmd)
{
	fprintf(stderr, "usage: %s%s%s%s    (`help %s` explains)\n", cmd->name,
		*cmd->synopsis != '\0' ? " " : "", cmd->synopsis,
		cmd->json ? " [--json]" : "", cmd->name);
}

static bool take_options(const struct ow_cmd *cmd, int argc, char **argv,
			 struct ow_args *a)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 1 },
		{ "help", no_argument, NULL, 2 },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	optind = 0; /* start afresh: several command lines in one process */
	opterr = 0;
	while ((c = getopt_long(argc, argv, cmd->options, longs, NULL)) != -1) {
		if (c == '?' || c == ':' || c == 2 || (c == 1 && !cmd->json)) {
			if (c != 2)
				fprintf(stderr,
					"xadmin: %s: %s: no such option, or "
					"its value is missing\n",
					cmd->name, argv[optind - 1]);
			say_usage(cmd);
			return false;
		}
		if (c == 1) {
			a->json = true;
			continue;
		}
		a->opts[a->n_opts].opt = c;
		a->opts[a->n_opts].value = optarg;
		a->n_opts++;
		if (a->n_opts == OW_ARGS_MAX) {
			fprintf(stderr, "xadmin: too many options\n");
			return false;
		}
	}
	a->rest = argv + optind;
	a->n_rest = argc - optind;
	return true;
}

bool ow_args_parse(const struct ow_cmd *cmd, int argc, char **argv,
		   struct ow_args *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->cmd = cmd;
	if (cmd->raw) {
		ret->rest = argv + 1;
		ret->n_rest = argc - 1;
		return true;
	}
	if (!take_options(cmd, argc, argv, ret))
		return false;
	if (cmd->max_rest >= 0 && ret->n_rest > cmd->max_rest) {
		fprintf(stderr, "xadmin: %s: %s: what is this for?\n",
			cmd->name, ret->rest[cmd->max_rest]);
		say_usage(cmd);
		return false;
	}
	return true;
}

const char *ow_args_value(const struct ow_args *a, int opt)
{
	int i;

	for (i = a->n_opts - 1; i >= 0; i--)
		if (a->opts[i].opt == opt)
			return a->opts[i].value;
	return NULL;
}

bool ow_args_has(const struct ow_args *a, int opt)
{
	int i;

	for (i = 0; i < a->n_opts; i++)
		if (a->opts[i].opt == opt)
			return true;
	return false;
}

unsigned int ow_args_srvid(const struct ow_args *a, const char *text)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end != '\0' || v < 1 || v > 65535) {
		ow_cmd_fail(a, "-i %s: want a server id, 1 to 65535", text);
		return 0;
	}
	return (unsigned int)v;
}

bool ow_cmd_has_option(const struct ow_cmd *cmd, int opt)
{
	return !cmd->raw && opt != ':' && strchr(cmd->options, opt) != NULL;
}

/* ---- running ---- */

int ow_cmd_fail(const struct ow_args *a, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "xadmin: %s: ", a->cmd->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	putc('\n', stderr);
	return OW_EXIT_FAILED;
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

int ow_cmd_run(struct ow_xadmin *x, int argc, char **argv)
{
	const struct ow_cmd *cmd = ow_cmd_find(argv[0]);
	struct ow_args a;
	int r;

	if (cmd == NULL) {
		const struct ow_cmd *near = ow_cmd_suggest(argv[0]);

		fprintf(stderr, "xadmin: %s: unknown command", argv[0]);
		if (near != NULL)
			fprintf(stderr, ", did you mean `%s`?\n", near->name);
		else
			fprintf(stderr, "; `help` lists them\n");
		return OW_EXIT_UNKNOWN;
	}
	if (!ow_args_parse(cmd, argc, argv, &a))
		return OW_EXIT_FAILED;
	a.x = x;
	r = cmd->run(&a);
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
