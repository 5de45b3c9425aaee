/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - processes of xadmin that carry out the orders of users
 *
 * A run has ended when its process has, not when its output has: what the
 * process has started may keep the pipe.
 */
#include "clients/ndrxweb/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/base/clock.h"

#define RUNS	   8u /* that change nothing */
#define OF_USER	   4u /* of them */
#define OUTPUT_MAX (4u << 20)
#define PIECE	   65536u
#define LOOK_MS	   50 /* at a process without a pidfd */

struct ow_runs {
	struct ow_run *first;
	uint64_t limit_ns;
	int epoll;
};

struct ow_runs *ow_runs_new(unsigned int limit_s)
{
	struct ow_runs *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->limit_ns = limit_s * OW_NS_PER_SEC;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll >= 0)
		return s;
	free(s);
	return NULL;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_run(struct ow_run *r)
{
	close_fd(&r->fd);
	close_fd(&r->pidfd);
	close_fd(&r->errors);
	if (r->output != NULL)
		explicit_bzero(r->output, r->n);
	free(r->output);
	free(r);
}

struct ow_runs *ow_runs_free(struct ow_runs *s)
{
	struct ow_run *r;

	if (s == NULL)
		return NULL;
	while ((r = s->first) != NULL) {
		s->first = r->next;
		free_run(r);
	}
	close(s->epoll);
	free(s);
	return NULL;
}

/* ---- the beginning ---- */

/* A descriptor to read the input from; -errno. */
static int input_of(const struct ow_run_begin *b)
{
	const char *at = b->input;
	size_t left = b->input_size;
	ssize_t n = 0;
	int fd;

	if (b->input == NULL)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	fd = memfd_create("input", MFD_CLOEXEC);
	while (fd >= 0 && left > 0 && (n = write(fd, at, left)) > 0) {
		at += n;
		left -= (size_t)n;
	}
	if (fd < 0 || (left == 0 && lseek(fd, 0, SEEK_SET) == 0))
		return fd < 0 ? -errno : fd;
	close(fd);
	return -ENOSPC;
}

_Noreturn static void child(const struct ow_run_begin *b, int in, int out,
			    int errors)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* SIGPIPE stays ignored: it goes on also without this program. */
	setpgid(0, 0);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(errors >= 0 ? errors : out, STDERR_FILENO);
	execvp(b->path, b->argv);
	execvp("xadmin", b->argv);
	_exit(127);
}

static void watch(const struct ow_runs *s, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	if (fd >= 0)
		(void)epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e);
}

static int start(struct ow_run *r, const struct ow_run_begin *b)
{
	int in = input_of(b), fds[2];

	if (in < 0)
		return in;
	if (pipe2(fds, O_CLOEXEC) < 0) {
		close(in);
		return -EMFILE;
	}
	if (b->apart)
		r->errors = memfd_create("errors", MFD_CLOEXEC);
	r->pid = fork();
	if (r->pid == 0)
		child(b, in, fds[1], r->errors);
	close(in);
	close(fds[1]);
	r->fd = fds[0];
	if (r->pid < 0)
		return -EAGAIN;
	setpgid(r->pid, r->pid); /* whoever is first */
	fcntl(r->fd, F_SETFL, O_NONBLOCK);
	r->pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	return 0;
}

/* 0; -EBUSY: another one changes something; -EAGAIN: there are too many. */
static int find_place(const struct ow_runs *s, const struct ow_run_begin *b)
{
	unsigned int all = 0, own = 0;
	const struct ow_run *r;

	for (r = s->first; r != NULL; r = r->next) {
		if (r->pid == 0 || r->changes != b->changes)
			continue;
		all++;
		own += strcmp(r->user, b->user) == 0;
	}
	if (b->changes)
		return all > 0 ? -EBUSY : 0;
	return all >= RUNS || own >= OF_USER ? -EAGAIN : 0;
}

int ow_run_begin(struct ow_runs *s, const struct ow_run_begin *b,
		 struct ow_run **ret)
{
	int e = find_place(s, b);
	struct ow_run *r;

	if (e < 0)
		return e;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->fd = r->pidfd = r->errors = -1;
	e = start(r, b);
	if (e < 0) {
		free_run(r);
		return e;
	}
	watch(s, r->fd);
	watch(s, r->pidfd);
	r->changes = b->changes;
	snprintf(r->user, sizeof(r->user), "%s", b->user);
	r->waiter = b->waiter;
	r->until_ns = ow_clock_mono_ns() + s->limit_ns;
	r->next = s->first;
	s->first = r;
	*ret = r;
	return 0;
}

/* ---- the way to its end ---- */

static void keep(struct ow_run *r, const char *bytes, size_t n)
{
	char *more;

	if (r->n + n > OUTPUT_MAX)
		r->cut = true;
	more = r->cut ? NULL : realloc(r->output, r->n + n);
	if (more == NULL) {
		r->cut = true;
		return;
	}
	r->output = more;
	memcpy(r->output + r->n, bytes, n);
	r->n += n;
}

static void read_output(struct ow_run *r)
{
	char piece[PIECE];
	ssize_t n = 1;

	while (r->fd >= 0 && n > 0) {
		n = read(r->fd, piece, sizeof(piece));
		if (n > 0)
			keep(r, piece, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			close_fd(&r->fd);
	}
}

static void reap(struct ow_run *r)
{
	int status;
	pid_t pid = waitpid(r->pid, &status, WNOHANG);

	if (pid == 0 || (pid < 0 && errno == EINTR))
		return;
	r->status = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->pid = 0;
	close_fd(&r->pidfd);
	read_output(r);
	close_fd(&r->fd);
}

static void step(struct ow_run *r, uint64_t now)
{
	read_output(r);
	if (r->pid != 0)
		reap(r);
	if (r->pid == 0 || r->late || now < r->until_ns)
		return;
	r->late = true;
	r->status = -1;
	kill(-r->pid, SIGKILL);
}

void ow_runs_step(struct ow_runs *s, void (*tell)(struct ow_run *r))
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_run *r, **at = &s->first;

	while ((r = *at) != NULL) {
		step(r, now);
		if (!r->ended && (r->pid == 0 || r->late)) {
			r->ended = true;
			if (!r->left)
				tell(r);
		}
		if (r->left && r->pid == 0) {
			*at = r->next;
			free_run(r);
		} else {
			at = &r->next;
		}
	}
}

void ow_runs_end(struct ow_runs *s, void (*tell)(struct ow_run *r))
{
	struct ow_run *r;

	for (r = s->first; r != NULL; r = r->next) {
		if (!r->ended && !r->left)
			tell(r);
		r->ended = true;
	}
}

void ow_run_leave(struct ow_run *r)
{
	if (r == NULL)
		return;
	r->left = true; /* the next step frees it */
	r->waiter = NULL;
}

int ow_runs_fd(const struct ow_runs *s)
{
	return s->epoll;
}

int ow_runs_wait(const struct ow_runs *s, int most)
{
	uint64_t now = ow_clock_mono_ns(), ms;
	const struct ow_run *r;

	for (r = s->first; r != NULL; r = r->next) {
		if (r->pid != 0 && r->pidfd < 0 && most > LOOK_MS)
			most = LOOK_MS;
		if (r->pid == 0 || r->late)
			continue;
		ms = r->until_ns > now
			 ? (r->until_ns - now) / OW_NS_PER_MS + 1
			 : 0;
		if (ms < (uint64_t)most)
			most = (int)ms;
	}
	return most;
}
