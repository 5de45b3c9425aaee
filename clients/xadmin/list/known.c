/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.c - rows of servers made from the shared tables, without ndrxd
 *
 * ndrxd writes there what it wants of each server, what it last saw, and how
 * the last process ended. What only ndrxd knows (signals, tries, reasons) is
 * empty. A server that was never started is not in the tables.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/xadmin/list/list.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/ctl.h"

/* The state as ndrxd would see it now. */
static uint32_t state_now(const struct ow_srv *s, bool alive)
{
	uint32_t last = atomic_load(&s->ctl_state);

	if (alive) {
		switch (atomic_load(&s->state)) {
		case OW_SRV_STARTING:
			return OW_PROC_STARTING;
		case OW_SRV_STOPPING:
			return OW_PROC_STOPPING;
		default:
			return OW_PROC_RUNNING;
		}
	}
	switch (last) {
	case OW_PROC_STARTING:
	case OW_PROC_RUNNING:
	case OW_PROC_RESTARTING:
		return OW_PROC_DIED;
	case OW_PROC_STOPPING:
		return OW_PROC_EXITED;
	default:
		return last < OW_PROC_STATE_END ? last : OW_PROC_NOT_STARTED;
	}
}

static void fill(const struct ow_observer *v, uint32_t id, struct ow_ctl_row *r)
{
	const struct ow_srv *s = &v->d.tables->srv[id];
	bool alive = ow_srv_alive(v->d.tables, id);
	uint64_t changed = atomic_load(&s->ctl_changed);
	uint64_t now = ow_clock_mono_ns();
	char link[40];
	ssize_t n;

	r->srvid = id;
	r->pid = r->svpid = alive ? atomic_load(&s->pid) : 0;
	r->state = state_now(s, alive);
	r->requested = atomic_load(&s->ctl_want) != 0 ||
			       (alive && changed == 0)
			   ? OW_PROC_RUNNING : OW_PROC_EXITED;
	r->restarts = atomic_load(&s->ctl_restarts);
	r->exit_status = atomic_load(&s->ctl_exit);
	if (changed != 0 && changed < now)
		r->ms_state = (now - changed) / OW_NS_PER_MS;
	ow_observer_bin(v, id, r->bin);
	ow_observer_text(r->procgrp, s->ctl_group, sizeof(r->procgrp));
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)r->pid);
	n = alive ? readlink(link, r->binpath, sizeof(r->binpath) - 1) : 0;
	r->binpath[n > 0 ? n : 0] = '\0';
	snprintf(r->reason, sizeof(r->reason), "from the shared tables");
}

void ow_list_known(const struct ow_observer *v, ow_command_fn *fn, void *arg)
{
	const struct ow_tables *t = v->d.tables;
	union ow_ctl_msg m;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (ow_srv_is_thread(t, id) ||
		    (atomic_load(&t->srv[id].pid) == 0 &&
		     atomic_load(&t->srv[id].ctl_changed) == 0))
			continue; /* started by hand once, and ended */
		ow_ctl_init(&m, OW_CTL_ROW, 0);
		fill(v, id, &m.row);
		fn(&m, arg);
	}
}
