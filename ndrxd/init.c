/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.c - duties of ndrxd as PID 1 of a container
 */
#include "ndrxd/init.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "libatmi/log/log.h"
#include "ndrxd/clients/client.h"
#include "ndrxd/control/guest_run.h"
#include "ndrxd/launch/procdir.h"
#include "ndrxd/model/lookup.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/servers/inst.h"

void ow_init_reap(struct ndrxd *d)
{
	struct ow_client *c;
	struct ow_inst *s;
	siginfo_t info;

	while (d->is_init) {
		memset(&info, 0, sizeof(info));
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    info.si_pid == 0)
			return;
		s = ow_inst_by_pid(d, info.si_pid);
		c = ow_client_by_pid(d, info.si_pid);
		if (s != NULL)
			ow_inst_check(s);
		else if (c != NULL)
			ow_client_check(c);
		else if (!ow_guest_run_ended(d, info.si_pid))
			waitpid(info.si_pid, NULL, WNOHANG);
	}
}

static void forward(pid_t pid, int sig)
{
	if (pid > 0 && ow_procdir_catches(pid, sig))
		kill(pid, sig);
}

void ow_init_forward(struct ndrxd *d, int sig)
{
	size_t i;

	if (!d->is_init)
		return;
	log_info("signal %d: forwarded to processes that handle it", sig);
	for (i = 0; i < d->n_insts; i++)
		forward(d->insts[i]->svpid, sig);
	for (i = 0; i < d->n_clients; i++)
		forward(d->clients[i]->pid, sig);
}
