/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrxd.c - idle, ldcf, dping, dpid, dsleep, appconfig, cabort, mmon, mmoff:
 * ndrxd itself
 */
#include "clients/xadmin/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/gate.h"

#define PING_PERIOD_MS 1000
#define DSLEEP_MAX     3600000

int ow_control_idle(struct ow_args *a)
{
	struct ow_command_link link = { .fd = -1 };
	struct ow_domain d;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	if (ow_command_open(&d, &link) == 0) {
		ow_command_close(&link);
		fprintf(stderr, "ndrxd is already running\n");
		return OW_EXIT_OK;
	}
	r = ow_reach_or_start_ndrxd(a, &d, &link);
	if (r != OW_EXIT_OK)
		return r;
	fprintf(stderr, "ndrxd is running; no server was started\n");
	ow_command_close(&link);
	return OW_EXIT_OK;
}

int ow_control_ldcf(struct ow_args *a)
{
	struct ow_command_link link = { .fd = -1 };
	struct ow_domain d;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	if (ow_command_open(&d, &link) != 0)
		return ow_control_idle(a); /* it loads the file when it starts */
	ow_command_close(&link);
	fprintf(stderr, "the configuration is loaded; `reload` reads it "
			"again\n");
	return OW_EXIT_OK;
}

static int ping_once(struct ow_args *a, struct ow_command_link *link, long loop)
{
	struct ow_command_order c = { .verb = OW_VERB_PING };
	uint64_t begin = ow_clock_mono_ns();
	struct ow_ctl_done done;
	int r = ow_command_call(link, &c, &done);

	r = ow_reach_result(a, r, &done);
	if (r != OW_EXIT_OK)
		return r;
	printf("loop %ld: ndrxd_ping_seq=%ld time=%" PRIu64 " ms\n", loop,
	       loop + 1, (ow_clock_mono_ns() - begin) / OW_NS_PER_MS);
	fflush(stdout);
	return OW_EXIT_OK;
}

int ow_control_dping(struct ow_args *a)
{
	const char *text = ow_args_value(a, 'c');
	long i, count = 4;
	struct ow_command_link link;
	struct ow_domain d;
	int r;

	if (text != NULL && (ow_env_parse_long(text, &count) != 0 ||
			     count < 1))
		return ow_cmd_misused(a, "-c %s: give a count", text);
	r = ow_reach_ndrxd(a, &d, &link);
	if (r != OW_EXIT_OK)
		return r;
	for (i = 0; i < count && r == OW_EXIT_OK; i++) {
		if (i > 0 && poll(NULL, 0, PING_PERIOD_MS) < 0)
			break; /* Ctrl-C */
		r = ping_once(a, &link, i);
	}
	ow_command_close(&link);
	return r;
}

/* Does ndrxd refuse a guest? */
static int check_guest(struct ow_args *a, struct ow_command_link *link)
{
	struct ow_command_order c = { .verb = OW_VERB_PING };
	struct ow_ctl_done done;

	return !ow_gate_is_asked()
		   ? OW_EXIT_OK
		   : ow_reach_result(a, ow_command_call(link, &c, &done),
				     &done);
}

int ow_control_dpid(struct ow_args *a)
{
	struct ow_command_link link;
	struct ow_domain d;
	int r = ow_reach_ndrxd(a, &d, &link);

	if (r != OW_EXIT_OK)
		return r;
	r = check_guest(a, &link);
	if (r == OW_EXIT_OK)
		printf("%d\n", (int)ow_command_pid(&link));
	ow_command_close(&link);
	return r;
}

/* In a child, which continues ndrxd also when xadmin is interrupted, suspended or
 * killed: no key of the terminal reaches it, and with xadmin the pipe behind `fd`
 * ends. Never returns. */
static void stop_ndrxd(pid_t ndrxd, int ms, int fd)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t i;

	setsid();
	for (i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	if (kill(ndrxd, SIGSTOP) < 0)
		_exit(errno);
	poll(&p, 1, ms);
	kill(ndrxd, SIGCONT);
	_exit(0);
}

/* 0 or an errno. */
static int let_sleep(pid_t ndrxd, int ms)
{
	int fds[2], status = 0, e;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	child = fork();
	e = errno;
	if (child == 0) {
		close(fds[1]);
		stop_ndrxd(ndrxd, ms, fds[0]);
	}
	close(fds[0]);
	if (child < 0) {
		close(fds[1]);
		return e;
	}
	e = waitpid(child, &status, 0) < 0; /* Ctrl-C at the prompt */
	close(fds[1]);
	if (e != 0)
		waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int ow_control_dsleep(struct ow_args *a)
{
	struct ow_command_link link;
	struct ow_domain d;
	uint64_t ms;
	pid_t pid;
	int r, e;

	if (a->n_rest != 1 || ow_env_parse_ms(a->rest[0], &ms) != 0 ||
	    ms > DSLEEP_MAX)
		return ow_cmd_misused(a, "give a time, at most an hour: "
					 "seconds such as 5 or 0.5, or 250ms");
	r = ow_reach_ndrxd(a, &d, &link);
	if (r != OW_EXIT_OK)
		return r;
	pid = ow_command_pid(&link);
	e = let_sleep(pid, (int)ms);
	if (e != 0)
		r = ow_cmd_fail(a, "ndrxd, pid %d: %s", (int)pid, strerror(e));
	ow_command_close(&link);
	return r;
}

int ow_control_appconfig(struct ow_args *a)
{
	struct ow_command_order c = { .verb = OW_VERB_APPCONFIG };

	if (a->n_rest > 0)
		c.name = a->rest[0];
	if (a->n_rest > 1)
		c.text = a->rest[1];
	return ow_reach_ask(a, &c);
}

int ow_control_cabort(struct ow_args *a)
{
	struct ow_command_order c = { .verb = OW_VERB_CABORT };

	return ow_cmd_sure(a) ? ow_reach_ask(a, &c) : OW_EXIT_FAILED;
}

int ow_control_mmon(struct ow_args *a)
{
	struct ow_command_order c = { .verb = OW_VERB_MMON };

	return ow_reach_ask(a, &c);
}

int ow_control_mmoff(struct ow_args *a)
{
	struct ow_command_order c = { .verb = OW_VERB_MMOFF };

	return ow_reach_ask(a, &c);
}
