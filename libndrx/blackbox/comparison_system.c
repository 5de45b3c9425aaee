/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison_system.c - databases and disks of one sample after the other
 *
 * A tmsrv shows whether its resource manager answers and whether its decisions
 * can be written, a tmqueue whether its disk is full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/blackbox/comparison.h"
#include "libndrx/observe/snapshots.h"

/* What one of them showed in the last sample. */
struct ow_bb_system_past {
	uint32_t srvid;
	bool silent, undecided, full;
};

/* One that was not there has shown no fault. */
static struct ow_bb_system_past past_of(const struct ow_bb_comparison *c,
					uint32_t srvid)
{
	size_t i;

	for (i = 0; i < c->n_system; i++)
		if (c->system[i].srvid == srvid)
			return c->system[i];
	return (struct ow_bb_system_past){ .srvid = srvid };
}

static void say(struct ow_bb_comparison *c, bool bad, uint32_t srvid,
		const char *kind, const char *who, const char *text)
{
	struct ow_bb_change *v = ow_bb_say(c, bad ? 2 : 0, kind, who, "%s",
					   text);

	if (v != NULL)
		v->srvid = srvid;
}

static struct ow_bb_system_past compare_tm(struct ow_bb_comparison *c,
					   const struct ow_tm_snapshot *p)
{
	struct ow_bb_system_past old = past_of(c, p->head.srvid),
				 now = { .srvid = p->head.srvid,
					 .silent = p->silent_s > 0,
					 .undecided = ow_snapshot_undecided(p) };
	char text[96], who[24];

	snprintf(who, sizeof(who), "rm %u", p->rmid);
	snprintf(text, sizeof(text), "the database had not answered for %u s",
		 p->silent_s);
	if (old.silent != now.silent)
		say(c, now.silent, now.srvid, "database", who,
		    now.silent ? text : "tmsrv misses no answer any more");
	snprintf(text, sizeof(text), "decisions cannot be written: %s",
		 strerror(p->log_error));
	if (old.undecided != now.undecided)
		say(c, now.undecided, now.srvid, "disk", "tmsrv",
		    now.undecided ? text : "no decision fails any more");
	return now;
}

static struct ow_bb_system_past compare_space(struct ow_bb_comparison *c,
					      const struct ow_mq_snapshot *p)
{
	struct ow_bb_system_past old = past_of(c, p->head.srvid),
				 now = { .srvid = p->head.srvid,
					 .full = p->full != 0 };
	char who[24];

	snprintf(who, sizeof(who), "space %.15s", p->space);
	if (old.full != now.full)
		say(c, now.full, now.srvid, "disk", who,
		    now.full ? "the disk is full: messages are refused"
			     : "messages can be put again");
	return now;
}

void ow_bb_compare_system(struct ow_bb_comparison *c,
			  const struct ow_sample *s)
{
	size_t i, n = 0;
	struct ow_bb_system_past *now =
	    calloc(s->n_trans + s->n_spaces + 1, sizeof(*now));

	if (now == NULL) {
		c->failed = true;
		return;
	}
	for (i = 0; i < s->n_trans; i++)
		now[n++] = compare_tm(c, s->trans[i]);
	for (i = 0; i < s->n_spaces; i++)
		now[n++] = compare_space(c, s->spaces[i]);
	free(c->system);
	c->system = now;
	c->n_system = n;
}
