/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - tmsrv: the server that coordinates transactions
 *
 * The main thread takes requests, answers what needs no waiting, and hands the
 * rest on (work.h). doc/design/transactions.md has the protocol.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "servers/tmsrv/begin.h"
#include "servers/tmsrv/branches.h"
#include "servers/tmsrv/end.h"
#include "servers/tmsrv/ended.h"
#include "servers/tmsrv/last.h"
#include "servers/tmsrv/list.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/place.h"
#include "servers/tmsrv/snapshot.h"
#include "servers/tmsrv/subordinate.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/table.h"
#include "servers/tmsrv/vote.h"
#include "servers/tmsrv/watch.h"
#include "servers/tmsrv/work.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"
#include "libatmi/tran/tm.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/rm.h"
#include "libatmisrv/own.h"

static struct {
	struct ow_domain *dom;
	struct tmlog *log;
	uint32_t rmid, srvid;
	uint64_t timeout_ms, scan_ms;
	long threads;
	const char *folder;
	bool started;
} tm = { .timeout_ms = 30000, .scan_ms = 2000, .threads = 10 };

/* ---- answers at once ---- */

static void answer(TPSVCINFO *svc, struct ow_tm *m)
{
	m->identity = tmlog_identity(tm.log);
	memcpy(svc->data, m, sizeof(*m));
	tpreturn(TPSUCCESS, 0, svc->data, sizeof(*m), 0);
}

/* The client id of the caller. */
static const char *who(const TPSVCINFO *svc)
{
	return (const char *)svc->cltid.clientdata;
}

static void join(struct ow_tm *m)
{
	struct branch *b;
	struct tran *t;

	table_lock();
	t = begin_find(m->tran);
	m->result = t == NULL ? OW_TM_UNKNOWN : OW_TM_OK;
	if (t != NULL && t->state != TRAN_ACTIVE)
		m->result = OW_TM_ENDING;
	if (m->result == OW_TM_OK) {
		b = begin_branch(t, m);
		if (b != NULL)
			last_give(t, b, m);
	}
	table_unlock();
}

static void doom(struct ow_tm *m)
{
	struct tran *t;

	table_lock();
	t = begin_find(m->tran);
	m->result = t == NULL ? OW_TM_UNKNOWN : OW_TM_OK;
	if (t != NULL && t->state == TRAN_ACTIVE)
		t->doomed = true;
	if (m->flags & OW_TM_HAS_BEGUN)
		(void)table_begun(t, m->rmid, m->branch);
	table_unlock();
}

/* A branch was prepared as it ended: nobody need ask. */
static void prepared(struct ow_tm *m)
{
	struct branch *b = NULL;
	struct tran *t;

	table_lock();
	t = begin_find(m->tran);
	m->result = t == NULL ? OW_TM_UNKNOWN : OW_TM_OK;
	if (t != NULL && t->state != TRAN_ACTIVE)
		m->result = OW_TM_ENDING;
	if (m->result == OW_TM_OK)
		b = table_begun(t, m->rmid, m->branch);
	if (b != NULL)
		branch_mark(b, BRANCH_PREPARED);
	table_unlock();
}

static void status(struct ow_tm *m)
{
	struct tran *t;

	table_lock();
	t = begin_find(m->tran);
	m->result = t == NULL			? superior_unknown(m->tran)
		    : t->state == TRAN_ACTIVE	? OW_TM_OK
		    : t->state == TRAN_ABORTING ? OW_TM_ABORTED
						: OW_TM_ENDING;
	if (t != NULL && t->state != TRAN_ACTIVE && t->state != TRAN_PREPARING)
		m->flags |= OW_TM_VOTED;
	table_unlock();
}

/* ---- ends ---- */

static void end(TPSVCINFO *svc, struct ow_tm *m)
{
	struct job *j;
	struct tran *t;

	if (m->flags & OW_TM_UNUSED) {
		begin_unused(m);
		m->result = OW_TM_ABORTED;
		answer(svc, m);
	}
	j = work_new(end_run, m);
	if (m->flags & OW_TM_HERE_PREPARED)
		prepared(m);
	table_lock();
	t = begin_find(m->tran);
	if (m->flags & OW_TM_HAS_BEGUN)
		(void)table_begun(t, m->rmid, m->branch);
	m->result = j == NULL	? OW_TM_NOSPACE
		    : t != NULL ? end_begins(t, m->op)
		    : m->flags & OW_TM_SHARED ? ended_result(m->tran)
					      : OW_TM_UNKNOWN;
	table_unlock();
	if (m->result != 0) {
		free(j);
		begin_reserve(who(svc), 0, m);
		answer(svc, m);
	}
	j->t = t;
	j->request = tpsrvgetctxdata();
	work_add(POOL_ENDS, j); /* without context data: nobody is told */
	tpcontinue();
}

/* ---- orders of an operator ---- */

/* A transaction that is prepared is committed once more at once; one that is
 * not cannot be. */
static void order_commit(struct ow_tm *m)
{
	struct tran *t;

	table_lock();
	t = table_find(m->tran);
	m->result = t == NULL ? OW_TM_UNKNOWN : OW_TM_ENDING;
	if (t != NULL && t->state == TRAN_COMMITTING) {
		t->retry_ns = 0;
		m->result = OW_TM_OK;
	}
	table_unlock();
	if (m->result == OW_TM_ENDING && subordinate_by_hand(m->tran, true))
		m->result = OW_TM_OK;
}

/* One that is not decided is rolled back. True: its end has begun, and the
 * caller is answered with it. */
static void order_abort(TPSVCINFO *svc, struct ow_tm *m)
{
	struct tran *t;

	table_lock();
	t = table_find(m->tran);
	if (t != NULL && t->state == TRAN_PREPARING)
		t->doomed = true;
	table_unlock();
	if (subordinate_by_hand(m->tran, false)) {
		m->result = OW_TM_OK;
		answer(svc, m);
	}
	m->op = OW_TM_ABORT;
	end(svc, m);
}

static void forget_run(struct job *j)
{
	struct tran *t = j->t;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		if (t->branches[i].state != BRANCH_HEURISTIC ||
		    t->branches[i].rmid != tm.rmid)
			continue;
		j->m.op = OW_TM_BRANCH_FORGET;
		j->m.identity = tmlog_identity(tm.log);
		j->m.rmid = t->branches[i].rmid;
		j->m.branch = t->branches[i].number;
		(void)branches_one(&j->m);
	}
	tmlog_end(tm.log, t->id);
	if (t->row)
		last_done(t->id);
	table_lock();
	table_remove(t);
	table_unlock();
	j->m.result = OW_TM_OK;
	work_answer(j, NULL);
}

static void forget(TPSVCINFO *svc, struct ow_tm *m)
{
	struct job *j = work_new(forget_run, m);
	struct tran *t;

	table_lock();
	t = table_find(m->tran);
	m->result = j == NULL	? OW_TM_NOSPACE
		    : t == NULL ? OW_TM_UNKNOWN
				: OW_TM_ENDING;
	if (j != NULL && t != NULL && t->state == TRAN_HEURISTIC && !t->busy) {
		t->busy = true;
		m->result = OW_TM_OK;
	}
	table_unlock();
	if (m->result != OW_TM_OK) {
		free(j);
		answer(svc, m);
	}
	j->t = t;
	j->request = tpsrvgetctxdata();
	work_add(POOL_ENDS, j);
	tpcontinue();
}

/* ---- branches, for other tmsrv ---- */

static void branch_run(struct job *j)
{
	char *text = NULL;

	if (j->m.op == OW_TM_BRANCH_LIST)
		text = list_branches();
	else if (j->m.rmid != tm.rmid || tm.rmid == 0)
		j->m.result = XAER_INVAL;
	else
		j->m.result = branches_one(&j->m);
	work_answer(j, text);
	free(text);
}

static void branch(TPSVCINFO *svc, struct ow_tm *m)
{
	struct job *j = work_new(branch_run, m);

	if (j == NULL || !work_hand_on(POOL_BRANCHES, j))
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	tpcontinue();
}

static void list(TPSVCINFO *svc, struct ow_tm *m)
{
	char *text = list_transactions(), *data;
	size_t n = text != NULL ? strlen(text) + 1 : 0;

	m->identity = tmlog_identity(tm.log);
	data = tpalloc((char *)"CARRAY", NULL, (long)(sizeof(*m) + n));
	if (data == NULL || text == NULL) {
		free(text);
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	memcpy(data, m, sizeof(*m));
	memcpy(data + sizeof(*m), text, n);
	free(text);
	tpreturn(TPSUCCESS, 0, data, (long)(sizeof(*m) + n), 0);
}

/* ---- other nodes ---- */

/* False: it is answered later. */
static bool do_remote(struct ow_tm_remote *f)
{
	uint64_t id;

	switch (f->m.op) {
	case OW_TM_ENLIST:
		superior_enlist(f);
		return true;
	case OW_TM_CHECK:
		superior_check(f);
		return true;
	case OW_TM_REMOTE_STATUS:
		superior_status(f);
		return true;
	case OW_TM_ADOPT:
		id = begin_number();
		f->m.result = OW_TM_NOSPACE;
		if (id != 0)
			subordinate_adopt(id, f);
		return true;
	default:
		return subordinate_serve(f);
	}
}

static void remote(TPSVCINFO *svc)
{
	struct ow_tm_remote f;

	if (svc->len != (long)sizeof(f))
		tpreturn(TPFAIL, TPEINVAL, NULL, 0, 0);
	memcpy(&f, svc->data, sizeof(f));
	if (!do_remote(&f))
		tpcontinue();
	f.m.identity = tmlog_identity(tm.log);
	memcpy(svc->data, &f, sizeof(f));
	tpreturn(TPSUCCESS, 0, svc->data, sizeof(f), 0);
}

/* ---- the service ---- */

static void serve(TPSVCINFO *svc)
{
	struct ow_tm m;
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];

	if (svc->data == NULL || tptypes(svc->data, type, sub) < 0 ||
	    strcmp(type, "CARRAY") != 0 || !ow_tm_is(svc->data, svc->len))
		tpreturn(TPFAIL, TPEINVAL, NULL, 0, 0);
	memcpy(&m, svc->data, sizeof(m));
	if (m.op >= OW_TM_ENLIST)
		remote(svc);
	if (begin_is_of_another_log(&m)) {
		m.result = OW_TM_UNKNOWN;
		answer(svc, &m);
	}
	switch (m.op) {
	case OW_TM_BEGIN:
		begin_now(who(svc), &m);
		break;
	case OW_TM_JOIN:
		join(&m);
		break;
	case OW_TM_DOOM:
		doom(&m);
		break;
	case OW_TM_STATUS:
		status(&m);
		break;
	case OW_TM_PREPARED:
		prepared(&m);
		break;
	case OW_TM_ORDER_COMMIT:
		order_commit(&m);
		break;
	case OW_TM_ORDER_ABORT:
		order_abort(svc, &m);
		break;
	case OW_TM_COMMIT:
	case OW_TM_ABORT:
		end(svc, &m);
		break;
	case OW_TM_FORGET:
		forget(svc, &m);
		break;
	case OW_TM_LIST:
		list(svc, &m);
		break;
	default:
		branch(svc, &m);
	}
	answer(svc, &m);
}

/* ---- start ---- */

static void recovered(uint64_t id, const struct tmlog_branch *b, uint32_t n,
		      uint32_t by_hand, void *arg)
{
	bool *ok = arg;
	struct tran *t = table_add(id, 0, ow_clock_mono_ns());
	uint32_t at = 0, used = 1;

	*ok &= t != NULL;
	while (t != NULL && at < n && used > 0) {
		used = superior_read(t, b + at, n - at);
		at += used;
	}
	*ok &= used > 0;
	if (t != NULL) {
		t->commits = true;
		t->state = TRAN_COMMITTING;
		t->tries = 1; /* perhaps some are committed */
		table_read_outcome(t, by_hand);
	}
}

static int fail(const char *why)
{
	userlog((char *)"tmsrv: %s", why);
	fprintf(stderr, "tmsrv: %s\n", why);
	return -1;
}

static int parse(int argc, char **argv)
{
	int c;

	optind = 1;
	while ((c = getopt(argc, argv, "t:l:s:p:c:m:r:h:P:R:n:X:a:")) != -1) {
		switch (c) {
		case 't':
			if (ow_env_parse_ms(optarg, &tm.timeout_ms) != 0 ||
			    tm.timeout_ms == 0)
				return fail("-t: give a time");
			break;
		case 's':
			if (ow_env_parse_ms(optarg, &tm.scan_ms) != 0 ||
			    tm.scan_ms == 0)
				return fail("-s: give a time");
			break;
		case 'l':
			tm.folder = optarg;
			break;
		case 'p':
			if (ow_env_parse_long(optarg, &tm.threads) != 0 ||
			    tm.threads < 1 || tm.threads > 1000)
				return fail("-p: give 1 to 1000 threads");
			break;
		case '?':
			return fail("an option that it does not know");
		default: /* of other runtimes; without effect */
			break;
		}
	}
	return 0;
}

static int open_log(void)
{
	char name[64], usual[4096], why[4400] = "";
	const char *folder = tm.folder != NULL ? tm.folder : usual;

	snprintf(name, sizeof(name), "TRN-%ld-%u-%u.log", tpgetnodeid(),
		 tm.rmid, tm.srvid);
	snprintf(usual, sizeof(usual), "%s/tmlogs",
		 ow_env_str("NDRX_APPHOME", "."));
	if (place_open_log(folder, name, &tm.log, why, sizeof(why)) != 0)
		return fail(why);
	begin_setup(tm.log, tm.rmid, tm.srvid, tm.timeout_ms);
	if (last_begin(tm.log, folder, name, why, sizeof(why)) != 0)
		return fail(why);
	return 0;
}

/* What onlookers see needs the tables of the domain. */
static int show(void)
{
	char why[512] = "";

	if (ow_domain_join(false, &tm.dom, why, sizeof(why)) != 0)
		return fail(why);
	snapshot_open(tm.dom, tm.srvid, tm.rmid, tm.log);
	return 0;
}

static int advertise(void)
{
	uint64_t mine = (uint64_t)tm.rmid << 56 | (uint64_t)tm.srvid << 40;
	char svc[OW_TM_SERVICE];
	int r;

	ow_tm_service(0, svc);
	r = ow_advertise_own(svc, serve);
	if (r == 0 && tm.rmid != 0) {
		ow_tm_service(tm.rmid, svc);
		r = ow_advertise_own(svc, serve);
	}
	if (r == 0) {
		snprintf(svc, sizeof(svc), "@TM-%ld-%u", tpgetnodeid(),
			 tm.rmid);
		r = ow_advertise_own(svc, serve);
	}
	if (r == 0) {
		ow_tm_service_of(tpgetnodeid(), mine, svc);
		r = ow_advertise_own(svc, serve);
	}
	return r;
}

/* The resource manager is there, or is expected back. */
static int open_rm(void)
{
	const struct ow_xa_config *x = ow_xa_config();
	char why[320];
	int r;

	tm.rmid = (uint32_t)x->rmid;
	if (x->problem[0] != '\0')
		return fail(x->problem);
	if (tm.rmid == 0)
		return 0;
	r = ow_rm_open();
	if (r == XA_OK || r == XAER_RMFAIL)
		return 0;
	snprintf(why, sizeof(why), "resource manager %u: %s %s", tm.rmid,
		 ow_rm_word(r), ow_rm_problem());
	return fail(why);
}

int tpsvrinit(int argc, char **argv)
{
	bool ok = true;

	tm.srvid = (uint32_t)tpgetsrvid();
	if (parse(argc, argv) != 0 || open_rm() != 0 || open_log() != 0 ||
	    show() != 0)
		return -1;
	end_begin(tm.log, tm.rmid);
	superior_begin(tm.log, (uint32_t)tpgetnodeid(), last_may_have);
	subordinate_begin(tm.log);
	tmlog_each(tm.log, recovered, &ok);
	if (!ok || !vote_recover(tm.log))
		return fail("no memory for what is to be recovered");
	if (work_start((int)tm.threads) != 0 ||
	    watch_start(tm.log, tm.rmid, tm.scan_ms) != 0)
		return fail("no threads can be started");
	tm.started = true;
	return advertise();
}

void tpsvrdone(void)
{
	if (tm.started) {
		watch_stop();
		work_stop();
	}
	snapshot_close();
	if (tm.dom != NULL)
		ow_domain_leave(tm.dom);
	tm.log = tmlog_close(tm.log);
}
