/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - the event loop of the supervisor: signals, periodic work
 */
#include "ndrxd/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/init.h"
#include "ndrxd/launch/liveness.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/leave.h"
#include "ndrxd/report/notify.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/dead.h"
#include "ndrxd/servers/actions.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/adopt.h"
#include "ndrxd/supervise/configure.h"
#include "ndrxd/supervise/limits.h"
#include "ndrxd/supervise/members.h"
#include "ndrxd/supervise/names.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/supervise/depth.h"
#include "ndrxd/supervise/pqstat.h"
#include "ndrxd/supervise/reload.h"
#include "ndrxd/supervise/services.h"

#define TICK_S	       1.0
#define LOOKS_PER_TICK 512u /* reads of /proc for servers without pidfd */

/* ---- periodic work ----
 *
 * A tick runs at real-time priority: what it costs is bounded, however many
 * processes the domain has (doc/design/supervisor.md).
 */

static void look_at_the_crowd(struct ndrxd *d)
{
	uint32_t files = ow_action_spare_files(d), n;

	ow_liveness_tick(d->rounds.liveness, files);
	ow_reap_clients(d->dom);
	n = ow_liveness_unwatched(d->rounds.liveness);
	if (n == 0 || d->rounds.crowd_said)
		return;
	d->rounds.crowd_said = true;
	log_warn("%u processes of the domain are watched without pidfd: ndrxd "
		 "has %u descriptors for that (ulimit -Hn: %llu). The end of "
		 "such a process is noticed late: %u are looked up a second",
		 n, files, (unsigned long long)d->files_max,
		 OW_LIVENESS_PER_TICK);
}

/* A look at a child, or at a process with a pidfd, costs next to nothing; one
 * into /proc is made for some servers in each tick, in turn. */
static void check_servers(struct ndrxd *d, bool all)
{
	size_t i, n = d->n_insts, first = n > 0 ? d->rounds.next_check % n : 0;
	unsigned int looks = LOOKS_PER_TICK;

	for (i = 0; i < n; i++) {
		struct ow_inst *s = d->insts[(first + i) % n];

		if (s->pid == 0 || (s->pidfd >= 0 && !all))
			continue;
		if (s->pidfd < 0 && !s->ours) {
			if (looks == 0)
				continue;
			if (--looks == 0)
				d->rounds.next_check = first + i + 1;
		}
		ow_inst_check(s);
	}
}

static void on_tick(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;
	uint64_t now = ow_ndrxd_now_ms();
	bool check = now - d->rounds.t_checkpm >= d->app.checkpm_ms;

	ow_log_tick(ow_clock_mono_ns());
	ow_emit_tick(d);
	ow_action_tick(d);
	ow_notify_watchdog(d);
	ow_init_reap(d);
	if (d->ipc_gone)
		return;
	ow_dead_tick(d);
	if (d->services_due)
		ow_services_configure(d);
	look_at_the_crowd(d);
	ow_reap_unserved(d->dom, false);
	ow_reap_nudge_crowds(d->dom);
	ow_pqstat_tick(d, now);
	ow_depth_tick(d);
	ow_names_tick(d);
	check_servers(d, check);
	ow_clients_check(d, check);
	ow_members_pump(d, true);
	ow_adopt_check_connected(d, now);
	ow_limits_check(d);
	if (check)
		d->rounds.t_checkpm = now;
}

static void on_pump(EV_P_ ev_prepare *w, int revents)
{
	struct ndrxd *d = w->data;

	if (d->operation != NULL)
		ow_operation_pump(d->operation);
	if (d->removed_due && d->operation == NULL)
		ow_configure_drop_removed(d);
	ow_members_pump(d, d->groups_retry && d->operation == NULL);
	if (d->rounds.reload_due && d->operation == NULL) {
		d->rounds.reload_due = false;
		ow_reload(d, NULL, false);
	}
	ow_dead_nudge(d);
	ow_peer_free_closed(d);
}

/* ---- signals ---- */

/* Stop all servers, remove the domain's queues and segments, end. */
static void shut_down(struct ndrxd *d)
{
	struct ow_ctl_cmd cmd;

	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_STOP;
	cmd.flags = OW_CTLF_COMPLETE;
	if (d->conn.ending)
		return;
	ow_notify(d, "STOPPING=1");
	/* A start in progress ends; xadmins that watch it see the stop. */
	d->operation = ow_operation_free(d->operation);
	if (ow_operation_begin(d, &cmd) != 0)
		ow_leave(d);
}

static void stop_all(struct ndrxd *d, int sig)
{
	log_info("signal %d: stopping the domain", sig);
	ow_emit(d, OW_EVENT_NDRXD, "signal %d: stopping the domain", sig);
	shut_down(d);
}

static void reload_soon(struct ndrxd *d, int sig)
{
	log_info("signal %d: reading the configuration again", sig);
	d->rounds.reload_due = true;
}

static void reap(struct ndrxd *d, int sig)
{
	ow_init_reap(d);
}

static const struct {
	int signum;
	void (*fn)(struct ndrxd *d, int sig);
} signals[] = {
	{ SIGTERM, stop_all },	      { SIGINT, stop_all },
	{ SIGQUIT, stop_all },	      { SIGHUP, reload_soon },
	{ SIGUSR1, ow_init_forward }, { SIGUSR2, ow_init_forward },
	{ SIGWINCH, ow_init_forward }, { SIGCHLD, reap },
};

#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))
_Static_assert(N_SIGNALS == sizeof(((struct ndrxd *)0)->rounds.sigs) /
				sizeof(ev_signal), "a watcher each");

static void on_signal(EV_P_ ev_signal *w, int revents)
{
	struct ndrxd *d = w->data;

	signals[w - d->rounds.sigs].fn(d, w->signum);
}

/* ---- life ---- */

int ow_loop_open(struct ndrxd *d)
{
	size_t i;

	/* Not the default loop, which takes the exit status of children. */
	d->loop = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
	if (d->loop == NULL)
		return -ENOMEM;
	for (i = 0; i < N_SIGNALS; i++) {
		ev_signal_init(&d->rounds.sigs[i], on_signal,
			       signals[i].signum);
		d->rounds.sigs[i].data = d;
		ev_signal_start(d->loop, &d->rounds.sigs[i]);
	}
	ev_timer_init(&d->rounds.tick, on_tick, TICK_S, TICK_S);
	d->rounds.tick.data = d;
	ev_timer_start(d->loop, &d->rounds.tick);
	ev_prepare_init(&d->rounds.pump, on_pump);
	d->rounds.pump.data = d;
	ev_prepare_start(d->loop, &d->rounds.pump);
	return 0;
}

/* -b: `xadmin start`. */
static void boot(struct ndrxd *d)
{
	struct ow_ctl_cmd cmd;

	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_START;
	ow_notify(d, "STATUS=starting %zu servers", d->n_insts);
	if (ow_operation_begin(d, &cmd) != 0)
		ow_notify_booted(d, "no server to start");
}

void ow_loop_run(struct ndrxd *d)
{
	if (d->boot)
		boot(d);
	else
		ow_notify(d, "READY=1\nSTATUS=idle");
	ev_run(d->loop, 0);
}
