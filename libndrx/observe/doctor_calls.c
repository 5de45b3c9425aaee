/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_calls.c - check whether calls wait for each other in a circle
 */
#include "libndrx/observe/doctor_calls.h"

#include <stdio.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libndrx/observe/calls.h"

#define WAIT_US (OW_NS_PER_SEC / OW_NS_PER_US) /* of a look: calls are many */

/* Has a server waited for others in a request for a second? */
static bool somebody_waits(const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (ow_observer_request_age_us(v, id) > WAIT_US &&
		    ow_observer_waits(v, ow_observer_srvid(v, id)))
			return true;
	return false;
}

/* Those that servers have: what waits in queues is the consequence. */
static void find(const struct ow_calls *c, struct ow_doctor_names *ret)
{
	struct ow_calls_chains *w;
	char why[512], name[128];
	bool deadlock;
	size_t i;

	if (ow_calls_chains_new(c, &w) != 0)
		return;
	for (i = 0; i < c->n; i++) {
		ow_calls_why(w, i, why, sizeof(why), &deadlock);
		if (!deadlock || c->row[i].srvid == 0)
			continue;
		snprintf(name, sizeof(name), "%s (%.24s %u)", c->row[i].service,
			 c->row[i].server, c->row[i].srvid);
		ow_doctor_name(ret, name);
	}
	ow_calls_chains_free(w);
}

void ow_doctor_calls(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_doctor_names stuck = { .n = 0 };
	struct ow_observer copy = *v; /* a look opens the blocks in it */
	struct ow_calls c;

	if (!somebody_waits(v) || ow_calls_look(&copy, &c) != 0)
		return;
	find(&c, &stuck);
	ow_calls_free(&c);
	if (stuck.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "deadlock",
		.found = stuck.text,
		.meaning = "these requests wait for each other: none goes on "
			   "before a time-out",
		.cure = "`xadmin calls --stuck` has the circle, `xadmin restart "
			"-i ID` of one ends it; more servers of one of the "
			"services keep it from coming back" });
}
