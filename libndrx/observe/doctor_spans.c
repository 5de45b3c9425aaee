/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_spans.c - check whether the spans of the domain reach their receiver
 */
#include "libndrx/observe/doctor_spans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libatmi/base/clock.h"
#include "libatmi/span/snapshot.h"
#include "libndrx/observe/observer.h"

#define LATELY_NS (60 * OW_NS_PER_SEC)

static void say_lost(struct ow_doctor *doc, const struct ow_span_snapshot *p)
{
	char found[320];

	snprintf(found, sizeof(found), "%" PRIu64 " dropped by processes, %"
		 PRIu64 " torn, %" PRIu64 " dropped by ndrxotel, %" PRIu64
		 " refused%s%s", p->dropped, p->torn, p->overflow, p->refused,
		 p->error[0] != '\0' ? "; " : "", p->error);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "spans",
		.found = found,
		.meaning = "traces have gaps: work was done and is not shown",
		.cure = "send fewer (ndrxotel -n), or see why the receiver is "
			"slow or refuses: xadmin spans" });
}

static void say_unsent(struct ow_doctor *doc, const struct ow_span_snapshot *p)
{
	char found[400];

	snprintf(found, sizeof(found), "%u wait; %s: %s", p->waiting, p->to,
		 p->error);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "spans",
		.found = found,
		.meaning = "the receiver of spans does not take them; when no "
			   "more can wait, they are dropped",
		.cure = "see whether it runs, and whether ndrxotel has its "
			"address (-e)" });
}

void ow_doctor_spans(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_span_snapshot *p = ow_span_snapshot_get(&v->d);

	if (p == NULL)
		return;
	if (p->lost_ns != 0 && ow_clock_mono_ns() < p->lost_ns + LATELY_NS)
		say_lost(doc, p);
	else if (p->waiting > 0 && p->error[0] != '\0')
		say_unsent(doc, p);
	free(p);
}
