/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reservation.c - a number that came with the end of the transaction before
 */
#include "libatmi/tran/reservation.h"

#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"
#include "libatmi/domain/domain.h"
#include "libatmi/tran/tm.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/rm.h"

/* Then it asks once more, so that contexts spread over tmsrv that came later. */
#define MOST_IN_A_ROW 100

/* The process of the tmsrv that has given `tran`: false, there is none that
 * takes questions. */
static bool find_owner(const struct ow_ctx *c, uint64_t tran, int32_t *ret_pid,
		       uint64_t *ret_start)
{
	const struct ow_srv *s = &c->dom->tables->srv[OW_TM_SRVID(tran)];
	uint32_t state = atomic_load_explicit(&s->state, memory_order_relaxed);

	*ret_pid = atomic_load_explicit(&s->pid, memory_order_relaxed);
	*ret_start = atomic_load_explicit(&s->start, memory_order_relaxed);
	return *ret_pid != 0 && state != OW_SRV_FREE &&
	       state != OW_SRV_STOPPING;
}

void ow_reservation_ask(const struct ow_ctx *c, struct ow_reservation *r,
			struct ow_tm *m)
{
	uint32_t rmid = ow_rm_is_open() ? (uint32_t)ow_xa_config()->rmid : 0;

	r->tran = 0;
	r->asked_ns = 0;
	if (!r->wants || r->in_a_row >= MOST_IN_A_ROW ||
	    (rmid != 0 && rmid != OW_TM_RMID(c->tran)) ||
	    !find_owner(c, c->tran, &r->pid, &r->start))
		return;
	r->asked_ns = ow_clock_mono_ns();
	r->wanted_ms = r->last_ms;
	r->rmid = rmid;
	m->rmid = rmid != 0 ? rmid : m->rmid;
	r->with_branch = ow_rm_has_branches() && !ow_rm_registers();
	m->timeout_ms = r->wanted_ms;
	m->flags |= OW_TM_RESERVE |
		    (r->with_branch ? OW_TM_WITH_BRANCH : 0u);
}

void ow_reservation_keep(struct ow_reservation *r, const struct ow_tm *m)
{
	r->ended_ns = ow_clock_mono_ns();
	if (m == NULL || r->asked_ns == 0 || (m->flags & OW_TM_RESERVED) == 0)
		return;
	r->tran = m->tran;
	r->identity = m->identity;
	r->timeout_ms = m->timeout_ms;
	r->branch = m->branch;
}

static bool fits(const struct ow_ctx *c, const struct ow_reservation *r,
		 uint64_t now, uint32_t usual, const struct ow_tm *m)
{
	uint64_t start;
	int32_t pid;

	return now < r->asked_ns + OW_TM_RESERVE_NS &&
	       m->timeout_ms == r->wanted_ms && m->rmid == r->rmid &&
	       ((m->flags & OW_TM_WITH_BRANCH) != 0) == r->with_branch &&
	       (m->rmid != 0 || usual == 0 ||
		usual == OW_TM_RMID(r->tran)) &&
	       find_owner(c, r->tran, &pid, &start) && pid == r->pid &&
	       start == r->start;
}

bool ow_reservation_take(const struct ow_ctx *c, struct ow_reservation *r,
			 uint64_t now, uint32_t usual, struct ow_tm *m)
{
	uint64_t tran = r->tran;

	r->wants = r->ended_ns != 0 &&
		   now < r->ended_ns + OW_TM_RESERVE_NS;
	r->last_ms = m->timeout_ms;
	if (tran == 0 || !fits(c, r, now, usual, m)) {
		r->in_a_row = 0;
		m->flags |= tran != 0 ? OW_TM_UNUSED : 0u;
	}
	m->tran = tran;
	m->identity = r->identity;
	r->tran = 0;
	if (tran == 0 || (m->flags & OW_TM_UNUSED) != 0)
		return false;
	r->in_a_row++;
	m->result = OW_TM_OK;
	m->branch = r->branch;
	m->timeout_ms = r->timeout_ms;
	return true;
}

void ow_reservation_return(struct ow_reservation *r)
{
	struct ow_tm m = { .op = OW_TM_ABORT,
			   .flags = OW_TM_UNUSED,
			   .tran = r->tran,
			   .identity = r->identity };

	r->tran = 0;
	r->wants = false;
	if (m.tran != 0)
		ow_tm_tell_owner(&m); /* may free `r`, if the domain has gone */
}
