/* SPDX-License-Identifier: Apache-2.0 */
/*
 * awaited.c - services whose servers are expected back
 *
 * doc/design/restarts.md says who decides that, and what a crash at each step
 * leaves. A row and the number in its service change under the domain lock.
 */
#include "libatmi/domain/awaited.h"

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"

/* So long a domain is taken to get its next ndrxd. */
#define PATIENCE_NS (10 * OW_NS_PER_SEC)

/* The row of server `srvid` that awaits `svc`; -1: none does. */
static int find(const struct ow_tables *t, uint32_t srvid, uint32_t svc)
{
	uint32_t row, n = atomic_load(&t->srv[srvid].nawait);

	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		if (atomic_load(&ow_tables_adv(t, srvid)[row].awaits) ==
		    svc + 1)
			return (int)row;
	return -1;
}

/* A row of server `srvid` whose word is free, beginning with `row`; -1: none, or
 * no memory for it. */
static int free_row(struct ow_tables *t, uint32_t srvid, uint32_t row)
{
	const struct ow_adv *rows = ow_tables_adv(t, srvid);
	uint32_t i, n = 0;

	if (rows == ow_adv_none)
		return -1;
	for (i = row; n < OW_ADV_MAX; n++, i = (i + 1) % OW_ADV_MAX) {
		if (ow_srv_need_row(t, srvid, i) != 0)
			return -1;
		if (atomic_load(&rows[i].awaits) == 0)
			return (int)i;
	}
	return -1;
}

void ow_await(struct ow_tables *t, uint32_t srvid, uint32_t row, uint32_t svc)
{
	int at = find(t, srvid, svc) < 0 ? free_row(t, srvid, row) : -1;

	if (at < 0)
		return;
	if (atomic_load(&t->srv[srvid].nawait) < (uint32_t)at + 1)
		atomic_store(&t->srv[srvid].nawait, (uint32_t)at + 1);
	OW_FAULT("await.row");
	atomic_store(&ow_tables_adv(t, srvid)[at].awaits, svc + 1);
	OW_FAULT("await.count");
	atomic_fetch_add(&t->svc[svc].awaited, 1);
}

/* No row of the server awaits anything: none need be looked at. */
static void lower_limit(struct ow_tables *t, uint32_t srvid)
{
	if (ow_await_first(t, srvid) < 0)
		atomic_store(&t->srv[srvid].nawait, 0);
}

bool ow_await_over(struct ow_tables *t, uint32_t srvid, uint32_t svc)
{
	int row = find(t, srvid, svc);

	if (row < 0)
		return false;
	OW_FAULT("await_over.row");
	atomic_store(&ow_tables_adv(t, srvid)[row].awaits, 0);
	OW_FAULT("await_over.count");
	if (ow_svc_is_awaited(&t->svc[svc]))
		atomic_fetch_sub(&t->svc[svc].awaited, 1);
	lower_limit(t, srvid);
	return true;
}

int ow_await_first(const struct ow_tables *t, uint32_t srvid)
{
	uint32_t svc, row, n = atomic_load(&t->srv[srvid].nawait);

	for (row = 0; row < n && row < OW_ADV_MAX; row++) {
		svc = ow_tables_row_awaits(t, srvid, row);
		if (svc >= 1 && svc <= OW_SVC_MAX)
			return (int)svc - 1;
	}
	return -1;
}

/* Has the server a row that has, or awaits, the service? */
static bool has(const struct ow_tables *t, uint32_t srvid, uint32_t svc)
{
	uint32_t i, n = atomic_load(&t->srv[srvid].nadv);
	uint32_t m = atomic_load(&t->srv[srvid].nawait);

	if (n < m)
		n = m;
	for (i = 0; i < n && i < OW_ADV_MAX; i++)
		if (ow_tables_row_svc(t, srvid, i) == svc + 1 ||
		    ow_tables_row_awaits(t, srvid, i) == svc + 1)
			return true;
	return false;
}

uint32_t ow_await_other(const struct ow_tables *t, uint32_t svc, uint32_t srvid)
{
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (id != srvid && has(t, id, svc) &&
		    (ow_srv_alive(t, id) ||
		     atomic_load(&t->srv[id].ctl_want) != 0))
			return id;
	return 0;
}

bool ow_await_is_reasonable(const struct ow_tables *t)
{
	struct ow_tables_head *h = t->head;
	uint64_t now, since = 0;

	if (ow_proc_alive(atomic_load(&h->ndrxd_pid),
			  atomic_load(&h->ndrxd_start)))
		return true;
	now = ow_clock_mono_ns();
	if (!t->writable ||
	    atomic_compare_exchange_strong(&h->missed_ns, &since, now))
		return true;
	return now - since < PATIENCE_NS;
}
