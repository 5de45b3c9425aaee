/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_snapshots.c - check what each tmsrv and tmqueue shows of its work
 */
#include "libndrx/observe/doctor_snapshots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/disk.h"
#include "libndrx/observe/format.h"
#include "libatmi/base/clock.h"

static double seconds(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / OW_NS_PER_SEC : 0;
}

/* ---- transactions ---- */

/* The one that is late for the longest time, of those that are listed. */
static const struct ow_tm_snapshot_tran *latest(const struct ow_tm_snapshot *p)
{
	const struct ow_tm_snapshot_tran *t, *found = NULL;

	for (t = p->tran; t < p->tran + p->n; t++)
		if (ow_snapshot_in_doubt(t) &&
		    (found == NULL || t->deadline_ns < found->deadline_ns))
			found = t;
	return found;
}

static void check_late(struct ow_doctor *doc, const struct ow_tm_snapshot *p,
		       uint64_t now_ns)
{
	const struct ow_tm_snapshot_tran *t = latest(p);
	char found[240];

	if (p->late_ns == 0 || t == NULL ||
	    now_ns < p->late_ns + OW_SNAPSHOT_LATE_NS)
		return;
	snprintf(found, sizeof(found), "tmsrv %u: %016" PRIx64 " %s, %.0f s "
		 "after its time-out: %s%s%s", p->head.srvid, t->id, t->state,
		 seconds(p->late_ns, now_ns), t->rms,
		 t->result[0] != '\0' ? ": " : "", t->result);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "branches in doubt",
		.found = found,
		.meaning = strcmp(t->state, OW_SNAPSHOT_DECIDING) == 0
			       ? "whether it is committed stands in the "
				 "database of its last resource, which does "
				 "not answer; its other branches keep locks "
				 "until then"
			       : "prepared branches keep locks until their "
				 "resource manager is told the decision, and "
				 "it does not answer",
		.cure = "bring the resource manager back: tmsrv repeats by "
			"itself; xadmin pt shows them" });
}

static void check_strays(struct ow_doctor *doc, const struct ow_tm_snapshot *p,
			 uint64_t now_ns)
{
	char found[120];

	if (p->strays == 0 || now_ns < p->stray_ns + OW_SNAPSHOT_STRAY_NS)
		return;
	snprintf(found, sizeof(found), "resource manager %u: %" PRIu64
		 " for %.0f s", p->rmid, p->strays,
		 seconds(p->stray_ns, now_ns));
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "branches without a tmsrv",
		.found = found,
		.meaning = "prepared branches whose tmsrv does not run, or has "
			   "lost its log, or is of another domain (a copy?) "
			   "that uses the same resource manager: they keep "
			   "their locks",
		.cure = "start that tmsrv (xadmin ppm), with its log; if the "
			"log is lost: xadmin recoverlocal, then commitlocal "
			"or abortlocal" });
}

/* Can it write its decisions? */
static void check_decisions(struct ow_doctor *doc,
			    const struct ow_tm_snapshot *p)
{
	bool refused = ow_snapshot_undecided(p);
	char found[400], avail[16];
	struct ow_disk d;

	ow_disk_of_file(p->path, &d);
	if (p->path[0] == '\0' ||
	    (!refused && ow_disk_judge(&d) == OW_DISK_GOOD))
		return;
	snprintf(found, sizeof(found), "tmsrv %u: %s free at %s%s%s",
		 p->head.srvid, ow_format_bytes(d.avail, avail, sizeof(avail)),
		 d.dir, refused ? ": " : "",
		 refused ? strerror(p->log_error) : "");
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = refused ? OW_DOCTOR_FAIL : OW_DOCTOR_WARN,
		.what = "disk of decisions", .found = found,
		.meaning = refused ? "its decisions cannot be written: "
				     "transactions of two resource managers "
				     "are rolled back (TPEABORT)"
				   : "nearly full: soon transactions cannot be "
				     "committed",
		.cure = "make room there, or move the log of the tmsrv (-l)" });
}

static void check_answers(struct ow_doctor *doc, const struct ow_tm_snapshot *p)
{
	char found[96];

	if (p->silent_s == 0)
		return;
	snprintf(found, sizeof(found), "%u (tmsrv %u): no answer for %u s",
		 p->rmid, p->head.srvid, p->silent_s);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "resource manager",
		.found = found,
		.meaning = "the database is down, hangs or cannot be reached: "
			   "services that use it fail, and transactions "
			   "cannot end",
		.cure = "bring it back; tmsrv and servers connect again by "
			"themselves. The log of the tmsrv says what failed" });
}

void ow_doctor_trans(struct ow_doctor *doc, const struct ow_tm_snapshot *p,
		     uint64_t now_ns)
{
	char found[64];

	check_answers(doc, p);
	check_decisions(doc, p);
	check_late(doc, p, now_ns);
	check_strays(doc, p, now_ns);
	if (p->heuristic == 0)
		return;
	snprintf(found, sizeof(found), "tmsrv %u: %" PRIu64, p->head.srvid,
		 p->heuristic);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "heuristic transactions",
		.found = found,
		.meaning = "a resource manager has decided by itself: perhaps "
			   "some branches are committed, others not",
		.cure = "compare the data, then xadmin forgetlocal" });
}

/* ---- durable queues ---- */

static void check_failures(struct ow_doctor *doc,
			   const struct ow_mq_snapshot *p,
			   const struct ow_mq_snapshot_queue *q)
{
	char found[80], cure[120];

	snprintf(found, sizeof(found), "%.15s of space %.15s: %" PRIu64, q->name,
		 p->space, q->queued);
	snprintf(cure, sizeof(cure), "xadmin mqlm -s %.15s -q %.15s lists them, mqdm "
		 "shows one, mqmv and mqrm clear them away", p->space,
		 q->name);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "failed messages",
		.found = found,
		.meaning = "other queues have given them up after the last "
			   "try: nobody works on them",
		.cure = cure });
}

static void check_oldest(struct ow_doctor *doc, const struct ow_mq_snapshot *p,
			 const struct ow_mq_snapshot_queue *q, uint64_t us)
{
	char found[120];

	snprintf(found, sizeof(found), "%.15s of space %.15s: %.1f h, of %" PRIu64,
		 q->name, p->space, (double)us / 3600e6, q->queued);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "old messages",
		.found = found,
		.meaning = "nobody has taken the first message of the queue "
			   "for more than an hour",
		.cure = "start its consumer; ndrxtop -s durable shows who "
			"waits" });
}

static void check_disk(struct ow_doctor *doc, const struct ow_mq_snapshot *p)
{
	char found[400], avail[16];
	enum ow_disk_state state;
	struct ow_disk d;

	ow_disk_of_file(p->path, &d);
	state = p->full ? OW_DISK_FULL : ow_disk_judge(&d);
	if (state == OW_DISK_GOOD)
		return;
	snprintf(found, sizeof(found), "space %s: %s free at %s", p->space,
		 ow_format_bytes(d.avail, avail, sizeof(avail)), d.dir);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = state == OW_DISK_FULL ? OW_DOCTOR_FAIL
					       : OW_DOCTOR_WARN,
		.what = "disk of durable queues", .found = found,
		.meaning = state == OW_DISK_FULL
			       ? "messages are refused; they can be taken"
			       : "nearly full: soon messages are refused",
		.cure = "make room there, or take messages out" });
}

void ow_doctor_space(struct ow_doctor *doc, const struct ow_mq_snapshot *p,
		     uint64_t real_ns)
{
	const struct ow_mq_snapshot_queue *q;
	uint64_t us;

	check_disk(doc, p);
	for (q = p->queue; q < p->queue + p->n; q++) {
		us = ow_snapshot_age_us(q, real_ns);
		if ((q->flags & OW_MQ_SNAPSHOT_FAILURES) && q->queued > 0)
			check_failures(doc, p, q);
		else if (us >= OW_SNAPSHOT_OLD_US)
			check_oldest(doc, p, q, us);
	}
}

void ow_doctor_snapshots(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_tm_snapshot *t;
	struct ow_mq_snapshot *s;
	uint32_t id = 0;

	while ((t = ow_snapshot_trans(v, &id)) != NULL) {
		ow_doctor_trans(doc, t, ow_clock_mono_ns());
		free(t);
	}
	id = 0;
	while ((s = ow_snapshot_space(v, &id)) != NULL) {
		ow_doctor_space(doc, s, ow_clock_real_ns());
		free(s);
	}
}
