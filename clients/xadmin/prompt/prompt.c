/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.c - commands from a person: line editing, history, completion
 *
 * libedit edits the line; complete.c has the candidates for Tab.
 */
#include "clients/xadmin/prompt/prompt.h"

#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ndrx_config.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/command/run.h"
#include "clients/xadmin/prompt/complete.h"
#include "clients/xadmin/prompt/files.h"
#include "libatmi/base/env.h"
#include "libubf/base/variable.h"

#define CANDIDATES_MAX 1024

/* Candidates of the completion in progress. libedit passes no argument to its
 * callbacks, so they are static; xadmin has one thread. */
static struct {
	char *words[CANDIDATES_MAX];
	size_t n, next;
} candidates;

static void add_candidate(const char *word, void *arg)
{
	(void)arg;
	if (candidates.n < CANDIDATES_MAX)
		candidates.words[candidates.n++] = strdup(word);
}

static char *next_candidate(const char *text, int state)
{
	(void)text;
	if (state == 0)
		candidates.next = 0;
	if (candidates.next >= candidates.n)
		return NULL;
	return strdup(candidates.words[candidates.next++]);
}

static void drop_candidates(void)
{
	while (candidates.n > 0)
		free(candidates.words[--candidates.n]);
}

/* What libedit is to put in place of `text`: a file without the part of the
 * word before `text`, which stands there already. */
static void add_file(const char *word, void *arg)
{
	const size_t *before = arg;

	if (strlen(word) >= *before)
		add_candidate(word + *before, NULL);
}

/* No blank after a word that goes on: a folder, NAME=. */
static void choose_end(void)
{
	const char *word = candidates.n == 1 ? candidates.words[0] : "";
	size_t n = strlen(word);

	rl_completion_append_character =
	    n > 0 && strchr("/=\"'", word[n - 1]) != NULL ? '\0' : ' ';
}

/* libedit's `text` begins at `start`, after the last blank; a word with quotes
 * or backslashes may have begun before. */
static char **complete(const char *text, int start, int end)
{
	char buf[OW_WORDS_LEN], line[OW_WORDS_LEN];
	char *argv[OW_ARGS_MAX];
	size_t begin, before;
	int n;

	drop_candidates();
	rl_attempted_completion_over = 1; /* files are ours, too */
	if (end >= (int)sizeof(line))
		return NULL;
	snprintf(line, sizeof(line), "%.*s", end, rl_line_buffer);
	begin = ow_files_word(line);
	if (begin > (size_t)start)
		return NULL;
	before = (size_t)start - begin;
	snprintf(line, sizeof(line), "%.*s", (int)begin, rl_line_buffer);
	n = ow_args_split(line, buf, sizeof(buf), argv);
	if (n < 0)
		return NULL;
	if (ow_complete(n, argv, text, add_candidate, NULL)) {
		snprintf(line, sizeof(line), "%.*s", end - (int)begin,
			 rl_line_buffer + begin);
		ow_files_complete(line, add_file, &before);
	}
	choose_end();
	return rl_completion_matches(text, next_candidate);
}

static volatile sig_atomic_t interrupted;

/* A signal ends a wait (poll: EINTR), not xadmin. */
static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void banner(void)
{
	if (ow_variable("NDRX_SILENT") != NULL)
		return;
	printf("Onewake %s, administration of domain %s. `help` lists the "
	       "commands, Tab completes, `quit` leaves.\n",
	       NDRX_VERSION, ow_env_str("NDRX_QPREFIX", "(NDRX_QPREFIX is "
						       "not set)"));
}

int ow_prompt_run(struct ow_xadmin *x)
{
	struct sigaction sa = { .sa_handler = on_signal };
	char prompt[64];
	int r = OW_EXIT_OK;
	char *line;

	banner();
	sigaction(SIGINT, &sa, NULL);
	rl_readline_name = "xadmin";
	rl_attempted_completion_function = complete;
	using_history();
	while (!x->quit) {
		snprintf(prompt, sizeof(prompt), "NDRX %s> ",
			 ow_env_str("NDRX_NODEID", "1"));
		errno = 0;
		line = readline(prompt);
		if (line == NULL && errno != EINTR)
			break;
		if (line == NULL) {
			putchar('\n'); /* Ctrl-C drops the line */
			continue;
		}
		if (line[strspn(line, " \t")] != '\0') {
			add_history(line);
			interrupted = 0;
			r = ow_run_line(x, line);
			if (interrupted)
				putchar('\n'); /* after the ^C */
		}
		free(line);
	}
	drop_candidates();
	return r;
}
