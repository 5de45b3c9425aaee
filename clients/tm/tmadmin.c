/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmadmin.c - tmadmin: the commands that operators of Tuxedo type every day
 *
 * A front of xadmin, tmboot and tmshutdown. Commands come from the prompt, or
 * one per line from standard input. Exit status 0: the last command worked; 1:
 * it did not; 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "clients/tm/chosen_servers.h"
#include "clients/tm/listings.h"
#include "clients/tm/run.h"
#include "libatmi/base/words.h"
#include "libubf/base/about.h"

#define LINE_SIZE 4096

/* A command: a function, or the program that does it with its first words, or
 * why there is nothing to do, or why there is none. */
struct command {
	const char *name, *alias;
	int (*list)(const char *const *words);
	const char *run[3];
	const char *done; /* there is nothing to do, and that is well */
	const char *why;
};

#define NO_DEVICE "nothing to do: there are no devices, files grow as needed"
#define NO_LOG "nothing to do: tmsrv makes its log when it starts"

#define NO_COPY "nothing to do: a folder of tmsrv is its log, copy that"

static int print_help(const char *const *words);
static int echo(const char *const *words);
static int set_nothing(const char *const *words);
static int look_after(const char *const *words);
static int broadcast(const char *const *words);

static const struct command commands[] = {
	{ .name = "printserver", .alias = "psr", .list = list_servers },
	{ .name = "printservice", .alias = "psc", .list = list_services },
	{ .name = "printqueue", .alias = "pq", .list = list_queues },
	{ .name = "printclient", .alias = "pclt", .list = list_clients },
	{ .name = "printgroup", .alias = "pg", .list = list_groups },
	{ .name = "boot", .alias = "b", .run = { "tmboot" } },
	{ .name = "shutdown", .alias = "stop", .run = { "tmshutdown" } },
	{ .name = "bbstats", .alias = "bbs", .run = { "xadmin", "shmcfg" } },
	{ .name = "bbparms", .alias = "bbp", .run = { "xadmin", "config" } },
	{ .name = "bbinternals", .alias = "bbi", .run = { "xadmin", "shms" } },
	{ .name = "bbclean", .alias = "bbc", .list = look_after },
	{ .name = "pclean", .alias = "pcl", .list = look_after },
	{ .name = "bbsread", .alias = "bbls", .run = { "xadmin", "stat" } },
	{ .name = "serverparms", .alias = "srp", .list = chosen_parameters },
	{ .name = "serviceparms", .alias = "scp", .list = list_services },
	{ .name = "advertise", .alias = "adv", .list = chosen_advertise },
	{ .name = "unadvertise", .alias = "unadv",
	  .list = chosen_unadvertise },
	{ .name = "broadcast", .alias = "bcst", .list = broadcast },
	{ .name = "suspend", .alias = "susp", .list = chosen_suspend },
	{ .name = "resume", .alias = "res", .list = chosen_resume },
	{ .name = "help", .alias = "h", .list = print_help },
	{ .name = "echo", .alias = "e", .list = echo },
	{ .name = "verbose", .alias = "v", .list = set_nothing },
	{ .name = "paginate", .alias = "page", .list = set_nothing },
	{ .name = "default", .alias = "d", .list = set_nothing },
	{ .name = "quit", .alias = "q" },
	{ .name = "crdl", .alias = "createdevicelist", .done = NO_DEVICE },
	{ .name = "indl", .alias = "initdevicelist", .done = NO_DEVICE },
	{ .name = "dsdl", .alias = "destroydevicelist", .done = NO_DEVICE },
	{ .name = "lidl", .alias = "listdevicelist", .done = NO_DEVICE },
	{ .name = "crlog", .alias = "createlog", .done = NO_LOG },
	{ .name = "inlog", .alias = "initlog", .done = NO_LOG },
	{ .name = "dslog", .alias = "destroylog", .done = NO_LOG },
	{ .name = "livtoc", .alias = "listvtoc", .done = NO_DEVICE },
	{ .name = "dumptlog", .alias = "dl", .done = NO_COPY },
	{ .name = "loadtlog", .alias = "ltl", .done = NO_COPY },
	{ .name = "printtrans", .alias = "pt",
	  .run = { "xadmin", "printtrans" } },
	{ .name = "committrans", .alias = "commit",
	  .why = "`xadmin committrans` does it, by what printtrans shows" },
	{ .name = "aborttrans", .alias = "abort",
	  .why = "`xadmin aborttrans` does it, by what printtrans shows" },
	{ .name = "printconn", .alias = "pc",
	  .why = "a conversation is between two programs: there is no list" },
	{ .name = "printnet", .alias = "pnw",
	  .why = "a domain is one machine: there is no network in it" },
	{ .name = "reconnect", .alias = "rco",
	  .why = "a domain is one machine: there is no network in it" },
	{ .name = "master", .alias = "m",
	  .why = "a domain is one machine: it is its master" },
	{ .name = "migrategroup", .alias = "migg",
	  .why = "a domain is one machine: nothing can migrate" },
	{ .name = "changepriority", .alias = "chp",
	  .why = "change <services prio> and type `xadmin reload`" },
	{ .name = "changeload", .alias = "chl",
	  .why = "the servers of a service share its queue: there is no load "
		 "factor" },
	{ .name = "changetrantime", .alias = "chtt",
	  .why = "tpbegin() says the time of a transaction" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int print_help(const char *const *words)
{
	(void)words;
	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i].why == NULL)
			printf("%s (%s)\n", commands[i].name,
			       commands[i].alias);
	return 0;
}

static int echo(const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", words[i]);
	putchar('\n');
	return 0;
}

/* Listings are never cut, pages are the terminal's, and each command names
 * what it is about. */
static int set_nothing(const char *const *words)
{
	(void)words;
	return 0;
}

/* ndrxd cleans up by itself; what is left is shown. The machine, which may be
 * named, is this one. */
static int look_after(const char *const *words)
{
	static const char *const doctor[] = { "xadmin", "doctor", NULL };

	(void)words;
	return run_program(doctor, NULL, NULL) == 0 ? 0 : 1;
}

/* A text to the clients that are chosen, as an unsolicited message; of a machine, a
 * user, a name. */
static int broadcast(const char *const *words)
{
	char *to[3] = { NULL, NULL, NULL }, *text;
	static const char letters[] = "muc";
	size_t size = 1;
	const char *at;
	int i, r;

	for (; *words != NULL && **words == '-' && words[1] != NULL; words += 2) {
		at = strchr(letters, words[0][1]);
		if (words[0][1] == '\0' || at == NULL)
			break;
		to[at - letters] = (char *)words[1];
	}
	if (*words == NULL || **words == '-') {
		fputs("usage: broadcast [-m LMID] [-u user] [-c client] text\n",
		      stderr);
		return 1;
	}
	for (i = 0; words[i] != NULL; i++)
		size += strlen(words[i]) + 1;
	text = tpalloc((char *)"STRING", NULL, (long)size);
	if (text != NULL)
		*text = '\0';
	for (i = 0; text != NULL && words[i] != NULL; i++)
		strcat(strcat(text, i > 0 ? " " : ""), words[i]);
	r = text != NULL ? tpbroadcast(to[0], to[1], to[2], text, 0, 0) : -1;
	if (r != 0)
		fprintf(stderr, "tmadmin: broadcast: %s\n", tpstrerror(tperrno));
	tpfree(text);
	tpterm();
	return r == 0 ? 0 : 1;
}

/* ---- one command ---- */

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0 ||
		    strcmp(commands[i].alias, name) == 0)
			return &commands[i];
	return NULL;
}

/* Run the program of the command with the words behind its name. */
static int run_with(const struct command *c, const char *const *words)
{
	const char *all[RUN_WORDS];
	int n = 0, i;

	for (i = 0; c->run[i] != NULL; i++)
		all[n++] = c->run[i];
	for (i = 0; words[i] != NULL && n < RUN_WORDS - 1; i++)
		all[n++] = words[i];
	all[n] = NULL;
	return run_program(all, NULL, NULL);
}

/* -1: quit. */
static int run_words(const char *const *words)
{
	const struct command *c = find(words[0]);

	if (c == NULL) {
		fprintf(stderr, "tmadmin: %s: no such command; `help` lists "
				"them, xadmin has more\n", words[0]);
		return 1;
	}
	if (strcmp(c->name, "quit") == 0)
		return -1;
	if (c->why != NULL) {
		fprintf(stderr, "tmadmin: %s: %s\n", c->name, c->why);
		return 1;
	}
	if (c->done != NULL)
		printf("%s: %s\n", c->name, c->done);
	if (c->done != NULL)
		return 0;
	if (c->list != NULL)
		return c->list(words + 1);
	return run_with(c, words + 1) == 0 ? 0 : 1;
}

static int run_line(char *line)
{
	static const struct ow_words dialect = {
		.separators = " \t\r\n",
		.comment = '#',
		.in_double = OW_WORDS_ESCAPE,
	};
	char buf[LINE_SIZE + 1], *words[RUN_WORDS];
	int n = 0;

	if (line[0] == '!')
		return system(line + 1) == 0 ? 0 : 1;
	if (ow_words_split(&dialect, line, buf, sizeof(buf), words, RUN_WORDS,
			   &n) != 0) {
		fputs("tmadmin: a quote is not closed, or too many words\n",
		      stderr);
		return 1;
	}
	return n > 0 ? run_words((const char *const *)words) : 0;
}

/* ---- the program ---- */

static void usage(FILE *out)
{
	fputs("usage: tmadmin [-r] [-c] [-v]\n"
	      "Commands about the application that TUXCONFIG names; `help` "
	      "lists them.\n"
	      "  -v       version\n"
	      "  -r, -c   taken without effect: every tmadmin may look\n",
	      out);
}

static int loop(void)
{
	bool asks = isatty(STDIN_FILENO);
	char line[LINE_SIZE], before[LINE_SIZE] = "";
	int r, last = 0;

	for (;;) {
		if (asks)
			fputs("\n> ", stdout);
		fflush(stdout);
		if (fgets(line, sizeof(line), stdin) == NULL)
			return last;
		if (strncmp(line, "!!", 2) == 0)
			printf("%s", strcpy(line, before));
		strcpy(before, line);
		r = run_line(line);
		if (r < 0)
			return last;
		last = r;
	}
}

int main(int argc, char **argv)
{
	int c;

	if (ow_about_printed(argc, argv, "tmadmin", usage))
		return 0;
	while ((c = getopt(argc, argv, "rcvh")) != -1) {
		if (c == 'h')
			usage(stdout);
		else if (c == 'v')
			printf("tmadmin (Onewake) %s\n", NDRX_VERSION);
		else if (c == '?')
			usage(stderr);
		if (c == 'h' || c == 'v' || c == '?')
			return c == '?' ? 2 : 0;
	}
	return loop();
}
