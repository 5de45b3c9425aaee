/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optsv.c - a server that parses its own options, in the way OPTSV names
 *
 * getopt, again (sets optind to 1 before), plus (stops at the first word),
 * long (getopt_long), argp, rest (reads argv[optind], without a parser).
 * Service OPTIONS returns what tpsvrinit() found: NAME=VALUE of each option,
 * then the words that are no options.
 */
#include <argp.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atmi.h>

static char found[1024];

static void note(const char *name, const char *value)
{
	size_t n = strlen(found);

	snprintf(found + n, sizeof(found) - n, "%s%s%s%s", n > 0 ? " " : "",
		 name, *name != '\0' ? "=" : "",
		 value != NULL ? value : "yes");
}

static void note_message(int c, const char *value)
{
	const char name[2] = { (char)c, '\0' };

	note(name, value);
}

static void note_rest(int argc, char **argv, int i)
{
	for (; i < argc; i++)
		note("", argv[i]);
}

static int with_getopt(int argc, char **argv, const char *letters)
{
	int c;

	while ((c = getopt(argc, argv, letters)) != -1)
		note_message(c, optarg);
	note_rest(argc, argv, optind);
	return 0;
}

static int with_getopt_long(int argc, char **argv)
{
	static const struct option options[] = {
		{ "service", required_argument, NULL, 's' },
		{ "workers", required_argument, NULL, 'w' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "s:w:v", options, NULL)) != -1)
		note_message(c, optarg);
	note_rest(argc, argv, optind);
	return 0;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	(void)state;
	if (key == ARGP_KEY_ARG)
		note("", arg);
	else if (key == 's' || key == 'w' || key == 'v')
		note_message(key, arg);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static int with_argp(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "service", 's', "NAME", 0, NULL, 0 },
		{ "workers", 'w', "N", 0, NULL, 0 },
		{ "verbose", 'v', NULL, 0, NULL, 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	static const struct argp argp = { options, take, NULL, NULL,
					  NULL,	   NULL, NULL };

	return argp_parse(&argp, argc, argv, ARGP_NO_EXIT, NULL, NULL);
}

static void options(TPSVCINFO *svc)
{
	char *b = tpalloc("STRING", NULL, (long)sizeof(found));

	(void)svc;
	strcpy(b, found);
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	const char *way = getenv("OPTSV");
	int r = -1;

	if (way == NULL)
		return -1;
	if (strcmp(way, "again") == 0)
		optind = 1;
	if (strcmp(way, "getopt") == 0 || strcmp(way, "again") == 0)
		r = with_getopt(argc, argv, "s:w:v");
	else if (strcmp(way, "plus") == 0)
		r = with_getopt(argc, argv, "+s:w:v");
	else if (strcmp(way, "long") == 0)
		r = with_getopt_long(argc, argv);
	else if (strcmp(way, "argp") == 0)
		r = with_argp(argc, argv);
	else if (strcmp(way, "rest") == 0)
		r = 0;
	if (strcmp(way, "rest") == 0)
		note_rest(argc, argv, optind);
	return r == 0 ? tpadvertise("OPTIONS", options) : r;
}

void tpsvrdone(void)
{
}
