/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - write what onlookers see of this tmsrv
 */
#include "servers/tmsrv/snapshot.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

#define SILENT_NS (10 * OW_NS_PER_SEC)

static struct {
	struct ow_tm_snapshot *p, none; /* p: the snapshot, or `none` */
	struct tmlog *log;
	uint64_t syncs, decisions; /* of earlier processes */
	uint64_t strays, stray_ns;
	uint64_t asked_ns;  /* a question is out since then; 0: none */
	uint64_t silent_ns; /* when it was asked first and gave no answer */
} s = { .p = &s.none };

void snapshot_open(const struct ow_domain *d, uint32_t srvid, uint32_t rmid,
		   struct tmlog *log)
{
	int r = ow_snapshot_open(d, &ow_tm_snapshot_kind, srvid, &s.p);

	if (r != 0)
		log_warn("its transactions are not shown: %s", strerror(-r));
	s.log = log;
	s.syncs = s.p->syncs;
	s.decisions = s.p->decisions;
	s.p->rmid = rmid;
	snprintf(s.p->path, sizeof(s.p->path), "%s", tmlog_path(log));
}

void snapshot_close(void)
{
	if (s.p != &s.none)
		ow_snapshot_close(&s.p->head, &ow_tm_snapshot_kind);
	s.p = &s.none;
}

void snapshot_count(enum ow_tm_count what)
{
	atomic_fetch_add(&s.p->count[what], 1);
}

void snapshot_commit_time(uint64_t ns)
{
	uint64_t us = ns / OW_NS_PER_US;

	atomic_fetch_add(&s.p->commit_us, us);
	atomic_fetch_add(&s.p->commit_hist[ow_bucket_of(us)], 1);
}

void snapshot_strays(uint64_t n, uint64_t now)
{
	table_lock();
	if (n == 0 || s.strays == 0)
		s.stray_ns = n == 0 ? 0 : now;
	s.strays = n;
	table_unlock();
}

void snapshot_rm_asked(uint64_t now)
{
	table_lock();
	s.asked_ns = now;
	table_unlock();
}

void snapshot_rm_answered(bool answered)
{
	table_lock();
	if (answered)
		s.silent_ns = 0;
	else if (s.silent_ns == 0)
		s.silent_ns = s.asked_ns;
	s.asked_ns = 0;
	table_unlock();
}

/* For how many seconds it has not answered. A restart takes a while, and a
 * machine may be slow. */
static uint32_t silent_s(uint64_t now)
{
	uint64_t since = s.silent_ns != 0 ? s.silent_ns : s.asked_ns;

	if (since == 0 || now < since + SILENT_NS)
		return 0;
	return (uint32_t)((now - since) / OW_NS_PER_SEC);
}

/* ---- one transaction ---- */

/* A client id is clt,PROGRAM,PID,...; commas separate words. */
static void write_holder(const char *cltid, char *buf, size_t size)
{
	const char *from = strchr(cltid, ','), *pid;
	size_t len;

	from = from != NULL ? from + 1 : cltid;
	len = strcspn(from, ",");
	pid = from[len] == ',' ? from + len + 1 : "";
	snprintf(buf, size, "%.*s %.*s", (int)len, from,
		 (int)strcspn(pid, ","), pid);
}

static void write_branches(const struct tran *t, struct ow_tm_snapshot_tran *e)
{
	const struct branch *b;
	enum branch_state state;
	size_t len = 0;
	int known;

	for (b = t->branches; b < t->branches + t->n; b++) {
		state = branch_state(b);
		known = branch_known(b);
		if (len < sizeof(e->rms))
			len += (size_t)snprintf(
			    e->rms + len, sizeof(e->rms) - len, "%s%s%u%c",
			    len > 0 ? " " : "",
			    b->rmid == BRANCH_REMOTE ? "n" : "",
			    b->rmid == BRANCH_REMOTE ? b->node : b->rmid,
			    state);
		e->prepared += state == BRANCH_PREPARED;
		if ((state == BRANCH_PREPARED || state == BRANCH_ACTIVE) &&
		    known != 0)
			snprintf(e->result, sizeof(e->result), "%s",
				 ow_tm_word(known));
	}
}

/* Of a transaction that is busy the branches are another thread's. */
static void show(const struct tran *t, struct ow_tm_snapshot_tran *e)
{
	memset(e, 0, sizeof(*e));
	e->id = t->id;
	e->begun_ns = t->begun_ns;
	e->deadline_ns = t->deadline_ns;
	e->branches = t->n;
	e->tries = t->tries;
	e->doomed = t->doomed;
	snprintf(e->state, sizeof(e->state), "%s", table_state_word(t->state));
	write_holder(t->client, e->holder, sizeof(e->holder));
	write_branches(t, e);
}

/* ---- all ---- */

static bool in_trouble(const struct tran *t)
{
	return t->tries > 0 || t->state == TRAN_HEURISTIC;
}

static void show_if(struct tran *t, bool trouble)
{
	if (!t->reserved && in_trouble(t) == trouble &&
	    s.p->n < OW_TM_SNAPSHOT_MAX)
		show(t, &s.p->tran[s.p->n++]);
}

static void show_trouble(struct tran *t, void *arg)
{
	(void)arg;
	show_if(t, true);
}

static void show_others(struct tran *t, void *arg)
{
	(void)arg;
	show_if(t, false);
}

static void add_up(struct tran *t, void *arg)
{
	uint64_t now = *(uint64_t *)arg;
	struct ow_tm_snapshot *p = s.p;
	uint32_t i, prepared = 0;

	if (t->reserved)
		return;
	p->active += t->state == TRAN_ACTIVE;
	p->heuristic += t->state == TRAN_HEURISTIC;
	p->ending += t->state != TRAN_ACTIVE && t->state != TRAN_HEURISTIC;
	for (i = 0; i < t->n; i++)
		prepared += branch_state(&t->branches[i]) ==
			    BRANCH_PREPARED;
	p->in_doubt += prepared;
	if ((prepared > 0 || t->state == TRAN_DECIDING) &&
	    now > t->deadline_ns &&
	    (p->late_ns == 0 || t->deadline_ns < p->late_ns))
		p->late_ns = t->deadline_ns;
}

void snapshot_table(uint64_t now)
{
	struct ow_tm_snapshot *p = s.p;

	ow_snapshot_begin(&p->head, &ow_tm_snapshot_kind);
	p->active = p->ending = p->heuristic = 0;
	p->in_doubt = p->late_ns = 0;
	table_each(add_up, &now);
	p->n = 0;
	table_each(show_trouble, NULL);
	table_each(show_others, NULL);
	tmlog_figures(s.log, &p->syncs, &p->decisions);
	p->syncs += s.syncs;
	p->decisions += s.decisions;
	p->strays = s.strays;
	p->stray_ns = s.stray_ns;
	p->log_error = tmlog_error(s.log);
	p->silent_s = silent_s(now);
	ow_snapshot_end(&p->head);
}
