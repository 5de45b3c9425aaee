/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - ndrxd runs with a higher priority than its children
 */
#include "ndrxd/launch/priority.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/rt.h"

#define NICE (-10)

static int set_policy(pid_t pid, int policy, int priority)
{
	struct sched_param p = { .sched_priority = priority };

	return sched_setscheduler(pid, policy, &p);
}

/* The kernel's word that this process has run for too long at real-time
 * priority without a sleep. It ends with the same signal. */
static void on_limit(int sig)
{
	static const char words[] =
	    "ndrxd: has computed for 5 s at real-time priority without a "
	    "pause, which is a defect: ended by SIGXCPU, so that it does not "
	    "stop the machine. Servers run on; start ndrxd again\n";

	if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
		_exit(128 + sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

void ow_priority_bound(struct ow_priority *p, uint64_t us)
{
	struct sigaction sa = { .sa_handler = on_limit,
				.sa_flags = (int)SA_RESETHAND };
	struct rlimit rl;

	if (p->how != OW_PRIORITY_RT || getrlimit(RLIMIT_RTTIME, &rl) < 0 ||
	    rl.rlim_cur <= us)
		return;
	p->rttime = rl;
	rl.rlim_cur = us;
	if (sigaction(SIGXCPU, &sa, NULL) == 0 &&
	    setrlimit(RLIMIT_RTTIME, &rl) == 0)
		p->bounded = true;
}

struct ow_priority ow_priority_raise(void)
{
	struct ow_priority p = { .how = OW_PRIORITY_UNCHANGED };

	if (strcmp(ow_env_str("NDRX_SCHED", ""), "normal") == 0 ||
	    sched_getscheduler(0) != SCHED_OTHER ||
	    getpriority(PRIO_PROCESS, 0) != 0)
		return p;
	if (set_policy(0, SCHED_RR, OW_RT_NDRXD) == 0)
		p.how = OW_PRIORITY_RT;
	else if (setpriority(PRIO_PROCESS, 0, NICE) == 0)
		p.how = OW_PRIORITY_NICE;
	return p;
}

void ow_priority_of_child(struct ow_priority p)
{
	if (p.how == OW_PRIORITY_RT)
		set_policy(0, SCHED_RR, OW_RT_CHILD);
	if (p.bounded)
		setrlimit(RLIMIT_RTTIME, &p.rttime);
}

void ow_priority_restore(struct ow_priority p, pid_t pid)
{
	if (p.how == OW_PRIORITY_RT && ow_rt_is_child(pid))
		set_policy(pid, SCHED_OTHER, 0);
	else if (p.how == OW_PRIORITY_NICE &&
		 getpriority(PRIO_PROCESS, (id_t)pid) == NICE)
		setpriority(PRIO_PROCESS, (id_t)pid, 0);
}
