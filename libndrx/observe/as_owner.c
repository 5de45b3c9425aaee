/* SPDX-License-Identifier: Apache-2.0 */
/*
 * as_owner.c - programs that ndrxd runs for guests, seen from both sides
 */
#include "libndrx/observe/as_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libndrx/observe/command.h"

#define SILENCE_MS 35000
#define BEHIND	   10 /* nice value: calls come first */

/* ---- the program of the domain's user ---- */

enum ow_guest_right ow_as_owner_begin(int *argc, char **argv, unsigned seconds)
{
	enum ow_guest_right right;

	if (*argc < 3 || strcmp(argv[1], "--guest") != 0)
		return OW_GUEST_NOBODY;
	right = strcmp(argv[2], "admin") == 0 ? OW_GUEST_ADMIN
					      : OW_GUEST_LOOK;
	memmove(argv + 1, argv + 3, (size_t)(*argc - 2) * sizeof(*argv));
	*argc -= 2;
	unsetenv("NDRX_OWNER");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpriority(PRIO_PROCESS, 0, BEHIND);
	alarm(seconds);
	return right;
}

/* ---- the program of the guest ---- */

int ow_as_owner_write(void *arg, int fd, const char *bytes, size_t len)
{
	FILE *f = fd == STDOUT_FILENO ? stdout : stderr;

	(void)arg;
	fflush(fd == STDOUT_FILENO ? stderr : stdout);
	errno = EIO;
	return fwrite(bytes, 1, len, f) == len && fflush(f) == 0 ? 0 : -errno;
}

static int fail(struct ow_as_owner *a, int r)
{
	if (a->why[0] == '\0')
		snprintf(a->why, sizeof(a->why), "%s", ow_command_strerror(r));
	return r;
}

/* 0, -E2BIG. */
static int compose(const struct ow_as_owner *a, uint32_t seq,
		   union ow_ctl_msg *m)
{
	size_t len = 0, size = sizeof(m->cmd.text);
	int i;

	ow_ctl_init(m, OW_CTL_CMD, seq);
	m->cmd.verb = OW_VERB_RUN;
	m->cmd.flags = a->change ? OW_CTLF_CHANGE : 0;
	snprintf(m->cmd.name, sizeof(m->cmd.name), "%s", a->program);
	for (i = 0; i < a->n_words && len < size; i++) {
		if (strchr(a->words[i], '\n') != NULL)
			return -E2BIG;
		len += (size_t)snprintf(m->cmd.text + len, size - len, "%s%s",
					i > 0 ? "\n" : "", a->words[i]);
	}
	return len < size ? 0 : -E2BIG;
}

/* What the program has written: to a->write. At the end the descriptor is
 * closed, and becomes -1. */
static int copy(const struct ow_as_owner *a, int *from, int to)
{
	char bytes[16384];
	ssize_t n = read(*from, bytes, sizeof(bytes));

	if (n > 0)
		return a->write(a->arg, to, bytes, (size_t)n);
	if (n < 0 && errno == EINTR)
		return 0;
	close(*from);
	*from = -1;
	return 0;
}

/* The result, if it is one. */
static int receive(struct ow_as_owner *a, struct ow_command_link *remote,
		   bool *done, int *ret_exit)
{
	union ow_ctl_msg m;
	int r = ow_ctl_recv(remote->fd, &m);

	if (r == -EAGAIN)
		return 0;
	if (r < 0)
		return r;
	if (m.h.kind != OW_CTL_DONE || m.h.seq != remote->seq)
		return 0;
	*done = true;
	if (m.done.status == 0) {
		*ret_exit = (int)m.done.count;
		return 0;
	}
	snprintf(a->why, sizeof(a->why), "%s", m.done.text);
	return -EPERM;
}

/* Until the program has ended and everything that it wrote has come. */
static int wait_end(struct ow_as_owner *a, struct ow_command_link *remote,
		    int from[2], int *ret_exit)
{
	bool done = false;
	int r = 0;

	while (r == 0 && (!done || from[0] >= 0 || from[1] >= 0)) {
		struct pollfd p[3] = {
			{ .fd = done ? -1 : remote->fd, .events = POLLIN },
			{ .fd = from[0], .events = POLLIN },
			{ .fd = from[1], .events = POLLIN },
		};
		int n = poll(p, 3, a->terminal >= 0 ? -1 : SILENCE_MS);

		if (n == 0)
			r = -ETIMEDOUT;
		if (n <= 0)
			continue;
		if (p[1].revents != 0)
			r = copy(a, &from[0], STDOUT_FILENO);
		if (r == 0 && p[2].revents != 0)
			r = copy(a, &from[1], STDERR_FILENO);
		if (r == 0 && p[0].revents != 0)
			r = receive(a, remote, &done, ret_exit);
	}
	return r;
}

/* Do output and messages go to the same place, as on a terminal? Then they
 * take one pipe, so that their order stays. */
static bool is_one_place(const struct ow_as_owner *a)
{
	struct stat out, err;

	return a->write == ow_as_owner_write &&
	       fstat(STDOUT_FILENO, &out) == 0 &&
	       fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev &&
	       out.st_ino == err.st_ino;
}

/* Send the command; `from`: where its output will come. */
static int start(struct ow_as_owner *a, struct ow_command_link *remote,
		 int from[2])
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, to[OW_CTL_FDS], r;
	union ow_ctl_msg m;

	r = compose(a, ++remote->seq, &m);
	if (r == 0 && a->terminal >= 0) {
		to[0] = to[1] = a->terminal;
		return ow_ctl_send_fds(remote->fd, &m, to);
	}
	if (r == 0 && (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0))
		r = -errno;
	to[0] = out[1];
	to[1] = is_one_place(a) ? out[1] : err[1];
	if (r == 0)
		r = ow_ctl_send_fds(remote->fd, &m, to);
	if (out[1] >= 0)
		close(out[1]);
	if (err[1] >= 0)
		close(err[1]);
	from[0] = out[0];
	from[1] = err[0];
	return r;
}

int ow_as_owner(struct ow_as_owner *a, const struct ow_domain *d,
		 int *ret_exit)
{
	struct ow_command_link remote = { .fd = -1 };
	int from[2] = { -1, -1 }, r = ow_command_open(d, &remote);

	a->why[0] = '\0';
	if (r != 0) {
		snprintf(a->why, sizeof(a->why), "%s", remote.why);
		return fail(a, r);
	}
	r = start(a, &remote, from);
	if (r == 0)
		r = wait_end(a, &remote, from, ret_exit);
	for (int i = 0; i < 2; i++)
		if (from[i] >= 0)
			close(from[i]);
	ow_command_close(&remote);
	return r == 0 ? 0 : fail(a, r);
}
