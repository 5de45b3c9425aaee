/* SPDX-License-Identifier: Apache-2.0 */
/*
 * srv.c - server slots of the shared tables
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libatmi/base/fault.h"

#define FIRST_ROWS 5u /* a page of rows */

bool ow_srv_alive(const struct ow_tables *t, uint32_t srvid)
{
	const struct ow_srv *s = &t->srv[srvid];

	return ow_proc_alive(atomic_load(&s->pid), atomic_load(&s->start));
}

/* Reserve what server `srvid` writes without further checks: its slot, its
 * receive slot, its first rows. */
static int reserve_srv(struct ow_tables *t, uint32_t srvid)
{
	int r = ow_tables_reserve(t, &t->srv[srvid], sizeof(t->srv[srvid]));

	if (r == 0)
		r = ow_tables_reserve_rx(t, srvid);
	if (r == 0)
		r = ow_tables_reserve_rows(t, srvid, 0, FIRST_ROWS);
	return r;
}

int ow_srv_know(struct ow_tables *t, uint32_t srvid)
{
	int r = reserve_srv(t, srvid);

	if (r != 0)
		return r;
	atomic_fetch_or(&t->head->srv_map[srvid / 64],
			UINT64_C(1) << (srvid % 64));
	ow_tables_raise_mark(&t->head->srv_high, srvid + 1);
	return 0;
}

int ow_srv_need_row(struct ow_tables *t, uint32_t srvid, uint32_t row)
{
	return ow_tables_reserve_rows(t, srvid, row, row + 1);
}

/* Is the slot another process's? That includes a dead process that had the pid
 * of this one and is not reaped yet. (This process takes the slot of its server
 * id before it has threads.) */
static bool is_taken(const struct ow_srv *s)
{
	return atomic_load(&s->pid) != 0 &&
	       (atomic_load(&s->pid) != getpid() ||
		atomic_load(&s->start) != ow_proc_start_self());
}

/* The slot becomes that of this process. Lock held. */
static void fill(struct ow_tables *t, uint32_t srvid, const char *bin)
{
	struct ow_srv *s = &t->srv[srvid];

	OW_FAULT("srv_take.bin");
	memset(s->bin, 0, sizeof(s->bin));
	strncpy(s->bin, bin, sizeof(s->bin) - 1);
	OW_FAULT("srv_take.nadv");
	atomic_store(&s->nadv, 0);
	atomic_store(&s->cur_adv, 0);
	atomic_store(&s->requests, 0);
	atomic_store(&s->garbage, 0);
	atomic_store(&s->wakeups, 0);
	atomic_store(&s->lost_replies, 0);
	atomic_store(&s->tid, (uint32_t)syscall(SYS_gettid));
	OW_FAULT("srv_take.rx");
	memset(ow_tables_rx(t, srvid), 0, 64);
	OW_FAULT("srv_take.map");
	atomic_fetch_or(&t->head->srv_map[srvid / 64],
			UINT64_C(1) << (srvid % 64));
	OW_FAULT("srv_take.high");
	ow_tables_raise_mark(&t->head->srv_high, srvid + 1);
	OW_FAULT("srv_take.start");
	atomic_store(&s->start, ow_proc_start_self());
	OW_FAULT("srv_take.pid");
	atomic_store(&s->pid, getpid());
	OW_FAULT("srv_take.state");
	atomic_store(&s->state, OW_SRV_STARTING);
	OW_FAULT("srv_take.unlock");
}

int ow_srv_take(struct ow_tables *t, uint32_t srvid, const char *bin)
{
	struct ow_srv *s = &t->srv[srvid];
	int r = reserve_srv(t, srvid);

	if (r != 0)
		return r;
	if (ow_proc_start_self() == 0)
		return -EMFILE; /* cannot read /proc: would count as dead */
	r = ow_tables_lock(t);
	if (r != 0)
		return r;
	if (is_taken(s)) {
		ow_tables_unlock(t);
		return OW_TABLES_TAKEN;
	}
	/* What a thread left that was killed while it took the slot. */
	atomic_store(&s->of, 0);
	atomic_store(&s->thread, 0);
	fill(t, srvid, bin);
	ow_tables_unlock(t);
	return 0;
}

static bool is_marked(const struct ow_tables *t, uint32_t srvid)
{
	return (atomic_load(&t->head->srv_map[srvid / 64]) >> (srvid % 64) &
		1) != 0;
}

/* Free, and nothing that ndrxd has written about. Reads no hole. Lock held. */
static bool is_free(const struct ow_tables *t, uint32_t srvid)
{
	const struct ow_srv *s = &t->srv[srvid];

	return !is_marked(t, srvid) ||
	       (atomic_load(&s->pid) == 0 && atomic_load(&s->ctl_pid) == 0 &&
		atomic_load(&s->ctl_changed) == 0);
}

int ow_srv_take_thread(struct ow_tables *t, uint32_t of, uint32_t thread,
		       const char *bin, uint32_t *ret_slot)
{
	uint32_t id = OW_SRV_MAX - 1;
	int r = ow_tables_lock(t);

	if (r != 0)
		return r;
	while (id > 0 && !is_free(t, id))
		id--;
	r = id > 0 ? reserve_srv(t, id) : OW_TABLES_LIMIT;
	if (r == 0) {
		atomic_store(&t->srv[id].of, of);
		OW_FAULT("srv_take_thread.of");
		atomic_store(&t->srv[id].thread, thread);
		fill(t, id, bin);
		*ret_slot = id;
	}
	ow_tables_unlock(t);
	return r;
}

void ow_srv_clear(struct ow_tables *t, uint32_t srvid)
{
	struct ow_srv *s = &t->srv[srvid];

	atomic_store(&s->state, OW_SRV_FREE);
	OW_FAULT("srv_clear.cur");
	atomic_store(&s->cur_adv, 0);
	OW_FAULT("srv_clear.nadv");
	atomic_store(&s->nadv, 0);
	if (atomic_load(&s->of) != 0) /* nobody asks what ran there */
		memset(s->bin, 0, sizeof(s->bin));
	OW_FAULT("srv_clear.start");
	atomic_store(&s->start, 0);
	OW_FAULT("srv_clear.pid");
	atomic_store(&s->pid, 0);
	OW_FAULT("srv_clear.of");
	atomic_store(&s->thread, 0);
	atomic_store(&s->of, 0);
	OW_FAULT("srv_clear.end");
}
