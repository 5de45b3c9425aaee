/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - a server receives requests in a run, without bytes
 */
#include "libatmi/transport/posix/run.h"

#include "libatmi/base/clock.h"
#include "libatmi/transport/standby.h"
#include "libatmi/waking/constants.h"

bool ow_posix_runs(struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);
	struct ow_run *r = &q->run;
	uint64_t now;

	if (!r->ended && !r->held && q->svc != NULL && r->length <= q->waking->run_max) {
		now = ow_clock_mono_ns();
		if (r->length <= 1)
			r->since_ns = now;
		if (now - r->since_ns <= q->waking->run_ns)
			return true;
	}
	r->length = 0;
	return false;
}

void ow_posix_served(struct ow_queue *base, uint64_t since_ns, uint64_t took_ns)
{
	struct posix_queue *q = posix_of(base);

	if (q->standby != NULL && q->svc != NULL)
		q->run.held = ow_standby_served(q->standby, q->svc, since_ns,
						took_ns);
}
