/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killall.c - killall: end processes of this domain by program name
 *
 * Names are compared whole; a process of another domain is never touched.
 */
#include "clients/xadmin/repair/repair.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clients/xadmin/domain/processes.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/clock.h"

#define TERM_MS	 5000 /* from SIGTERM to SIGKILL */
#define KILL_MAX 1024

struct killing {
	const struct ow_args *a;
	struct ow_domain d;
	struct {
		int pidfd;
		pid_t pid;
	} found[KILL_MAX];
	int n;
};

static bool collect(const struct ow_process *p, void *arg)
{
	struct killing *k = arg;
	int i, fd;

	for (i = 0; i < k->a->n_rest; i++)
		if (strcmp(p->name, k->a->rest[i]) == 0)
			break;
	if (i == k->a->n_rest || p->pid == getpid() ||
	    !ow_process_is_of(p, &k->d))
		return true;
	fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	/* Is it still the same process, not a new one with its number? */
	if (fd >= 0 && ow_proc_start(p->pid) != p->start) {
		close(fd);
		return true;
	}
	if (fd >= 0) {
		k->found[k->n].pid = p->pid;
		k->found[k->n++].pidfd = fd;
	}
	return k->n < KILL_MAX;
}

static int signal_all(const struct killing *k, int sig)
{
	int i, refused = 0;

	for (i = 0; i < k->n; i++)
		if (syscall(SYS_pidfd_send_signal, k->found[i].pidfd, sig,
			    NULL, 0) < 0 && errno == EPERM)
			refused++;
	return refused;
}

/* Wait until all have ended. How many have not. */
static int wait_all(const struct killing *k, int timeout_ms)
{
	uint64_t end = ow_clock_mono_ns() +
		       (uint64_t)timeout_ms * OW_NS_PER_MS;
	int i, left = 0;

	for (i = 0; i < k->n; i++) {
		struct pollfd p = { .fd = k->found[i].pidfd,
				    .events = POLLIN };
		uint64_t now = ow_clock_mono_ns();

		left += poll(&p, 1, now < end ? (int)((end - now) /
						      OW_NS_PER_MS) : 0) != 1;
	}
	return left;
}

static int fail_none(const struct ow_args *a)
{
	char names[200] = "";
	size_t len;
	int i;

	for (i = 0; i < a->n_rest; i++) {
		len = strlen(names);
		snprintf(names + len, sizeof(names) - len, " %s", a->rest[i]);
	}
	return ow_cmd_fail(a, "no process%s in this domain", names);
}

int ow_repair_killall(struct ow_args *a)
{
	struct killing *k;
	int i, left, refused;

	if (a->n_rest == 0)
		return ow_cmd_misused(a, "give names of programs");
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return ow_cmd_fail(a, "no memory");
	k->a = a;
	if (ow_reach_own(a, &k->d) != OW_EXIT_OK) {
		free(k);
		return OW_EXIT_FAILED;
	}
	ow_process_each(collect, k);
	if (k->n == 0) {
		free(k);
		return fail_none(a);
	}
	refused = signal_all(k, SIGTERM);
	left = k->n == refused ? k->n : wait_all(k, TERM_MS);
	if (left > refused) {
		signal_all(k, SIGKILL);
		left = wait_all(k, TERM_MS);
	}
	fprintf(stderr, "%d processes of domain %s ended.\n", k->n - left,
		k->d.prefix);
	for (i = 0; i < k->n; i++)
		close(k->found[i].pidfd);
	free(k);
	if (left > 0)
		return ow_cmd_fail(a, "%d processes are left: %s", left,
				   refused > 0 ? "they belong to another user"
					       : "they do not die");
	return OW_EXIT_OK;
}
