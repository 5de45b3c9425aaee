/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - a line of the standard input, which a terminal does not show
 *
 * While a terminal shows nothing, the signals that end or suspend a program are
 * blocked, and a file descriptor says that one is there: the terminal is as it
 * was before the signal has its effect. What was typed is in no buffer of stdio.
 */
#include "clients/common/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

int ow_ask_line(char *buf, size_t size)
{
	size_t n = 0;
	int c, r = 0;

	while (r == 0 && (c = getchar()) != EOF && c != '\n') {
		if (c == '\0')
			r = -EILSEQ;
		else if (n == size - 1)
			r = -EINVAL;
		else
			buf[n++] = (char)c;
	}
	if (r == 0 && ferror(stdin))
		r = -EIO;
	if (r == 0 && n == 0 && feof(stdin))
		r = -EINVAL;
	buf[r == 0 ? n : 0] = '\0';
	if (r != 0)
		explicit_bzero(buf, size);
	return r;
}

/* ---- a terminal ---- */

/* The signals that would leave the terminal as it is now. */
static void ending_signals(sigset_t *set)
{
	static const int all[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };
	struct sigaction sa;
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (sigaction(all[i], NULL, &sa) == 0 &&
		    sa.sa_handler != SIG_IGN)
			sigaddset(set, all[i]);
}

/* 0: there is input; -EINTR: one of the signals is pending; -errno. */
static int await(const sigset_t *signals)
{
	struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
			       { .events = POLLIN } };
	int r;

	p[1].fd = signalfd(-1, signals, SFD_CLOEXEC);
	if (p[1].fd < 0)
		return -errno;
	while ((r = poll(p, 2, -1)) < 0 && errno == EINTR)
		;
	r = r < 0 ? -errno : p[1].revents != 0 ? -EINTR : 0;
	close(p[1].fd);
	return r;
}

/* A line as the terminal hands it over. */
static int read_line(char *buf, size_t size)
{
	ssize_t n = read(STDIN_FILENO, buf, size);
	bool ends = n > 0 && buf[n - 1] == '\n';

	if (n < 0)
		return -errno;
	n -= ends;
	if (n == 0 && !ends)
		return -EINVAL;
	if ((size_t)n >= size)
		return -EINVAL;
	buf[n] = '\0';
	return strlen(buf) == (size_t)n ? 0 : -EILSEQ;
}

/* Ask once, with the signals blocked. */
static int ask(const char *question, const sigset_t *signals, char *buf,
	       size_t size)
{
	struct termios before, quiet;
	int r;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return -errno;
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	fprintf(stderr, "%s: ", question);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	r = await(signals);
	if (r == 0)
		r = read_line(buf, size);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fprintf(stderr, "\n");
	return r;
}

int ow_ask_hidden(const char *question, char *buf, size_t size)
{
	sigset_t signals, old, pending;
	bool again;
	int r;

	do {
		ending_signals(&signals);
		sigprocmask(SIG_BLOCK, &signals, &old);
		r = ask(question, &signals, buf, size);
		sigpending(&pending);
		/* It is suspended here, or ended. */
		sigprocmask(SIG_SETMASK, &old, NULL);
		again = r == -EINTR && sigismember(&pending, SIGTSTP) == 1 &&
			sigismember(&signals, SIGTSTP) == 1;
	} while (again);
	if (r != 0)
		explicit_bzero(buf, size);
	return r;
}

const char *ow_ask_strerror(int r)
{
	return r == -EINVAL   ? "there is no line, or it is too long"
	       : r == -EILSEQ ? "there is a NUL in it"
	       : r == -EINTR  ? "interrupted"
			      : strerror(-r);
}
