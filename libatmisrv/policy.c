/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.c - the scheduling policy of a server
 *
 * Under SCHED_BATCH a woken server does not preempt the process that runs, in
 * the middle of a burst: doc/design/scheduling.md has what that is worth, and
 * what it costs services that wait, whose servers leave it (waking/waits.h).
 * NDRX_SCHED (normal, batch) overrides both. A policy that was set from outside
 * stays.
 */
#include "libatmisrv/policy.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/rt.h"
#include "libatmi/transport/transport.h"

/* Who may not have more priority cannot give this flag back, either. */
static void take_on(int policy)
{
	struct sched_param none = { 0 };

	sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &none);
}

void ow_policy_set(const struct ow_domain *d, struct ow_policy *ret)
{
	const char *policy = ow_env_str("NDRX_SCHED", "auto");
	/* ndrxd may have been killed before it took the real-time priority of
	 * a starting process away. */
	bool starting = ow_rt_is_child(0);
	struct sched_param none = { 0 };

	*ret = (struct ow_policy){ 0 };
	if (d->wake == OW_WAKE_HERD)
		policy = "normal"; /* for comparison with other runtimes */
	if (!starting && sched_getscheduler(0) != SCHED_OTHER)
		return;
	ret->is_auto = ret->learns = strcmp(policy, "auto") == 0;
	if (ret->learns || strcmp(policy, "batch") == 0)
		take_on(SCHED_BATCH);
	else if (starting)
		sched_setscheduler(0, SCHED_OTHER, &none);
}

/* It has the policy of the thread that began it, without the flag. Somebody may
 * have chosen one for the process meanwhile. */
void ow_policy_set_thread(const struct ow_policy *main, struct ow_policy *ret)
{
	int now = sched_getscheduler(getpid());

	*ret = (struct ow_policy){ .is_auto = main->is_auto };
	if (!main->is_auto || (now != (SCHED_BATCH | SCHED_RESET_ON_FORK) &&
			       now != (SCHED_OTHER | SCHED_RESET_ON_FORK)))
		return;
	ret->learns = true;
	take_on(SCHED_BATCH);
}

static long switches(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_nvcsw : 0;
}

void ow_policy_count(struct ow_policy *p)
{
	p->switches = switches();
}

void ow_policy_learn(struct ow_policy *p, const struct ow_waking *k,
		     uint64_t took_ns)
{
	long n = p->waits.counts ? switches() - p->switches : 0;

	int was = p->waits.waits ? SCHED_OTHER : SCHED_BATCH;

	if (!ow_waits_served(&p->waits, k, took_ns, n))
		return;
	if (sched_getscheduler(0) == (was | SCHED_RESET_ON_FORK))
		take_on(p->waits.waits ? SCHED_OTHER : SCHED_BATCH);
	else
		p->learns = false; /* somebody has chosen one meanwhile */
}
