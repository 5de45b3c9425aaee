/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grace.c - does a server that answers no ping hang, or does it work?
 *
 * At least every ping_max the server is looked at again: it may have left the
 * service and hang now. A server that has just left a service, or has begun
 * another request since the last look, had no time to answer: it gets one
 * more ping_max.
 */
#include "ndrxd/servers/grace.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/deadline.h"
#include "libatmi/member/in_hand.h"
#include "ndrxd/model/ndrxd.h"

#define SOON_MS 10u
/* The caller finds out by its own clock that its time is over, and gets
 * TPETIME; a kill at the same moment could be quicker, with TPESVCERR. */
#define CALLER_FIRST_NS (250 * OW_NS_PER_MS)

/* The limit of a service, and who has set it. */
struct limit {
	uint64_t ns; /* after its begin; 0: there is none */
	const char *set_by;
	uint64_t slack_ns; /* it is exceeded after so much more */
};

static struct limit limit_of(const struct ow_inst *s,
			     const struct ow_in_hand_view *v)
{
	const struct ow_config_service *row =
	    ow_config_service_find(s->d->config, v->service);
	uint64_t ms = row != NULL ? row->svctimeout_ms : 0;

	if (ms == 0 && s->def != NULL)
		ms = s->def->svctimeout_ms;
	if (ms != 0)
		return (struct limit){ ms * OW_NS_PER_MS, "<svctimeout>", 0 };
	if (v->deadline_ns == OW_DEADLINE_NEVER)
		return (struct limit){ 0, NULL, 0 };
	return (struct limit){ v->deadline_ns > v->since_ns
				   ? v->deadline_ns - v->since_ns
				   : 1,
			       "time-out of its caller", CALLER_FIRST_NS };
}

void ow_grace_ping(struct ow_inst *s)
{
	struct ow_in_hand_view v;

	s->in_service =
	    ow_in_hand(s->d->dom, s->srvid, &v) == OW_IN_HAND_ONE;
	s->service_since = v.since_ns;
}

/* It is in no service. Has it been in one since the last look? */
static uint64_t outside(struct ow_inst *s, const struct ow_in_hand_view *v)
{
	bool moved = s->in_service || v->since_ns != s->service_since;

	s->in_service = false;
	s->service_since = v->since_ns;
	return moved ? s->au.policy.ping_max_ms : 0;
}

/* Until the next look; never 0. */
static uint64_t at_most_ping_max(const struct ow_inst *s, uint64_t ms)
{
	uint64_t most = s->au.policy.ping_max_ms;

	if (ms > most)
		ms = most;
	return ms < SOON_MS ? SOON_MS : ms;
}

static uint64_t inside(struct ow_inst *s, const struct ow_in_hand_view *v)
{
	uint64_t took = ow_clock_mono_ns() - v->since_ns;
	struct limit l = limit_of(s, v);
	double seconds = (double)took / 1e9, most = (double)l.ns / 1e9;
	char *why = s->au.reason;
	size_t size = sizeof(s->au.reason);
	uint64_t ms;

	s->in_service = true;
	s->service_since = v->since_ns;
	if (l.ns == 0) {
		snprintf(why, size, "in service %s for %.1f s; its caller "
			 "waits without a limit, and it has no <svctimeout>",
			 v->service, seconds);
		return at_most_ping_max(s, UINT64_MAX);
	}
	if (took >= l.ns + l.slack_ns) {
		size_t n = strlen(why);

		snprintf(why + n, size - n, "; service %s has taken %.1f s, "
			 "its limit is %.1f s (%s)", v->service, seconds, most,
			 l.set_by);
		return 0;
	}
	snprintf(why, size, "in service %s for %.1f s of %.1f s (%s)",
		 v->service, seconds, most, l.set_by);
	ms = (l.ns + l.slack_ns - took) / OW_NS_PER_MS + SOON_MS;
	return at_most_ping_max(s, ms);
}

uint64_t ow_grace_ms(struct ow_inst *s)
{
	struct ow_in_hand_view v;

	if (s->d->ipc_gone || s->d->config == NULL)
		return 0;
	return ow_in_hand(s->d->dom, s->srvid, &v) == OW_IN_HAND_ONE
		   ? inside(s, &v)
		   : outside(s, &v);
}
