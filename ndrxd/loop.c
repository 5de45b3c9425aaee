/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - the supervisor's loop: set-up, periodic work, the end
 */
#include "ndrxd/model/ndrxd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/base/env.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/transport.h"
#include "libatmi/member/reap.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"
#include "ndrxd/supervise/adopt.h"
#include "ndrxd/clients/clients.h"
#include "ndrxd/servers/dead.h"
#include "ndrxd/groups/groups.h"
#include "ndrxd/init.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/supervise/limits.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/supervise/reload.h"
#include "ndrxd/supervise/scale.h"
#include "ndrxd/supervise/services.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/supervise/pqstat.h"

#define TICK_S	      1.0
#define LEAVE_S	      0.01
#define LEAVE_MAX_MS  1000u
#define PREDECESSOR_TRIES 100
#define PREDECESSOR_US	  20000

/* ---- periodic work ---- */

/* Who was found running at the start and has not connected since then is
 * deaf: no order reaches it. */
static void check_learned(struct ndrxd *d, uint64_t now)
{
	size_t i;

	if (d->t_learned == 0 || now < d->t_learned)
		return;
	d->t_learned = 0;
	for (i = 0; i < d->n_insts; i++) {
		struct ow_inst *s = d->insts[i];

		if (s->pid == 0 || s->ours || s->peer != NULL)
			continue;
		log_warn("server %s id %u: process %d has not connected",
			 s->bin, s->srvid, (int)s->pid);
		ow_tell_server(s, OW_EVENT_LATE,
			       "has not connected within restart_to_check");
		if (s->def != NULL && s->au.policy.autokill)
			ow_inst_event(s, OW_AUTO_DEAF);
	}
}

static void on_tick(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;
	uint64_t now = ow_ndrxd_now_ms();
	bool check = now - d->t_checkpm >= d->app.checkpm_ms;
	size_t i;

	ow_log_tick(ow_clock_mono_ns());
	ow_host_tick(d);
	if (d->ipc_gone)
		return;
	ow_reap_clients(d->dom);
	ow_reap_unserved(d->dom, false);
	ow_reap_nudge_crowds(d->dom);
	ow_pqstat_tick(d, now);
	for (i = 0; i < d->n_insts; i++)
		if (check || d->insts[i]->pidfd < 0)
			ow_inst_check(d->insts[i]);
	ow_clients_check(d, check);
	ow_groups_pump(d, true);
	check_learned(d, now);
	if (!check)
		return;
	d->t_checkpm = now;
	ow_limits_check(d);
}

static void on_pump(EV_P_ ev_prepare *w, int revents)
{
	struct ndrxd *d = w->data;

	if (d->job != NULL)
		ow_job_pump(d->job);
	ow_groups_pump(d, d->groups_retry && d->job == NULL);
	if (d->reload_due && d->job == NULL) {
		d->reload_due = false;
		ow_reload(d, NULL, false);
	}
	ow_grave_nudge(d);
	ow_peer_bury(d);
}

static void stop_all(struct ndrxd *d, int sig)
{
	log_info("signal %d: stopping the domain", sig);
	ow_tell(d, OW_EVENT_NDRXD, "signal %d: stopping the domain", sig);
	ow_ndrxd_shutdown(d);
}

static void read_again(struct ndrxd *d, int sig)
{
	log_info("signal %d: reading the configuration again", sig);
	d->reload_due = true;
}

static void take_exits(struct ndrxd *d, int sig)
{
	ow_host_reap(d);
}

static const struct {
	int signum;
	void (*fn)(struct ndrxd *d, int sig);
} signals[] = {
	{ SIGTERM, stop_all },	      { SIGINT, stop_all },
	{ SIGQUIT, stop_all },	      { SIGHUP, read_again },
	{ SIGUSR1, ow_host_forward }, { SIGUSR2, ow_host_forward },
	{ SIGWINCH, ow_host_forward }, { SIGCHLD, take_exits },
};

#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))
_Static_assert(N_SIGNALS == sizeof(((struct ndrxd *)0)->sigs) /
				sizeof(ev_signal), "a watcher each");

static void on_signal(EV_P_ ev_signal *w, int revents)
{
	struct ndrxd *d = w->data;

	signals[w - d->sigs].fn(d, w->signum);
}

/* ---- the end ---- */

void ow_ndrxd_shutdown(struct ndrxd *d)
{
	struct ow_ctl_cmd cmd;

	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_STOP;
	cmd.flags = OW_CTLF_COMPLETE;
	if (d->ending)
		return;
	ow_host_notify(d, "STOPPING=1");
	/* A start in progress gives way; its watchers see the stop. */
	d->job = ow_job_free(d->job);
	if (ow_job_begin(d, &cmd) != 0)
		ow_ndrxd_end(d);
}

static void on_leave(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;

	if (ow_peer_all_sent(d) ||
	    ow_ndrxd_now_ms() - d->t_leave >= LEAVE_MAX_MS)
		ev_break(d->loop, EVBREAK_ALL);
}

void ow_ndrxd_end(struct ndrxd *d)
{
	if (d->ending)
		return;
	d->ending = true;
	d->t_leave = ow_ndrxd_now_ms();
	if (ow_peer_all_sent(d))
		ev_break(d->loop, EVBREAK_ALL);
	else
		ev_timer_again(d->loop, &d->leave);
}

/* ---- set-up ---- */

/* Two descriptors per server: take all that the hard limit gives; children
 * get back what we were given. */
static void raise_limits(struct ndrxd *d)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &d->base.nofile) < 0)
		return;
	rl = d->base.nofile;
	rl.rlim_cur = rl.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &rl) < 0)
		rl.rlim_cur = d->base.nofile.rlim_cur;
	d->files_max = rl.rlim_cur;
}

static int open_loop(struct ndrxd *d)
{
	size_t i;

	/* Not the default loop: that one would take our children's exits. */
	d->loop = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
	if (d->loop == NULL)
		return -ENOMEM;
	for (i = 0; i < N_SIGNALS; i++) {
		ev_signal_init(&d->sigs[i], on_signal, signals[i].signum);
		d->sigs[i].data = d;
		ev_signal_start(d->loop, &d->sigs[i]);
	}
	ev_timer_init(&d->tick, on_tick, TICK_S, TICK_S);
	d->tick.data = d;
	ev_timer_start(d->loop, &d->tick);
	ev_init(&d->leave, on_leave);
	d->leave.repeat = LEAVE_S;
	d->leave.data = d;
	ev_prepare_init(&d->pump, on_pump);
	d->pump.data = d;
	ev_prepare_start(d->loop, &d->pump);
	return 0;
}

/* Whom to name: the pid file says it, or the tables do. */
static int other_pid(const struct ndrxd *d)
{
	FILE *f = fopen(d->pid_path, "re");
	int pid = 0;

	if (f != NULL) {
		if (fscanf(f, "%d", &pid) != 1)
			pid = 0;
		fclose(f);
	}
	if (pid > 0)
		return pid;
	return atomic_load(&d->dom->tables->head->ndrxd_pid);
}

/* A predecessor that has removed its socket is about to end: wait for it. */
static int listen_after(struct ndrxd *d)
{
	int i, fd, r = -EADDRINUSE;

	for (i = 0; i < PREDECESSOR_TRIES && r == -EADDRINUSE; i++) {
		r = ow_domain_listen(d->dom);
		fd = r == -EADDRINUSE ? ow_domain_connect(d->dom) : -1;
		if (fd >= 0 || fd == -EAGAIN) {
			if (fd >= 0)
				close(fd);
			return r;
		}
		if (r == -EADDRINUSE)
			usleep(PREDECESSOR_US);
	}
	return r;
}

static int listen_here(struct ndrxd *d, char *why, size_t size)
{
	d->listen_fd = listen_after(d);
	if (d->listen_fd >= 0)
		return 0;
	if (d->listen_fd == -EADDRINUSE)
		snprintf(why, size,
			 "ndrxd of domain %s runs already: process %d",
			 d->dom->prefix, other_pid(d));
	else
		snprintf(why, size, "control socket %s: %s", d->dom->sock,
			 strerror(-d->listen_fd));
	return d->listen_fd;
}

/* Another ndrxd of the same prefix, perhaps with another NDRX_APPHOME. */
static int check_alone(struct ndrxd *d, char *why, size_t size)
{
	struct ow_tables_head *h = d->dom->tables->head;
	pid_t pid = atomic_load(&h->ndrxd_pid);

	if (pid == getpid() ||
	    !ow_proc_alive(pid, atomic_load(&h->ndrxd_start)))
		return 0;
	snprintf(why, size, "ndrxd of domain %s runs already: process %d",
		 d->dom->prefix, (int)pid);
	return -EADDRINUSE;
}

/* Could we listen? Asked before the segments are made: a start that must
 * fail leaves nothing behind. */
static int check_run_dir(char *why, size_t size)
{
	struct ow_domain env;
	int r = ow_domain_read_env(&env, why, size);

	if (r != 0)
		return r;
	if ((mkdir(env.run_dir, 0700) == 0 || errno == EEXIST) &&
	    access(env.run_dir, W_OK | X_OK) == 0)
		return 0;
	r = -errno;
	snprintf(why, size, "folder of the control socket, %s: %s",
		 env.run_dir, strerror(-r));
	return r;
}

static int load_config(struct ndrxd *d, char *why, size_t size)
{
	struct ow_config_error err = { "" };
	struct ow_config *c = NULL;
	size_t i;
	int r = ow_config_load(d->config_path, &err, &c);

	if (r != 0) {
		snprintf(why, size, "%s", err.text);
		return r < 0 ? r : -EINVAL;
	}
	for (i = 0; i < c->n_notices; i++)
		log_warn("%s", c->notices[i]);
	/* For us and our children; the environment has the last word. */
	if (c->app.transport != NULL)
		setenv("NDRX_TRANSPORT", c->app.transport, 0);
	if (c->app.wake != NULL)
		setenv("NDRX_WAKE", c->app.wake, 0);
	r = ow_adopt_config(d, c, NULL);
	if (r < 0) {
		ow_config_free(c);
		snprintf(why, size, "no memory");
	}
	return r;
}

static void tell_tables(struct ndrxd *d)
{
	struct ow_tables_head *h = d->dom->tables->head;

	atomic_store(&h->ndrxd_start, ow_proc_start_self());
	atomic_store(&h->ndrxd_pid, getpid());
}

/* Servers that ran under our predecessor: their connection has ended. */
static void ring_servers(struct ndrxd *d)
{
	uint32_t id;

	for (id = ow_srv_next(d->dom->tables, 1); id != 0;
	     id = ow_srv_next(d->dom->tables, id + 1))
		ow_server_alert(d->dom, id);
}

/* The domain is ours: be found, and find what is there. */
static void begin_serving(struct ndrxd *d)
{
	ow_peer_listen(d);
	ow_tell(d, OW_EVENT_NDRXD, "serves domain %s with %s", d->dom->prefix,
		d->config_path);
	ow_adopt_domain(d);
	ow_services_configure(d);
	ring_servers(d);
	d->t_learned = ow_ndrxd_now_ms() + d->app.restart_to_check_ms;
}

int ow_ndrxd_open(struct ndrxd *d, char *why, size_t size)
{
	int r;

	d->t_start = ow_ndrxd_now_ms();
	ow_host_open(d);
	d->listen_fd = -1;
	d->base.rndk = ow_env_str("NDRX_RNDK", "");
	LIST_INIT(&d->peers);
	LIST_INIT(&d->buried);
	raise_limits(d);
	r = open_loop(d);
	if (r < 0) {
		snprintf(why, size, "event loop: %s", strerror(-r));
		return r;
	}
	ow_grave_open(d);
	d->base.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	r = load_config(d, why, size);
	if (r == 0)
		r = check_run_dir(why, size);
	if (r != 0)
		return r;
	r = ow_domain_join(true, &d->dom, why, size);
	if (r != 0)
		return r < 0 ? r : -EIO;
	r = check_alone(d, why, size);
	if (r == 0)
		r = listen_here(d, why, size);
	if (r != 0)
		return r;
	tell_tables(d);
	ow_tell_open(d);
	if (ow_domain_is_gone(d->dom)) {
		snprintf(why, size, "domain %s is being removed: try again",
			 d->dom->prefix);
		return -EAGAIN;
	}
	begin_serving(d);
	return 0;
}

/* -b: the start of everything, as xadmin would order it. */
static void boot(struct ndrxd *d)
{
	struct ow_ctl_cmd cmd;

	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_START;
	ow_host_notify(d, "STATUS=starting %zu servers", d->n_insts);
	if (ow_job_begin(d, &cmd) != 0)
		ow_ndrxd_booted(d, "no server to start");
}

void ow_ndrxd_booted(struct ndrxd *d, const char *result)
{
	if (!d->boot)
		return;
	d->boot = false;
	ow_host_notify(d, "READY=1\nSTATUS=%s", result);
}

void ow_ndrxd_run(struct ndrxd *d)
{
	if (d->boot)
		boot(d);
	else
		ow_host_notify(d, "READY=1\nSTATUS=idle");
	ev_run(d->loop, 0);
}

/* What a complete stop has removed may be a successor's by now. */
static void remove_traces(struct ndrxd *d)
{
	if (d->dom == NULL || d->ipc_gone || d->listen_fd < 0)
		return;
	atomic_store(&d->dom->tables->head->ndrxd_pid, 0);
	unlink(d->dom->sock);
	unlink(d->pid_path);
}

void ow_ndrxd_close(struct ndrxd *d)
{
	struct ow_peer *p;
	size_t i;

	remove_traces(d);
	if (d->loop == NULL)
		return;
	d->job = ow_job_free(d->job);
	ow_peer_unlisten(d);
	while ((p = LIST_FIRST(&d->peers)) != NULL)
		ow_peer_close(p);
	for (i = 0; i < d->n_insts; i++)
		ow_inst_free(d->insts[i]);
	free(d->insts);
	ow_clients_close(d);
	ow_groups_close(d);
	ow_scale_close(d);
	ow_tell_close(d);
	for (i = 0; d->config != NULL && i < d->config->n_servers; i++)
		ow_launch_free(d->launches[i]);
	free(d->launches);
	ow_config_free(d->config);
	ow_peer_bury(d);
	ow_grave_close(d);
	ev_loop_destroy(d->loop);
}
