/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_run.c - programs that ndrxd runs for guests
 */
#include "ndrxd/control/guest_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/log/log.h"
#include "libndrx/config/cmdline.h"
#include "ndrxd/launch/exec.h"
#include "ndrxd/launch/watch.h"
#include "ndrxd/model/ndrxd.h"
#include "libndrx/prepare/path.h"
#include "ndrxd/report/peer.h"

#define FAILED 1u

struct ow_guest_run {
	LIST_ENTRY(ow_guest_run) link;
	struct ndrxd *d;
	struct ow_peer *peer; /* NULL: the guest has gone */
	uint32_t seq;	      /* of its command */
	uid_t uid;
	pid_t pid;
	int pidfd;
	ev_io gone;
};

static const char *const programs[] = { "xadmin", "ndrxtop", "ndrxmetrics" };

static void refuse(struct ow_peer *p, const char *what, const char *why)
{
	char text[300];

	snprintf(text, sizeof(text), "%.100s: %.150s", what, why);
	ow_peer_done(p, FAILED, 0, text);
}

/* ---- the end ---- */

static void tell(struct ow_guest_run *run, bool known, int status)
{
	struct ow_peer *p = run->peer;
	char how[160];

	p->run = NULL;
	p->seq = run->seq;
	if (known && WIFEXITED(status)) {
		ow_peer_done(p, 0, (uint32_t)WEXITSTATUS(status), "");
		return;
	}
	ow_watch_explain(known, status, how, sizeof(how));
	refuse(p, "the program of the domain's user", how);
}

static void finish(struct ow_guest_run *run, bool known, int status)
{
	ow_watch_stop(run->d->loop, &run->gone, run->pidfd);
	LIST_REMOVE(run, link);
	if (run->peer != NULL)
		tell(run, known, status);
	free(run);
}

static void on_gone(EV_P_ ev_io *w, int revents)
{
	struct ow_guest_run *run = w->data;
	int status = 0;
	bool known = ow_watch_reap(run->pid, true, &status);

	finish(run, known, status);
}

bool ow_guest_run_ended(struct ndrxd *d, pid_t pid)
{
	struct ow_guest_run *run;

	LIST_FOREACH(run, &d->conn.guest_runs, link)
		if (run->pid == pid) {
			on_gone(d->loop, &run->gone, EV_READ);
			return true;
		}
	return false;
}

void ow_guest_run_drop(struct ow_peer *p)
{
	struct ow_guest_run *run = p->run;

	if (run == NULL)
		return;
	/* SIGTERM, so that a console gives the terminal back. */
	kill(run->pid, SIGTERM);
	run->peer = NULL;
	p->run = NULL;
}

void ow_guest_run_close(struct ndrxd *d)
{
	struct ow_guest_run *run;

	while ((run = LIST_FIRST(&d->conn.guest_runs)) != NULL) {
		kill(run->pid, SIGTERM);
		if (run->peer != NULL)
			run->peer->run = NULL;
		run->peer = NULL;
		finish(run, false, 0);
	}
}

/* ---- the begin ---- */

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strcmp(programs[i], name) == 0)
			return true;
	return false;
}

/* A file could be one that only the domain's user may write to, as some of
 * /proc: what a guest has opened is used if it is a pipe or a terminal. */
static bool is_harmless(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && isatty(fd)));
}

static bool has_room(const struct ndrxd *d, uid_t uid)
{
	const struct ow_guest_run *run;
	unsigned int n = 0, same = 0;

	LIST_FOREACH(run, &d->conn.guest_runs, link) {
		n++;
		same += run->uid == uid;
	}
	return n < OW_GUEST_RUNS && same < OW_GUEST_RUNS_EACH;
}

/* NAME --guest look|admin, and the words of the guest. 0, LONG, -ENOMEM. */
static int make_words(const struct ow_ctl_cmd *cmd, struct ow_cmdline *ret)
{
	bool change = (cmd->flags & OW_CTLF_CHANGE) != 0;
	char text[sizeof(cmd->text)], *word;
	char *next = cmd->text[0] != '\0' ? text : NULL;
	int r = ow_cmdline_add(ret, cmd->name);

	if (r == 0)
		r = ow_cmdline_add(ret, "--guest");
	if (r == 0)
		r = ow_cmdline_add(ret, change ? "admin" : "look");
	memcpy(text, cmd->text, sizeof(text));
	while (r == 0 && (word = strsep(&next, "\n")) != NULL)
		r = ow_cmdline_add(ret, word);
	return r;
}

static int start(struct ow_guest_run *run, const struct ow_ctl_cmd *cmd,
		 const char *path)
{
	struct ow_cmdline words = { 0 };
	struct ow_launch_exec e = {
		.path = path,
		.envp = environ,
		.base = &run->d->base,
		.lock_fd = -1,
		.out_fd = run->peer->fds[0],
		.err_fd = run->peer->fds[1],
	};
	int r = make_words(cmd, &words);

	e.argv = words.argv;
	r = r > 0 ? -E2BIG : r;
	if (r == 0)
		r = ow_launch_exec(&e, &run->pid);
	ow_cmdline_clear(&words);
	return r;
}

/* The loop calls on_gone() at its end. Without a pidfd it is ended at once. */
static int watch(struct ow_guest_run *run)
{
	int e;

	ev_init(&run->gone, on_gone);
	run->gone.data = run;
	run->pidfd = ow_watch_start(run->d->loop, &run->gone, run->pid);
	if (run->pidfd >= 0)
		return 0;
	e = errno;
	kill(run->pid, SIGKILL);
	waitpid(run->pid, NULL, 0);
	return -e;
}

static int begin(struct ow_peer *p, const struct ow_ctl_cmd *cmd,
		 const char *path)
{
	struct ow_guest_run *run = calloc(1, sizeof(*run));
	int r = run != NULL ? 0 : -ENOMEM;

	if (r == 0) {
		run->d = p->d;
		run->peer = p;
		run->seq = p->seq;
		run->uid = p->uid;
		r = start(run, cmd, path);
	}
	if (r == 0)
		r = watch(run);
	if (r < 0) {
		free(run);
		return r;
	}
	p->run = run;
	LIST_INSERT_HEAD(&p->d->conn.guest_runs, run, link);
	return 0;
}

void ow_guest_run(struct ow_peer *p, const struct ow_ctl_cmd *cmd)
{
	char path[PATH_MAX];
	int r;

	if (!is_known(cmd->name) || !is_harmless(p->fds[0]) ||
	    !is_harmless(p->fds[1])) {
		refuse(p, cmd->name, "give xadmin, ndrxtop or ndrxmetrics, and "
				     "two pipes or terminals of a guest");
		return;
	}
	if (!has_room(p->d, p->uid)) {
		refuse(p, cmd->name, "too many programs run for guests "
				     "already: try again");
		return;
	}
	r = ow_path_find(cmd->name, ow_env_str("PATH", NULL), path,
			 sizeof(path));
	if (r == 0)
		r = -begin(p, cmd, path);
	if (r != 0) {
		log_error("%s for user %u: %s", path, (unsigned int)p->uid,
			  strerror(r));
		refuse(p, path, strerror(r));
	}
}
