/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - repeat a listing until Ctrl-C
 *
 * On a terminal the output is caught and then painted over the one before,
 * line by line, so that nothing flickers. Lines that do not fit the screen
 * are left out and counted.
 */
#include "clients/xadmin/command/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clients/xadmin/command/command.h"
#include "clients/xadmin/command/guest.h"
#include "libatmi/base/clock.h"
#include "libubf/base/cleanup.h"

#define HOME	   "\033[H"
#define CLEAR_LINE "\033[K"
#define CLEAR_REST "\033[J"

/* The head line, and the line with the number of lines left out. */
#define OWN_LINES 2

static volatile sig_atomic_t stopped;

static void on_interrupt(int sig)
{
	(void)sig;
	stopped = 1;
}

/* Point standard output and error at `to`. With ret_old the old descriptors
 * are returned; without, `to` is closed. */
static void redirect(const int to[2], int ret_old[2])
{
	int i;

	fflush(stdout);
	fflush(stderr);
	for (i = 0; i < 2; i++) {
		if (ret_old != NULL)
			ret_old[i] = dup(STDOUT_FILENO + i);
		dup2(to[i], STDOUT_FILENO + i);
		if (ret_old == NULL)
			close(to[i]);
	}
}

/* Run the command once. Its output, or NULL: no memory. */
static char *run_caught(struct ow_args *a, int *ret_exit)
{
	int fd = memfd_create("xadmin watch", MFD_CLOEXEC), old[2];
	const int to[2] = { fd, fd };
	char *text = NULL;
	off_t size;
	ssize_t n;

	if (fd < 0)
		return NULL;
	redirect(to, old);
	*ret_exit = ow_cmd_run(a);
	redirect(old, NULL);
	size = lseek(fd, 0, SEEK_END);
	if (size >= 0)
		text = calloc(1, (size_t)size + 1);
	if (text != NULL) {
		n = pread(fd, text, (size_t)size, 0);
		text[n > 0 ? n : 0] = '\0';
	}
	close(fd);
	return text;
}

static void paint_head(const struct ow_args *a)
{
	time_t now = time(NULL);
	struct tm tm;
	char clock[32];

	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	printf(HOME "%s  every %g s: %s%s" CLEAR_LINE "\n", clock,
	       a->watch_ms / 1000.0, a->cmd->name, "   (Ctrl-C ends)");
}

/* Print the lines that fit the screen. A line longer than the screen is wide
 * takes several lines of it. */
static void paint(const struct ow_args *a, const char *text)
{
	int room = a->form.term.rows - OWN_LINES, left = 0;
	const char *end, *p;

	paint_head(a);
	for (p = text; *p != '\0'; p = *end == '\0' ? end : end + 1) {
		end = p + strcspn(p, "\n");
		room -= 1 + (int)(end - p - (end > p)) / a->form.term.columns;
		if (room < 0)
			left++;
		else
			printf("%.*s" CLEAR_LINE "\n", (int)(end - p), p);
	}
	fputs(CLEAR_REST, stdout);
	if (left > 0)
		printf("... %d more lines" CLEAR_LINE, left);
	fflush(stdout);
}

/* One round; an exit code. */
static int once(struct ow_args *a, bool first)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	int r = OW_EXIT_FAILED;

	if (a->form.term.columns == 0) {
		if (!first && !a->form.json)
			putchar('\n');
		r = ow_cmd_run(a);
		fflush(stdout);
		return r;
	}
	a->form.term = ow_term_ask(); /* the window may have a new size */
	text = run_caught(a, &r);
	if (text == NULL)
		return ow_cmd_fail(a, "no memory: %s", strerror(errno));
	if (first)
		fputs(HOME CLEAR_REST, stdout);
	paint(a, text);
	return r;
}

int ow_watch_run(struct ow_args *a)
{
	struct sigaction sa = { .sa_handler = on_interrupt }, old;
	bool first = true;
	int r;

	stopped = 0;
	sigaction(SIGINT, &sa, &old);
	do {
		r = once(a, first);
		first = false;
		/* The disk is full, or the reader of the pipe has gone. */
		if (ferror(stdout))
			break;
	} while (!stopped && (poll(NULL, 0, a->watch_ms) == 0 || !stopped));
	sigaction(SIGINT, &old, NULL);
	if (a->form.term.columns > 0)
		putchar('\n');
	return r;
}
