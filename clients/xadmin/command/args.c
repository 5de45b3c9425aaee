/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - take a command line apart: words, options, their values
 *
 * The options of every listing (--json, --csv, --wide, --narrow,
 * --watch) and --help are
 * read here, for all commands.
 */
#include "clients/xadmin/command/args.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/env.h"
#include "libatmi/base/words.h"

#define WATCH_MS     2000 /* --watch without a time */
#define WATCH_MS_MAX (24 * 3600 * 1000)

enum long_option {
	LONG_JSON = 1,
	LONG_CSV,
	LONG_WIDE,
	LONG_NARROW,
	LONG_WATCH,
	LONG_HELP,
};

/* ---- words ---- */

int ow_args_split(const char *line, char *buf, size_t size, char **argv)
{
	/* As a shell splits, without its expansions. */
	static const struct ow_words dialect = {
		.separators = " \t\r\n",
		.comment = '#',
		.outside = OW_WORDS_ESCAPE,
		.in_double = OW_WORDS_ESCAPE,
	};
	int r, n = 0;

	r = ow_words_split(&dialect, line, buf, size, argv, OW_ARGS_MAX, &n);
	return r == 0 ? n : r > 0 ? -EINVAL : r;
}

/* ---- options ---- */

const struct option *ow_args_longs(const struct ow_cmd *cmd)
{
	static const struct option listing[] = {
		{ "json", no_argument, NULL, LONG_JSON },
		{ "csv", no_argument, NULL, LONG_CSV },
		{ "wide", no_argument, NULL, LONG_WIDE },
		{ "narrow", no_argument, NULL, LONG_NARROW },
		{ "watch", optional_argument, NULL, LONG_WATCH },
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct option cluster[] = {
		{ "cluster", no_argument, NULL, OW_ARGS_CLUSTER },
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct option both[] = {
		{ "json", no_argument, NULL, LONG_JSON },
		{ "csv", no_argument, NULL, LONG_CSV },
		{ "wide", no_argument, NULL, LONG_WIDE },
		{ "narrow", no_argument, NULL, LONG_NARROW },
		{ "watch", optional_argument, NULL, LONG_WATCH },
		{ "cluster", no_argument, NULL, OW_ARGS_CLUSTER },
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct option drain[] = {
		{ "drain", no_argument, NULL, OW_ARGS_DRAIN },
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct option stuck[] = {
		{ "json", no_argument, NULL, LONG_JSON },
		{ "csv", no_argument, NULL, LONG_CSV },
		{ "wide", no_argument, NULL, LONG_WIDE },
		{ "narrow", no_argument, NULL, LONG_NARROW },
		{ "watch", optional_argument, NULL, LONG_WATCH },
		{ "stuck", no_argument, NULL, OW_ARGS_STUCK },
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct option machine[] = {
		{ "machine", required_argument, NULL, OW_ARGS_MACHINE },
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct option other[] = {
		{ "help", no_argument, NULL, LONG_HELP },
		{ NULL, 0, NULL, 0 },
	};

	if (cmd->drain)
		return drain;
	if (cmd->json && cmd->cluster)
		return both;
	if (cmd->machine)
		return machine;
	if (cmd->stuck)
		return stuck;
	return cmd->json ? listing : cmd->cluster ? cluster : other;
}

static bool take_watch(struct ow_args *a, const char *text)
{
	uint64_t ms = WATCH_MS;

	if (text != NULL && (ow_env_parse_ms(text, &ms) != 0 || ms < 50 ||
			     ms > WATCH_MS_MAX)) {
		ow_cmd_misused(a, "--watch=%s: give a time from 0.05 seconds "
				  "to a day, such as 1, 0.5 or 500ms", text);
		return false;
	}
	a->watch_ms = (int)ms;
	return true;
}

static bool take_long(struct ow_args *a, int c, const char *value)
{
	switch (c) {
	case LONG_CSV:
		a->form.csv = true;
		/* fall through */
	case LONG_JSON:
		a->form.json = true;
		return true;
	case LONG_WIDE:
		a->form.wide = true;
		return true;
	case LONG_NARROW:
		a->form.narrow = true;
		return true;
	case LONG_WATCH:
		return take_watch(a, value);
	default:
		a->help = true; /* the caller prints the help */
		return false;
	}
}

static bool take_short(struct ow_args *a, int c, const char *value)
{
	if (a->n_opts == OW_OPTS_MAX) {
		ow_cmd_misused(a, "too many options");
		return false;
	}
	/* Of a variable that is not set: it would mean all, or nothing. */
	if (value != NULL && *value == '\0') {
		ow_cmd_misused(a, "-%c has an empty value", c);
		return false;
	}
	/* The first one would mean nothing, and nobody would hear of it. */
	if (value != NULL && ow_args_has(a, c) &&
	    (a->cmd->many == NULL || strchr(a->cmd->many, c) == NULL)) {
		ow_cmd_misused(a, "-%c is given twice", c);
		return false;
	}
	a->opts[a->n_opts].opt = c;
	a->opts[a->n_opts].value = value;
	a->n_opts++;
	return true;
}

/* getopt() returned `c` for a wrong word. */
static bool refuse(const struct ow_args *a, int c, char **argv)
{
	const char *word = argv[optind - 1];

	if (c == ':')
		ow_cmd_misused(a, "-%c needs a value", optopt);
	else if (optopt > ' ' && strncmp(word, "--", 2) != 0)
		ow_cmd_misused(a, "no option -%c", optopt);
	else
		ow_cmd_misused(a, "no option %s", word);
	return false;
}

static bool take_options(struct ow_args *a, int argc, char **argv)
{
	const struct option *longs = ow_args_longs(a->cmd);
	char shorts[64];
	int c;

	/* With ':' in front, getopt() returns ':' for a missing value. */
	snprintf(shorts, sizeof(shorts), ":%s", a->cmd->options);
	optind = 0; /* begin again: several command lines in one process */
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return refuse(a, c, argv);
		if (c <= LONG_HELP ? !take_long(a, c, optarg)
				   : !take_short(a, c, optarg))
			return false;
	}
	a->rest = argv + optind;
	a->n_rest = argc - optind;
	return true;
}

/* A word may be that of a variable that is not set: it would mean all. */
static bool check_rest(const struct ow_args *a)
{
	int i;

	if (a->cmd->max_rest >= 0 && a->n_rest > a->cmd->max_rest) {
		ow_cmd_misused(a, "%s: unexpected word",
			       a->rest[a->cmd->max_rest]);
		return false;
	}
	for (i = 0; i < a->n_rest; i++)
		if (a->rest[i][0] == '\0') {
			ow_cmd_misused(a, "an empty word");
			return false;
		}
	return true;
}

bool ow_args_parse(const struct ow_cmd *cmd, int argc, char **argv,
		   struct ow_args *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->cmd = cmd;
	ret->words = argv;
	ret->n_words = argc;
	if (cmd->raw) {
		ret->rest = argv + 1;
		ret->n_rest = argc - 1;
		return true;
	}
	return take_options(ret, argc, argv) && check_rest(ret);
}

unsigned int ow_args_srvid(const struct ow_args *a, const char *text)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end != '\0' || v < 1 || v > 65535) {
		ow_cmd_fail(a, "-i %s: give a server id, 1 to 65535", text);
		return 0;
	}
	return (unsigned int)v;
}
