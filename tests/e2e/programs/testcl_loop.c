/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_loop.c - commands of the test client about the descriptor to wait for
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <tpbind.h>
#include <unistd.h>

#include "common.h"
#include "testcl.h"

static int fd = -1;

static int is_readable(int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms);
}

/* replyfd: `ret` 0; -1 with the error, or if a second call gives another one */
void do_replyfd(const struct words *w)
{
	double t = now_ms();

	(void)w;
	fd = tpreplyfd();
	answer_call(fd >= 0 && fd == tpreplyfd() ? 0 : -1, NULL, 0, t);
}

/* readable MS: `ret` 1 as soon as it is, 0 if it is not so long */
void do_readable(const struct words *w)
{
	double t = now_ms();

	answer_call(is_readable((int)number(w, 1, 0)), NULL, 0, t);
}

/* looptime: what tpreplytimeout() says */
void do_looptime(const struct words *w)
{
	double t = now_ms();

	(void)w;
	answer_call(tpreplytimeout(), NULL, 0, t);
}

/* replywait USEC: 1, 0 */
void do_replywait(const struct words *w)
{
	double t = now_ms();

	answer_call(tpreplywait(number(w, 1, 0)), NULL, 0, t);
}

/* fdopen: `ret` 1 if what replyfd gave is open */
void do_fdopen(const struct words *w)
{
	double t = now_ms();

	(void)w;
	answer_call(fcntl(fd, F_GETFD) >= 0, NULL, 0, t);
}

/* In a child: the parent's is closed, and it has its own. */
static int child(void)
{
	int cd;
	char *out = NULL;
	long len;

	if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
		return 1;
	fd = tpreplyfd();
	cd = tpacall("ECHO", NULL, 0, 0);
	if (fd < 0 || cd < 0 || is_readable(5000) != 1)
		return 2;
	if (tpgetrply(&cd, &out, &len, TPGETANY | TPNOBLOCK) < 0)
		return 3;
	return tpterm() == 0 ? 0 : 4;
}

/* forkfd: `ret` the exit status of the child */
void do_forkfd(const struct words *w)
{
	double t = now_ms();
	int status = -1;
	pid_t pid = fork();

	(void)w;
	if (pid == 0)
		_exit(child());
	waitpid(pid, &status, 0);
	answer_call(WIFEXITED(status) ? WEXITSTATUS(status) : -1, NULL, 0, t);
}
