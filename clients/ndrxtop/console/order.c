/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - start, stop or restart a server while the console goes on
 */
#include "clients/ndrxtop/console/order.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libndrx/observe/progress.h"
#include "libndrx/observe/command.h"

void ow_order_init(struct ow_order *o)
{
	memset(o, 0, sizeof(*o));
	o->fd = -1;
}

/* ---- the child ---- */

static int carry_out(const struct ow_order *o, const struct ow_domain *d,
		     FILE *out)
{
	struct ow_progress progress = { .out = out };
	struct ow_command_order cmd = {
		.verb = o->verb,
		.srvid = o->srvid,
		.on_reply = ow_progress_on_reply,
		.arg = &progress,
	};
	struct ow_ctl_done done;
	struct ow_command_link link;
	int r = ow_command_open(d, &link);

	if (r == 0)
		r = ow_command_call(&link, &cmd, &done);
	ow_progress_end(&progress);
	if (r != 0) {
		fprintf(out, "%s\n", ow_command_strerror(r));
		return 1;
	}
	if (done.text[0] != '\0')
		fprintf(out, "%s\n", done.text);
	ow_command_close(&link);
	return done.status != 0 || progress.failed > 0;
}

_Noreturn static void child(const struct ow_order *o,
			    const struct ow_domain *d, int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *out = fdopen(fd, "w");
	int status = 1;

	/* Ctrl-C at the console is not for the order. */
	setpgid(0, 0);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	if (out != NULL) {
		status = carry_out(o, d, out);
		fflush(out);
	}
	_exit(status);
}

/* ---- the console ---- */

int ow_order_start(struct ow_order *o, const struct ow_domain *d,
		   enum ow_ctl_verb verb, uint32_t srvid)
{
	int fds[2], e;

	if (o->pid != 0)
		return -EBUSY;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	ow_order_init(o);
	o->verb = verb;
	o->srvid = srvid;
	o->pid = fork();
	if (o->pid == 0) {
		fcntl(fds[1], F_SETFL, 0); /* the child may wait */
		child(o, d, fds[1]);
	}
	e = errno;
	close(fds[1]);
	if (o->pid < 0) {
		o->pid = 0;
		close(fds[0]);
		return -e;
	}
	o->fd = fds[0];
	return 0;
}

static void finish(struct ow_order *o)
{
	int status = 0;

	close(o->fd);
	o->fd = -1;
	waitpid(o->pid, &status, 0);
	o->failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	o->pid = 0;
}

/* When there is no more room, the beginning goes. */
static void keep(struct ow_order *o, const char *text, size_t len)
{
	size_t over;

	if (o->len + len >= sizeof(o->text)) {
		over = o->len + len + 1 - sizeof(o->text);
		memmove(o->text, o->text + over, o->len - over);
		o->len -= over;
	}
	memcpy(o->text + o->len, text, len);
	o->len += len;
	o->text[o->len] = '\0';
}

bool ow_order_input(struct ow_order *o)
{
	char buf[512];
	ssize_t n;

	if (o->fd < 0)
		return false;
	while ((n = read(o->fd, buf, sizeof(buf))) > 0)
		keep(o, buf, (size_t)n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	finish(o);
	return true;
}

void ow_order_drop(struct ow_order *o)
{
	if (o->pid != 0) {
		kill(o->pid, SIGKILL);
		finish(o);
	}
	ow_order_init(o);
}
