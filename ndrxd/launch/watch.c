/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - notice the end of a process
 */
#include "ndrxd/launch/watch.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/domain/tables.h"

int ow_watch_start(struct ev_loop *loop, ev_io *gone, pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	if (fd < 0)
		return -1;
	ev_io_set(gone, fd, EV_READ);
	ev_io_start(loop, gone);
	return fd;
}

int ow_watch_stop(struct ev_loop *loop, ev_io *gone, int pidfd)
{
	if (pidfd >= 0) {
		ev_io_stop(loop, gone);
		close(pidfd);
	}
	return -1;
}

bool ow_watch_ended(pid_t pid, uint64_t start, int pidfd, bool ours)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	siginfo_t info = { 0 };

	if (!ours && pidfd >= 0)
		return poll(&p, 1, 0) > 0;
	if (!ours)
		return !ow_proc_alive(pid, start);
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) !=
		   0 ||
	       info.si_pid != 0;
}

bool ow_watch_reap(pid_t pid, bool ours, int *ret_status)
{
	int status = 0;
	bool known = ours && waitpid(pid, &status, WNOHANG) > 0;

	*ret_status = known ? status : 0;
	return known;
}

void ow_watch_explain(bool known, int status, char *buf, size_t size)
{
	if (!known)
		snprintf(buf, size, "ended");
	else if (WIFSIGNALED(status))
		snprintf(buf, size, "killed by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(buf, size, "ended with exit code %d",
			 WEXITSTATUS(status));
}
