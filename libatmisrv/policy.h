/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - the scheduling policy of a server
 */
#ifndef OW_POLICY_H
#define OW_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/waits.h"

struct ow_domain;

/* Of one thread. */
struct ow_policy {
	bool is_auto; /* NDRX_SCHED; never changes: other threads read it */
	bool learns; /* nobody else has chosen a policy */
	long switches; /* voluntary ones, before the request in hand */
	struct ow_waits waits;
};

/* Set the policy with which the server of this thread begins. */
void ow_policy_set(const struct ow_domain *d, struct ow_policy *ret);

/* The same for a further dispatch thread of that server. */
void ow_policy_set_thread(const struct ow_policy *main, struct ow_policy *ret);

void ow_policy_count(struct ow_policy *p);
void ow_policy_learn(struct ow_policy *p, const struct ow_waking *k,
		     uint64_t took_ns);

/* Before a request is served. */
static inline void ow_policy_before(struct ow_policy *p)
{
	if (p->waits.counts)
		ow_policy_count(p);
}

/* After a request was served in `took_ns`. Seldom more than a look: a short
 * service after short services. */
static inline void ow_policy_after(struct ow_policy *p,
				   const struct ow_waking *k, uint64_t took_ns)
{
	if (p->learns && (took_ns >= k->waits_ns || p->waits.score > 0 ||
			  p->waits.counts))
		ow_policy_learn(p, k, took_ns);
}

#endif
