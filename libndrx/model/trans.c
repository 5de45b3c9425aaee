/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trans.c - transactions: of each tmsrv, those that it shows
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"
#include "libatmi/base/clock.h"

/* ---- figures ---- */

static struct ow_m_tm *find_tm(struct ow_model *m,
			       const struct ow_tm_snapshot *p, uint64_t now_ns)
{
	uint32_t id = p->head.srvid;
	struct ow_m_tm *t;

	HASH_FIND(hh, m->tms, &id, sizeof(id), t);
	if (t != NULL)
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->srvid = id;
	ow_growth_start(&t->committed, p->count[OW_TM_COUNT_COMMITTED],
			now_ns);
	ow_growth_start(&t->rolled_back, p->count[OW_TM_COUNT_ROLLED_BACK],
			now_ns);
	HASH_ADD(hh, m->tms, srvid, sizeof(t->srvid), t);
	if (t->hh.tbl != NULL)
		return t;
	free(t);
	return NULL;
}

/* A rate that is not known yet adds nothing. */
static double known(double rate)
{
	return isnan(rate) ? 0 : rate;
}

static void take_figures(struct ow_model *m, struct ow_m_tm *t,
			 const struct ow_tm_snapshot *p, uint64_t now_ns)
{
	struct ow_overview *o = &m->overview;

	t->seen = o->looks;
	o->committed += known(ow_growth_rate(&t->committed,
					     p->count[OW_TM_COUNT_COMMITTED],
					     now_ns, m->span_ns));
	o->rolled_back +=
	    known(ow_growth_rate(&t->rolled_back,
				 p->count[OW_TM_COUNT_ROLLED_BACK], now_ns,
				 m->span_ns));
	o->active += (double)(p->active + p->ending);
	o->doubt += (double)(p->in_doubt + p->strays);
	if (p->strays > 0 && now_ns >= p->stray_ns + OW_SNAPSHOT_STRAY_NS) {
		o->strays += (double)p->strays;
		o->strays_rm = p->rmid;
	}
	if (p->silent_s > o->silent_s) {
		o->silent_s = p->silent_s;
		o->silent_rm = p->rmid;
	}
	if (ow_snapshot_undecided(p))
		snprintf(o->undecided, sizeof(o->undecided), "tmsrv %u: %s",
			 t->srvid, strerror(p->log_error));
}

/* ---- rows ---- */

static int reserve(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_tran_row *p;
	size_t i, n = 0;

	for (i = 0; i < s->n_trans; i++)
		n += s->trans[i]->n;
	if (n <= m->alloc_trans)
		return 0;
	p = realloc(m->trans, n * sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	m->trans = p;
	m->alloc_trans = n;
	return 0;
}

static double us_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / OW_NS_PER_US : 0;
}

static enum ow_grade judge(const struct ow_tran_row *v)
{
	if (v->late || strcmp(v->state, "HEURISTIC") == 0)
		return OW_GRADE_BAD;
	return v->tries > 0 ? OW_GRADE_LOOK : OW_GRADE_CALM;
}

static void take_row(struct ow_tran_row *v, const struct ow_tm_snapshot_tran *t,
		     uint32_t srvid, uint64_t now_ns)
{
	memset(v, 0, sizeof(*v));
	v->row.key = t->id;
	v->row.srvid = srvid;
	snprintf(v->id, sizeof(v->id), "%016" PRIx64, t->id);
	memcpy(v->state, t->state, sizeof(v->state));
	memcpy(v->holder, t->holder, sizeof(v->holder));
	memcpy(v->rms, t->rms, sizeof(v->rms));
	memcpy(v->result, t->result, sizeof(v->result));
	v->age = us_between(t->begun_ns, now_ns);
	v->left = us_between(now_ns, t->deadline_ns);
	v->branches = t->branches;
	v->doubt = t->prepared;
	v->tries = t->tries;
	v->tm = srvid;
	v->late = ow_snapshot_in_doubt(t) &&
		  now_ns >= t->deadline_ns + OW_SNAPSHOT_LATE_NS;
	v->row.grade = judge(v);
}

static int take_rows(struct ow_model *m, const struct ow_tm_snapshot *p,
		     uint64_t now_ns)
{
	struct ow_tran_row *v;
	uint32_t i;
	int r = 0;

	for (i = 0; i < p->n && r == 0; i++) {
		v = &m->trans[m->list_trans.n];
		take_row(v, &p->tran[i], p->head.srvid, now_ns);
		r = ow_list_add(&m->list_trans, &v->row);
	}
	return r;
}

int ow_model_take_trans(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_tm *t, *next;
	int r = reserve(m, s);
	size_t i;

	for (i = 0; i < s->n_trans && r == 0; i++) {
		t = find_tm(m, s->trans[i], s->now_ns);
		if (t == NULL)
			return -ENOMEM;
		take_figures(m, t, s->trans[i], s->now_ns);
		r = take_rows(m, s->trans[i], s->now_ns);
	}
	HASH_ITER(hh, m->tms, t, next) {
		if (t->seen != m->overview.looks) {
			HASH_DEL(m->tms, t);
			free(t);
		}
	}
	return r;
}

void ow_model_free_trans(struct ow_model *m)
{
	struct ow_m_tm *t, *next;

	HASH_ITER(hh, m->tms, t, next) {
		HASH_DEL(m->tms, t);
		free(t);
	}
	free(m->trans);
	m->trans = NULL;
	m->alloc_trans = 0;
}
