/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qmadmin.c - qmadmin: make queues of a queue space, and look at them
 *
 * A queue is a line of the file SPACE.queues beside the configuration, which tmqueue
 * reads (clients/tm/definitions.h); a device, and a space as such, need not be made.
 * Commands come from the prompt, or one per line from standard input; values that a
 * command has not on its line are asked for, as Tuxedo does. Exit status 0: all
 * commands worked; 1: one did not; 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/tm/definitions.h"
#include "clients/tm/run.h"
#include "libatmi/base/words.h"
#include "libubf/base/about.h"

#define LINE_SIZE 4096
#define VALUES	  16

struct session {
	bool asks;
	char space[DEFINITIONS_NAME + 1]; /* qopen; "": none */
	char queue[DEFINITIONS_NAME + 1]; /* qset; "": none */
	char values[VALUES][LINE_SIZE]; /* of the command in hand */
};

struct command {
	const char *name, *alias;
	int (*run)(struct session *s, const char *const *words);
	/* What is asked for, if it is not on the line. */
	const char *questions[VALUES];
	const char *done; /* there is nothing to do, and that is well */
};

static int complain(const char *what)
{
	fprintf(stderr, "qmadmin: %s\n", what);
	return 1;
}

/* ---- commands ---- */

static int open_space(struct session *s, const char *const *words)
{
	(void)words;
	if (strlen(s->values[0]) == 0 || strlen(s->values[0]) > DEFINITIONS_NAME)
		return complain("a queue space has a name of 1 to 15 characters");
	snprintf(s->space, sizeof(s->space), "%s", s->values[0]);
	return 0;
}

static int close_space(struct session *s, const char *const *words)
{
	(void)words;
	s->space[0] = s->queue[0] = '\0';
	return 0;
}

static void drop_line(const char *line, void *arg)
{
	(void)line;
	(void)arg;
}

/* Let a tmqueue that runs read the file again; without one there is no answer. */
static void tell_tmqueue(void)
{
	static const char *const words[] = { "xadmin", "mqrc", NULL };

	(void)run_program(words, drop_line, NULL);
}

static int create_space(struct session *s, const char *const *words)
{
	if (open_space(s, words) != 0)
		return 1;
	if (definitions_make(s->space) != 0 ||
	    definitions_errorq(s->space, s->values[7]) != 0)
		return 1;
	tell_tmqueue();
	return close_space(s, words);
}

static int set_queue(struct session *s, const char *const *words)
{
	struct definition d = { .name = s->values[0], .order = s->values[1] };
	int r;

	(void)words;
	if (s->space[0] == '\0')
		return complain("no queue space is open: qopen SPACE");
	d.retries = atol(s->values[3]);
	d.delay = atol(s->values[4]);
	r = definitions_set(s->space, &d);
	if (r == 0)
		tell_tmqueue();
	return r;
}

static int choose_queue(struct session *s, const char *const *words)
{
	(void)words;
	if (strlen(s->values[0]) > DEFINITIONS_NAME)
		return complain("a queue has a name of up to 15 characters");
	snprintf(s->queue, sizeof(s->queue), "%s", s->values[0]);
	return 0;
}

static int show_queues(struct session *s, const char *const *words)
{
	const char *const all[] = { "xadmin", "mqlq", NULL };

	(void)s;
	(void)words;
	return run_program(all, NULL, NULL) == 0 ? 0 : 1;
}

static int show_messages(struct session *s, const char *const *words)
{
	const char *queue = words[0] != NULL ? words[0] : s->queue;
	const char *const all[] = { "xadmin", "mqlm", "-s", s->space, "-q", queue,
				    NULL };

	if (s->space[0] == '\0' || *queue == '\0')
		return complain("choose the queue first: qopen SPACE, qset queue "
				"QUEUE");
	return run_program(all, NULL, NULL) == 0 ? 0 : 1;
}

/* How much is shown is not chosen: scripts begin with these words. */
static int show_nothing(struct session *s, const char *const *words)
{
	(void)s;
	(void)words;
	return 0;
}

static int print_help(struct session *s, const char *const *words);

#define NO_DEVICE "nothing to do: there are no devices, files grow as needed"

static const struct command commands[] = {
	{ .name = "crdl", .alias = "createdevicelist",
	  .done = NO_DEVICE },
	{ .name = "lidl", .alias = "listdevicelist", .done = NO_DEVICE },
	{ .name = "dsdl", .alias = "destroydevicelist", .done = NO_DEVICE },
	{ .name = "livtoc", .alias = "listvtoc", .done = NO_DEVICE },
	{ .name = "qspacechange", .alias = "qspch",
	  .done = "nothing to do: a space has no size, it grows as needed" },
	{ .name = "qsize", .alias = "qsz",
	  .done = "a space takes the shared memory of its messages, no segment "
		  "of its own" },
	{ .name = "echo", .alias = "e", .run = show_nothing },
	{ .name = "verbose", .alias = "v", .run = show_nothing },
	{ .name = "paginate", .alias = "page", .run = show_nothing },
	{ .name = "default", .alias = "d", .run = show_nothing },
	{ .name = "qspacecreate", .alias = "qspc", .run = create_space,
	  .questions = { "Queue space name", "IPC Key for queue space",
			 "Size of queue space in disk pages",
			 "Number of queues in queue space",
			 "Number of concurrent transactions in queue space",
			 "Number of concurrent processes in queue space",
			 "Number of messages in queue space", "Error queue name",
			 "Initialize extents (y, n)", "Blocking factor" } },
	{ .name = "qopen", .alias = "qo", .run = open_space,
	  .questions = { "Queue space name" } },
	{ .name = "qclose", .alias = "qc", .run = close_space },
	{ .name = "qcreate", .alias = "qcr", .run = set_queue,
	  .questions = { "Queue name", "Queue order (priority, time, expr, fifo, lifo)",
			 "Out-of-ordering enqueuing (top, msgid, none)", "Retries",
			 "Retry delay in seconds",
			 "High limit for queue capacity warning",
			 "Reset (low) limit for queue capacity warning",
			 "Queue capacity command" } },
	{ .name = "qchange", .alias = "qch", .run = set_queue,
	  .questions = { "Queue name", "Queue order (priority, time, expr, fifo, lifo)",
			 "Out-of-ordering enqueuing (top, msgid, none)", "Retries",
			 "Retry delay in seconds",
			 "High limit for queue capacity warning",
			 "Reset (low) limit for queue capacity warning",
			 "Queue capacity command" } },
	{ .name = "qset", .alias = "qs", .run = choose_queue,
	  .questions = { "Queue name" } },
	{ .name = "qinfo", .alias = "qi", .run = show_queues },
	{ .name = "qlist", .alias = "ql", .run = show_messages },
	{ .name = "qscan", .alias = "qsc", .run = show_messages },
	{ .name = "help", .alias = "h", .run = print_help },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int print_help(struct session *s, const char *const *words)
{
	(void)s;
	(void)words;
	for (size_t i = 0; i < COMMANDS; i++)
		printf("%s (%s)\n", commands[i].name, commands[i].alias);
	puts("quit (q)");
	return 0;
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

/* Fill the values of the command: from its line, else by questions. */
static bool read_values(struct session *s, const struct command *c,
			const char *const *words)
{
	char line[LINE_SIZE];
	int i;

	for (i = 0; i < VALUES && c->questions[i] != NULL; i++) {
		if (words[0] != NULL) {
			snprintf(s->values[i], sizeof(s->values[i]), "%s",
				 *words++);
			continue;
		}
		if (s->asks)
			printf("%s: ", c->questions[i]);
		fflush(stdout);
		if (fgets(line, sizeof(line), stdin) == NULL)
			return i > 0;
		line[strcspn(line, "\r\n")] = '\0';
		snprintf(s->values[i], sizeof(s->values[i]), "%s", line);
	}
	return true;
}

/* Options, which say sizes and thresholds, are passed over. `qset queue NAME`. */
static const char *const *skip_options(const char *const *words)
{
	if (words[0] != NULL && strcmp(words[0], "queue") == 0)
		words++;
	while (words[0] != NULL && words[0][0] == '-' && words[1] != NULL)
		words += 2;
	return words;
}

/* -1: quit. */
static int run_line(struct session *s, char *line)
{
	static const struct ow_words dialect = {
		.separators = " \t\r\n",
		.comment = '#',
		.in_double = OW_WORDS_ESCAPE,
	};
	char buf[LINE_SIZE + 1], *all[RUN_WORDS];
	const char *const *words = (const char *const *)all;
	const struct command *c;
	int n = 0;

	if (line[0] == '!')
		return system(line + 1) == 0 ? 0 : 1;
	if (ow_words_split(&dialect, line, buf, sizeof(buf), all, RUN_WORDS,
			   &n) != 0)
		return complain("a quote is not closed, or too many words");
	if (n == 0)
		return 0;
	if (strcmp(words[0], "q") == 0 || strcmp(words[0], "quit") == 0)
		return -1;
	c = find(words[0]);
	if (c == NULL) {
		fprintf(stderr, "qmadmin: %s: no such command; `help` lists them, "
				"xadmin has more (mqlq, mqlm, mqmv, mqrm)\n",
			words[0]);
		return 1;
	}
	if (c->done != NULL) {
		printf("%s: %s\n", c->name, c->done);
		return 0;
	}
	memset(s->values, 0, sizeof(s->values));
	words = skip_options(words + 1);
	return read_values(s, c, words) ? c->run(s, words) : 1;
}

/* ---- the program ---- */

static void usage(FILE *out)
{
	fputs("usage: qmadmin [device]\n"
	      "Commands about queue spaces of the application that TUXCONFIG "
	      "names; `help` lists them.\nA device is taken without effect.\n",
	      out);
}

int main(int argc, char **argv)
{
	struct session s = { .asks = isatty(STDIN_FILENO) };
	char line[LINE_SIZE];
	int r, status = 0;

	if (ow_about_printed(argc, argv, "qmadmin", usage))
		return 0;
	if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
		usage(stderr);
		return 2;
	}
	for (;;) {
		if (s.asks)
			fputs("\n> ", stdout);
		fflush(stdout);
		if (fgets(line, sizeof(line), stdin) == NULL)
			return status;
		r = run_line(&s, line);
		if (r < 0)
			return status;
		status = r != 0 ? 1 : status;
	}
}
