/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - tprecover: a server that starts ndrxd again when it has died
 *
 * ndrxd looks after the servers, this one after ndrxd: every few seconds it
 * sends a ping. An ndrxd that is silent for too long is killed. When none is
 * there at two looks in a row, `xadmin idle` starts one, which takes over the
 * servers that run. An ndrxd that is stopped in order stops this server first.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "libndrx/observe/command.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"

#define PING_MS 1000 /* the longest wait for one reply */

static struct {
	struct ow_domain domain;
	long period, patience; /* seconds */
	uint64_t silent_since; /* 0: it has answered */
	bool absent;	       /* at the last look */
} self = { .period = 5, .patience = 20 };

/* ---- starting ndrxd ---- */

/* What ndrxd sets for its servers is not for ndrxd. */
static void forget_own_variables(void)
{
	static const char *const names[] = {
		"NDRX_SVPROCNAME",	   "NDRX_SVSRVID",
		"NDRX_SVCLOPT",		   "NDRX_SVPPID",
		"NDRX_MINDISPATCHTHREADS", "NDRX_MAXDISPATCHTHREADS",
		"NDRX_THREADSTACKSIZE",	   "NDRX_RESPAWN",
		"NDRX_PROCGRP_NO",	   "NDRX_PROCGRP_LP_NO",
		"NDRX_HIDDENWORDS",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

/* In the child: never returns. The xadmin beside this program, else the one in
 * PATH. */
static void become_xadmin(void)
{
	char path[PATH_MAX + NAME_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	struct sched_param other = { .sched_priority = 0 };
	sigset_t none;

	forget_own_variables();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (sched_getscheduler(0) == SCHED_BATCH)
		sched_setscheduler(0, SCHED_OTHER, &other);
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash != NULL) {
		snprintf(slash + 1, NAME_MAX, "xadmin");
		execl(path, "xadmin", "idle", (char *)NULL);
	}
	execlp("xadmin", "xadmin", "idle", (char *)NULL);
	fprintf(stderr, "xadmin: %s\n", strerror(errno));
	_exit(127);
}

static void start_ndrxd(void)
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become_xadmin();
	while (pid > 0 && waitpid(pid, &status, 0) != pid && errno == EINTR)
		;
	if (status == 0)
		userlog((char *)"tprecover: ndrxd was gone: started again");
	else
		userlog((char *)"tprecover: ndrxd is gone and does not start: "
				"see its log");
}

/* ---- looking ---- */

static void on_silence(pid_t pid)
{
	uint64_t now = ow_clock_mono_ns();

	if (self.silent_since == 0)
		self.silent_since = now;
	if (pid <= 1 || now - self.silent_since <
				(uint64_t)self.patience * OW_NS_PER_SEC)
		return;
	userlog((char *)"tprecover: ndrxd, pid %d, has been silent for %ld s: "
			"it is killed", (int)pid, self.patience);
	kill(pid, SIGKILL);
	self.silent_since = 0;
}

static void on_absence(void)
{
	self.silent_since = 0;
	if (self.absent)
		start_ndrxd();
	self.absent = !self.absent;
}

/* Is ndrxd there, and does it answer? */
static int look(void)
{
	struct ow_command_order ping = { .verb = OW_VERB_PING,
					 .silence_ms = PING_MS };
	struct ow_ctl_done done;
	struct ow_command_link remote;
	pid_t pid = 0;
	int r = ow_command_open(&self.domain, &remote);

	if (r == OW_COMMAND_ABSENT) {
		on_absence();
		return 0;
	}
	self.absent = false;
	if (r == 0) {
		pid = ow_command_pid(&remote);
		r = ow_command_call(&remote, &ping, &done);
		ow_command_close(&remote);
	}
	if (r == 0)
		self.silent_since = 0;
	else
		on_silence(pid);
	return 0;
}

/* ---- the server ---- */

static int take(int option)
{
	long n = 0;

	if (option == 'm')
		return 0; /* of other runtimes, without effect */
	if ((option != 'c' && option != 't') ||
	    ow_env_parse_long(optarg, &n) != 0 || n < 1 || n > 86400) {
		userlog((char *)"tprecover: usage: -c seconds between looks "
				"(5), -t seconds of silence (20)");
		return -1;
	}
	*(option == 'c' ? &self.period : &self.patience) = n;
	return 0;
}

int tpsvrinit(int argc, char **argv)
{
	char why[256];
	int c;

	while ((c = getopt(argc, argv, "c:t:m::")) != -1)
		if (take(c) != 0)
			return -1;
	if (ow_domain_read_env(&self.domain, why, sizeof(why)) != 0) {
		userlog((char *)"tprecover: %s", why);
		return -1;
	}
	return tpext_addperiodcb((int)self.period, look);
}

void tpsvrdone(void)
{
}
