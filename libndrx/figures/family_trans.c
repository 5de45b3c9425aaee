/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_trans.c - figures of transactions, of each tmsrv
 */
#include "libndrx/figures/family.h"

#include <stdio.h>
#include <stdlib.h>

#include "libatmi/base/clock.h"
#include "libndrx/observe/snapshots.h"

struct tmsrv {
	struct ow_tm_snapshot *p;
	char srvid[16], rmid[16];
	struct ow_text_label labels[4]; /* the third is free */
};

/* The next tmsrv behind *id; frees the one before. False: no more. */
static bool next_tm(const struct ow_figures *f, uint32_t *id, struct tmsrv *m)
{
	free(m->p);
	m->p = ow_snapshot_trans(&f->view, id);
	if (m->p == NULL)
		return false;
	snprintf(m->srvid, sizeof(m->srvid), "%u", m->p->head.srvid);
	snprintf(m->rmid, sizeof(m->rmid), "%u", m->p->rmid);
	m->labels[0] = (struct ow_text_label){ "srvid", m->srvid };
	m->labels[1] = (struct ow_text_label){ "rm", m->rmid };
	m->labels[2] = (struct ow_text_label){ NULL, NULL };
	return true;
}

#define EACH_TM(f, m) \
	struct tmsrv m = { .p = NULL }; \
	for (uint32_t i_ = 0; next_tm(f, &i_, &(m));)

void ow_family_tm(const struct ow_figures *f, const struct ow_family *fam,
		  struct ow_text *t)
{
	EACH_TM(f, m)
		ow_family_uint(fam, t, m.labels, ow_family_word(fam, m.p));
}

/* One sample for each word, with a label for it. */
static void write_by(const struct ow_family *fam, struct ow_text *t,
		     struct tmsrv *m, const char *name, const char *value,
		     uint64_t n)
{
	m->labels[2] = (struct ow_text_label){ name, value };
	ow_family_uint(fam, t, m->labels, n);
}

void ow_family_tm_states(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	EACH_TM(f, m) {
		write_by(fam, t, &m, "state", "active", m.p->active);
		write_by(fam, t, &m, "state", "ending", m.p->ending);
		write_by(fam, t, &m, "state", "heuristic", m.p->heuristic);
	}
}

void ow_family_tm_ends(const struct ow_figures *f, const struct ow_family *fam,
		       struct ow_text *t)
{
	EACH_TM(f, m) {
		write_by(fam, t, &m, "outcome", "committed",
			 m.p->count[OW_TM_COUNT_COMMITTED]);
		write_by(fam, t, &m, "outcome", "rolled_back",
			 m.p->count[OW_TM_COUNT_ROLLED_BACK]);
		write_by(fam, t, &m, "outcome", "unsure",
			 m.p->count[OW_TM_COUNT_UNSURE]);
	}
}

/* Those of its own transactions, and those whose tmsrv is silent. */
void ow_family_tm_doubt(const struct ow_figures *f,
			const struct ow_family *fam, struct ow_text *t)
{
	EACH_TM(f, m)
		ow_family_uint(fam, t, m.labels, m.p->in_doubt + m.p->strays);
}

/* A busy domain has branches in doubt at each moment: these are a fault. */
static uint64_t late_ns(const struct ow_tm_snapshot *p, uint64_t now_ns)
{
	uint64_t late = p->late_ns != 0 && now_ns > p->late_ns
				? now_ns - p->late_ns : 0;
	uint64_t stray = p->strays > 0 && now_ns > p->stray_ns
				 ? now_ns - p->stray_ns : 0;

	if (late < OW_SNAPSHOT_LATE_NS)
		late = 0;
	return stray >= OW_SNAPSHOT_STRAY_NS && stray > late ? stray : late;
}

void ow_family_tm_late(const struct ow_figures *f, const struct ow_family *fam,
		       struct ow_text *t)
{
	EACH_TM(f, m)
		ow_family_us(fam, t, m.labels,
			     late_ns(m.p, ow_clock_mono_ns()) / OW_NS_PER_US);
}

void ow_family_tm_silent(const struct ow_figures *f,
			 const struct ow_family *fam, struct ow_text *t)
{
	EACH_TM(f, m)
		ow_family_uint(fam, t, m.labels, m.p->silent_s);
}

void ow_family_tm_commits(const struct ow_figures *f,
			  const struct ow_family *fam, struct ow_text *t)
{
	uint64_t hist[OW_HIST_BUCKETS];
	uint32_t b;

	EACH_TM(f, m) {
		for (b = 0; b < OW_HIST_BUCKETS; b++)
			hist[b] = m.p->commit_hist[b];
		ow_family_write_hist(fam, t, m.labels, hist, m.p->commit_us,
			     NULL);
	}
}
