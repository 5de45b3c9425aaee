/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare.c - start and end the servers of bare queues
 *
 * They end with their parent.
 */
#include "bench/bare.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const struct {
	const char *name;
	const struct ow_bare *ops;
} modes[] = {
	{ .name = "excl", .ops = &ow_bare_mq },
	{ .name = "bell", .ops = &ow_bare_mq },
	{ .name = "herd", .ops = &ow_bare_mq },
	{ .name = "block", .ops = &ow_bare_mq },
	{ .name = "shm", .ops = &ow_bare_shm },
};

_Noreturn void ow_bare_die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		strerror(errno));
	exit(1);
}

const struct ow_bare *ow_bare_of(const char *mode)
{
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, mode) == 0)
			return modes[i].ops;
	return NULL;
}

static _Noreturn void run_server(const struct bare_run *r, int ready, long id,
				 pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	r->ops->open_server(r->bare, id);
	if (write(ready, "r", 1) != 1)
		ow_bare_die("ready");
	for (;;)
		r->ops->serve(r->bare, id);
}

/* Each server that waits writes a byte. */
static void start_servers(struct bare_run *r)
{
	pid_t self = getpid();
	int ready[2];
	char byte;
	long i;

	r->pids = calloc((size_t)r->job.servers, sizeof(*r->pids));
	if (r->pids == NULL || pipe(ready) < 0)
		ow_bare_die("start");
	for (i = 0; i < r->job.servers; i++) {
		r->pids[i] = fork();
		if (r->pids[i] < 0)
			ow_bare_die("fork");
		if (r->pids[i] == 0)
			run_server(r, ready[1], i, self);
	}
	close(ready[1]);
	for (i = 0; i < r->job.servers; i++)
		if (read(ready[0], &byte, 1) != 1) {
			r->ops->remove(r->bare);
			ow_bare_die("a server did not start");
		}
	close(ready[0]);
}

void ow_bare_start(struct bare_run *r)
{
	sigset_t quiet, old;

	/* Signals must not end the process while names exist. */
	sigemptyset(&quiet);
	sigaddset(&quiet, SIGINT);
	sigaddset(&quiet, SIGTERM);
	sigprocmask(SIG_BLOCK, &quiet, &old);
	r->bare = r->ops->make(&r->job);
	start_servers(r);
	r->ops->open_parent(r->bare);
	r->ops->remove(r->bare);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

long ow_bare_stop(struct bare_run *r)
{
	struct rusage self, children;
	long i;

	for (i = 0; i < r->job.servers; i++)
		kill(r->pids[i], SIGKILL);
	for (i = 0; i < r->job.servers; i++)
		waitpid(r->pids[i], NULL, 0);
	free(r->pids);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return self.ru_nvcsw + self.ru_nivcsw + children.ru_nvcsw +
	       children.ru_nivcsw;
}
