/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - carries out an order of a user by a process of xadmin
 */
#include "clients/ndrxweb/order.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 6

/* What is behind the verb of an order. */
enum what { SERVER, SERVICE, LEVEL };

static const struct {
	const char *verb;
	enum what what;
	const char *words[WORDS]; /* of xadmin; @: the server, service, level */
} orders[] = {
	{ "start", SERVER, { "start", "-y", "-i", "@" } },
	{ "stop", SERVER, { "stop", "-y", "-i", "@" } },
	{ "restart", SERVER, { "restart", "-y", "-i", "@" } },
	{ "sreload", SERVER, { "sreload", "-y", "-i", "@" } },
	{ "suspend", SERVICE, { "suspend", "-s", "@" } },
	{ "resume", SERVICE, { "resume", "-s", "@" } },
	{ "log", LEVEL, { "lcf", "logchg", "-a", "-A", "@" } },
};

/* The word for `@`: false, it is none of its kind. */
static bool word_of(enum what what, const char *text, char *buf, size_t size)
{
	size_t i, n = strlen(text);
	char *end;
	long id;

	snprintf(buf, size, "%s%s", what == LEVEL ? "ndrx=" : "", text);
	if (what == SERVICE) {
		for (i = 0; i < n; i++)
			if (!isalnum((unsigned char)text[i]) &&
			    strchr("_.@:>", text[i]) == NULL)
				return false;
		return n > 0 && n <= 30;
	}
	id = strtol(text, &end, 10);
	return n > 0 && isdigit((unsigned char)text[0]) && *end == '\0' &&
	       id >= (what == SERVER) && id <= (what == SERVER ? 65535 : 6);
}

/* The xadmin beside this program. */
static void find_xadmin(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	buf[n > 0 ? n : 0] = '\0';
	slash = strrchr(buf, '/');
	if (slash != NULL)
		snprintf(slash + 1, size - (size_t)(slash + 1 - buf), "xadmin");
}

_Noreturn static void child(const char *path, char *const *argv, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execv(path, argv);
	execvp("xadmin", argv);
	_exit(127);
}

int ow_order_begin(struct ow_web_order *o, const char *user, const char *verb,
		   const char *what)
{
	char path[512], name[96], word[64];
	char *argv[WORDS + 2];
	int fds[2], n = 0, k;
	size_t i;

	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (strcmp(orders[i].verb, verb) == 0)
			break;
	if (i == sizeof(orders) / sizeof(*orders) ||
	    !word_of(orders[i].what, what, word, sizeof(word)))
		return -EINVAL;
	if (o->pid != 0)
		return -EBUSY;
	find_xadmin(path, sizeof(path));
	snprintf(name, sizeof(name), "xadmin for %s, by ndrxweb:", user);
	argv[n++] = name;
	for (k = 0; k < WORDS && orders[i].words[k] != NULL; k++)
		argv[n++] = strcmp(orders[i].words[k], "@") == 0
				? word
				: (char *)(uintptr_t)orders[i].words[k];
	argv[n] = NULL;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	o->n = 0;
	o->output[0] = '\0';
	o->pid = fork();
	if (o->pid == 0)
		child(path, argv, fds[1]);
	close(fds[1]);
	o->fd = fds[0];
	if (o->pid > 0)
		return 0;
	o->pid = 0;
	close(fds[0]);
	return -EAGAIN;
}

bool ow_order_read(struct ow_web_order *o)
{
	char lost[512];
	bool full = o->n >= sizeof(o->output) - 1;
	ssize_t n = full ? read(o->fd, lost, sizeof(lost))
			 : read(o->fd, o->output + o->n,
				sizeof(o->output) - 1 - o->n);
	int status;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0) {
		o->n += full ? 0 : (size_t)n;
		o->output[o->n] = '\0';
		return false;
	}
	close(o->fd);
	o->status = waitpid(o->pid, &status, 0) == o->pid && WIFEXITED(status)
			? WEXITSTATUS(status)
			: -1;
	o->pid = 0;
	return true;
}
