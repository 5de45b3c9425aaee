/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin.c - how a transaction begins: its number, and the first branch
 */
#include "servers/tmsrv/begin.h"

#include <stdio.h>

#include "servers/tmsrv/ended.h"
#include "servers/tmsrv/snapshot.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

static struct {
	struct tmlog *log;
	uint32_t rmid, srvid;
	uint64_t timeout_ms;
} own;

void begin_setup(struct tmlog *log, uint32_t rmid, uint32_t srvid,
		 uint64_t timeout_ms)
{
	own.log = log;
	own.rmid = rmid;
	own.srvid = srvid;
	own.timeout_ms = timeout_ms;
}

uint64_t begin_number(void)
{
	uint64_t number = 0;

	if (tmlog_number(own.log, &number) != 0 ||
	    number >> OW_TM_NUMBER_BITS != 0)
		return 0;
	number |= (uint64_t)own.rmid << 56 | (uint64_t)own.srvid << 40;
	ended_given(number);
	return number;
}

bool begin_is_own(uint64_t tran)
{
	return OW_TM_RMID(tran) == own.rmid && OW_TM_SRVID(tran) == own.srvid;
}

struct branch *begin_branch(struct tran *t, struct ow_tm *m)
{
	uint64_t now = ow_clock_mono_ns();
	struct branch *b;
	bool is_new;

	b = table_join(t, m->rmid, (m->flags & OW_TM_OWN_BRANCH) != 0,
		       &is_new);
	if (b == NULL) {
		m->result = OW_TM_NOSPACE;
		return NULL;
	}
	m->branch = b->number;
	m->flags |= is_new ? OW_TM_NEW_BRANCH : 0;
	b->given_ns = is_new ? now : b->given_ns;
	if (b->begun || now >= b->given_ns + OW_TM_BEGIN_NS)
		m->flags |= OW_TM_OLD_BRANCH;
	return b;
}

/* Transaction m->tran, with a branch if one is asked for: NULL, no memory. Lock
 * held. */
static struct tran *add(const char *who, struct ow_tm *m)
{
	struct tran *t;

	if (m->timeout_ms == 0)
		m->timeout_ms = own.timeout_ms;
	t = table_add(m->tran, m->timeout_ms, ow_clock_mono_ns());
	if (t == NULL)
		return NULL;
	snprintf(t->client, sizeof(t->client), "%s", who);
	return t;
}

void begin_now(const char *who, struct ow_tm *m)
{
	struct tran *t;

	if (m->flags & OW_TM_UNUSED)
		begin_unused(m);
	m->result = OW_TM_NOSPACE;
	m->tran = begin_number();
	if (m->tran == 0)
		return;
	table_lock();
	t = add(who, m);
	if (t != NULL) {
		m->result = OW_TM_OK;
		snapshot_count(OW_TM_COUNT_BEGUN);
		if (m->flags & OW_TM_WITH_BRANCH)
			begin_branch(t, m);
	}
	table_unlock();
}

/* ---- ahead ---- */

/* Reserve number `a->tran`: false, no memory. */
static bool reserve(const char *who, struct ow_tm *a)
{
	struct tran *t;

	table_lock();
	t = add(who, a);
	if (t != NULL) {
		t->reserved = true;
		t->deadline_ns += OW_TM_RESERVE_NS;
		if (a->flags & OW_TM_WITH_BRANCH)
			begin_branch(t, a);
		/* It may be begun until then, and late, too. */
		if (t->n > 0)
			t->branches[0].given_ns += OW_TM_RESERVE_NS;
		if (a->result == OW_TM_NOSPACE) {
			table_remove(t);
			t = NULL;
		}
	}
	table_unlock();
	return t != NULL;
}

void begin_reserve(const char *who, uint32_t usual, struct ow_tm *m)
{
	struct ow_tm a = { .flags = m->flags & OW_TM_WITH_BRANCH,
			   .rmid = m->rmid,
			   .timeout_ms = m->timeout_ms };

	if ((m->flags & OW_TM_RESERVE) == 0 ||
	    (m->rmid == 0 && usual != 0 && usual != own.rmid))
		return;
	a.tran = begin_number();
	if (a.tran == 0 || !reserve(who, &a))
		return;
	m->flags |= OW_TM_RESERVED;
	m->tran = a.tran;
	m->branch = a.branch;
	m->timeout_ms = a.timeout_ms;
}

void begin_unused(const struct ow_tm *m)
{
	struct tran *t;

	if (m->identity != tmlog_identity(own.log))
		return;
	table_lock();
	t = table_find(m->tran);
	if (t != NULL && t->reserved && !t->busy)
		table_remove(t);
	table_unlock();
}

bool begin_is_of_another_log(const struct ow_tm *m)
{
	bool names = m->op == OW_TM_JOIN || m->op == OW_TM_DOOM ||
		     m->op == OW_TM_COMMIT || m->op == OW_TM_ABORT ||
		     m->op == OW_TM_PREPARED;

	if (m->identity != 0)
		return names && m->identity != tmlog_identity(own.log);
	/* Of ABORT it may be a time-out. */
	if (m->op != OW_TM_JOIN && m->op != OW_TM_DOOM &&
	    !(m->op == OW_TM_ABORT && m->log < 0))
		return false;
	if (m->log == 0)
		log_info("transaction %016llx: who names it does not say which "
			 "log has given the number", (unsigned long long)m->tran);
	return m->log != 0 &&
	       m->log != ow_tm_request_mark(tmlog_identity(own.log));
}

/* Its time runs from now at the latest: who names it has begun it before. */
struct tran *begin_find(uint64_t id)
{
	struct tran *t = table_find(id);
	uint64_t now;

	if (t == NULL || !t->reserved || t->state != TRAN_ACTIVE)
		return t;
	now = ow_clock_mono_ns();
	t->begun_ns = now;
	if (t->deadline_ns > now + t->timeout_ms * OW_NS_PER_MS)
		t->deadline_ns = now + t->timeout_ms * OW_NS_PER_MS;
	begin_shown(t);
	return t;
}

void begin_shown(struct tran *t)
{
	t->reserved = false;
	snapshot_count(OW_TM_COUNT_BEGUN);
}
