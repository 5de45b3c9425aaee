/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extsv.c - a server whose program has descriptors and callbacks in the loop
 *
 * Services: ERRORS says which error each misuse gives, PIPES N sends a byte
 * through each of N pipes that the loop watches, WRITABLE watches for room,
 * COUNTS says what was called back, PERIOD N sets the periodic callback, or
 * takes it off (0), STOP what has the next callback return 1 (b4poll, period).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common.h"

#define PIPES 40

static int pipes[PIPES][2], n_pipes;
static long heard, waits, periods, writable;
static int stop_before_wait, stop_period;
static char *errors;

static void answer(const char *text, long n)
{
	char *b = tpalloc("STRING", NULL, (long)strlen(text) + 1);

	strcpy(b, text);
	tpreturn(TPSUCCESS, n, b, 0, 0);
}

static int before_wait(void)
{
	waits++;
	return stop_before_wait;
}

static int on_period(void)
{
	periods++;
	return stop_period;
}

/* Each descriptor with its own pointer. */
static int on_byte(int fd, uint32_t events, void *ptr1)
{
	char c;

	if (fd != *(int *)ptr1 || (events & EPOLLIN) == 0)
		return 1;
	if (read(fd, &c, 1) == 1)
		heard++;
	return 0;
}

static int on_room(int fd, uint32_t events, void *ptr1)
{
	(void)ptr1;
	writable += (events & EPOLLOUT) != 0;
	return tpext_delpollerfd(fd);
}

static void svc_pipes(TPSVCINFO *s)
{
	int i, n = atoi(s->data);

	for (; n_pipes < n && n_pipes < PIPES; n_pipes++) {
		if (pipe2(pipes[n_pipes], O_CLOEXEC | O_NONBLOCK) != 0 ||
		    tpext_addpollerfd(pipes[n_pipes][0], EPOLLIN,
				      pipes[n_pipes], on_byte) != 0)
			tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	}
	for (i = 0; i < n; i++)
		if (write(pipes[i][1], "x", 1) != 1)
			tpreturn(TPFAIL, 0, NULL, 0, 0);
	answer("", n);
}

/* Watch the other end of a pipe for room: it has some at once. */
static void svc_writable(TPSVCINFO *s)
{
	static int p[2];

	(void)s;
	if (pipe2(p, O_CLOEXEC | O_NONBLOCK) != 0 ||
	    tpext_addpollerfd(p[1], EPOLLOUT, NULL, on_room) != 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	answer("", 0);
}

static void svc_counts(TPSVCINFO *s)
{
	char all[100];

	(void)s;
	snprintf(all, sizeof(all), "%ld %ld %ld %ld", heard, waits, periods,
		 writable);
	answer(all, 0);
}

static void svc_period(TPSVCINFO *s)
{
	int secs = atoi(s->data);

	if ((secs == 0 ? tpext_delperiodcb()
		       : tpext_addperiodcb(secs, on_period)) != 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	answer("", 0);
}

static void svc_stop(TPSVCINFO *s)
{
	stop_before_wait = strcmp(s->data, "b4poll") == 0;
	stop_period = strcmp(s->data, "period") == 0;
	answer("", 0);
}

static void note(int r)
{
	size_t n = strlen(errors);

	snprintf(errors + n, 1000 - n, "%s ",
		 r == 0 ? "OK" : tpecodestr(tperrno));
}

static void svc_errors(TPSVCINFO *s)
{
	int p[2];

	(void)s;
	if (pipe2(p, O_CLOEXEC) != 0)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	note(tpext_addpollerfd(-1, EPOLLIN, NULL, on_byte));
	note(tpext_addpollerfd(p[0], EPOLLIN, NULL, NULL));
	note(tpext_addpollerfd(p[0], EPOLLIN, p, on_byte));
	note(tpext_addpollerfd(p[0], EPOLLIN, p, on_byte));
	note(tpext_delpollerfd(p[1]));
	note(tpext_delpollerfd(p[0]));
	note(tpext_delpollerfd(p[0]));
	note(tpext_addpollerfd(9999, EPOLLIN, NULL, on_byte));
	note(tpext_addperiodcb(0, on_period));
	note(tpext_addperiodcb(1, NULL));
	note(tpext_addb4pollcb(NULL));
	close(p[0]);
	close(p[1]);
	answer(errors, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	errors = calloc(1, 1000);
	note(tpext_addpollerfd(0, EPOLLIN, NULL, on_byte)); /* not yet */
	return tpext_addb4pollcb(before_wait) != 0 ||
	       tpadvertise("PIPES", svc_pipes) != 0 ||
	       tpadvertise("WRITABLE", svc_writable) != 0 ||
	       tpadvertise("COUNTS", svc_counts) != 0 ||
	       tpadvertise("PERIOD", svc_period) != 0 ||
	       tpadvertise("STOP", svc_stop) != 0 ||
	       tpadvertise("ERRORS", svc_errors) != 0;
}

void tpsvrdone(void)
{
}
