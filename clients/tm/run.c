/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - run a program of this installation, and read what it prints
 */
#include "clients/tm/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libubf/base/cleanup.h"

/* In the child: never returns. Its output goes to `out`; -1: where ours goes.
 * Messages go there too, or nowhere. */
static void become(const char *const *words, int out, int with_messages)
{
	char path[PATH_MAX + NAME_MAX], *argv[RUN_WORDS + 1] = { NULL };
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;
	int i;

	for (i = 0; i < RUN_WORDS && words[i] != NULL; i++)
		argv[i] = (char *)words[i];
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		dup2(with_messages ? out : open("/dev/null", O_WRONLY),
		     STDERR_FILENO);
		close(out);
	}
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash != NULL) {
		snprintf(slash + 1, NAME_MAX, "%s", argv[0]);
		execv(path, argv);
	}
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Start it; *ret_out reads its output, or is NULL with `fn` NULL. */
static pid_t start(const char *const *words, int with_messages, FILE **ret_out)
{
	int fds[2] = { -1, -1 };
	pid_t pid;

	fflush(NULL);
	if (ret_out != NULL && pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		become(words, fds[1], with_messages);
	if (ret_out == NULL)
		return pid;
	close(fds[1]);
	*ret_out = fdopen(fds[0], "r");
	return pid;
}

static int await(pid_t pid)
{
	int status;

	if (pid < 0)
		return 127;
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

int run_program(const char *const *words, run_line_fn *fn, void *arg)
{
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	FILE *out = NULL;
	size_t cap = 0;
	pid_t pid = start(words, 1, fn != NULL ? &out : NULL);

	while (out != NULL && getline(&line, &cap, out) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		fn(line, arg);
	}
	if (out != NULL)
		fclose(out);
	return await(pid);
}

char *run_text(const char *const *words)
{
	FILE *out = NULL;
	char *text = NULL;
	size_t cap = 0;
	pid_t pid = start(words, 0, &out);

	/* All of it: there is no such character. */
	if (out != NULL && getdelim(&text, &cap, '\0', out) < 0) {
		free(text);
		text = strdup("");
	}
	if (out != NULL)
		fclose(out);
	if (await(pid) == 0)
		return text;
	free(text);
	return NULL;
}

int run_ask(const char *question)
{
	char answer[64];

	fputs(question, stdout);
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) != NULL &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}
