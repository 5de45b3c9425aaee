/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.c - the interactive xadmin, by libedit
 *
 * Completion: commands first, then server names after -s (services for
 * readv and unadv), server ids after -i, and commands after `help`. They are
 * read from the shared tables, so completion asks nobody.
 */
#include "clients/xadmin/prompt.h"

#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ndrx_config.h>

#include "clients/xadmin/command.h"
#include "clients/xadmin/domain_view.h"
#include "libatmi/env.h"

#define CANDIDATES_MAX 1024

/* Candidates of the completion in progress. libedit offers no argument to
 * pass, so they live here; one thread. */
static struct {
	char *words[CANDIDATES_MAX];
	size_t n, next;
} candidates;

static void add_candidate(const char *word, const char *prefix)
{
	size_t i;

	if (strncmp(word, prefix, strlen(prefix)) != 0)
		return;
	for (i = 0; i < candidates.n; i++)
		if (strcmp(candidates.words[i], word) == 0)
			return;
	if (candidates.n < CANDIDATES_MAX)
		candidates.words[candidates.n++] = strdup(word);
}

static void add_commands(const char *prefix)
{
	size_t i;

	for (i = 0; i < ow_commands_count; i++)
		add_candidate(ow_commands[i].name, prefix);
}

static void add_servers(const char *prefix, bool ids)
{
	struct ow_view v;
	char why[256], id[16];
	uint32_t s;

	if (ow_view_open(&v, why, sizeof(why)) != 0)
		return;
	for (s = ow_srv_next(v.d.tables, 1); s != 0;
	     s = ow_srv_next(v.d.tables, s + 1)) {
		char bin[64];

		snprintf(id, sizeof(id), "%u", s);
		ow_view_bin(&v, s, bin);
		add_candidate(ids ? id : bin, prefix);
	}
	ow_view_close(&v);
}

static void add_services(const char *prefix)
{
	struct ow_view v;
	char why[256], name[OW_SVC_NAME];
	uint32_t i;

	if (ow_view_open(&v, why, sizeof(why)) != 0)
		return;
	for (i = 0; i < ow_view_services(&v); i++)
		if (ow_view_service(&v, i, name) != NULL)
			add_candidate(name, prefix);
	ow_view_close(&v);
}

/* The word before the one that starts at `start`, and the first word. */
static void words_before(int start, char *first, char *before, size_t size)
{
	char buf[OW_WORDS_LEN], line[OW_WORDS_LEN];
	char *argv[OW_ARGS_MAX];
	int n;

	first[0] = before[0] = '\0';
	if (start >= (int)sizeof(line))
		return;
	snprintf(line, sizeof(line), "%.*s", start, rl_line_buffer);
	n = ow_cmd_split(line, buf, sizeof(buf), argv);
	if (n > 0) {
		snprintf(first, size, "%s", argv[0]);
		snprintf(before, size, "%s", argv[n - 1]);
	}
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

static char **complete(const char *text, int start, int end)
{
	char first[64], before[64];
	const struct ow_cmd *cmd;

	(void)end;
	drop_candidates();
	words_before(start, first, before, sizeof(first));
	cmd = ow_cmd_find(first);
	if (first[0] == '\0')
		add_commands(text);
	else if (cmd != NULL && strcmp(cmd->name, "help") == 0)
		add_commands(text);
	else if (cmd != NULL && strcmp(before, "-i") == 0)
		add_servers(text, true);
	else if (cmd != NULL && strcmp(before, "-s") == 0 &&
		 strstr(cmd->name, "adv") != NULL)
		add_services(text);
	else if (cmd != NULL && strcmp(before, "-s") == 0)
		add_servers(text, false);
	rl_attempted_completion_over = 1; /* no file names */
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
	if (getenv("NDRX_SILENT") != NULL)
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
			r = ow_cmd_run_line(x, line);
			if (interrupted)
				putchar('\n'); /* after the ^C */
		}
		free(line);
	}
	drop_candidates();
	return r;
}
