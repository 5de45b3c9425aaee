/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup.c - make this process the supervisor of its domain
 */
#include "ndrxd/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libatmi/transport/transport.h"
#include "ndrxd/control/guest_run.h"
#include "ndrxd/control/messages.h"
#include "ndrxd/launch/liveness.h"
#include "ndrxd/loop.h"
#include "ndrxd/model/ndrxd.h"
#include "libndrx/prepare/demand.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/leave.h"
#include "ndrxd/report/notify.h"
#include "ndrxd/report/peer.h"
#include "ndrxd/servers/dead.h"
#include "ndrxd/supervise/adopt.h"
#include "ndrxd/supervise/configure.h"
#include "ndrxd/supervise/depth.h"
#include "ndrxd/supervise/in_force.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/supervise/rules.h"
#include "ndrxd/supervise/services.h"

#define PREDECESSOR_TRIES 100
#define PREDECESSOR_US	  20000
/* What cannot be done in time is tried again at the next tick. */
#define LOCK_PATIENCE_NS (100 * OW_NS_PER_MS)

/* Two descriptors per server: raise the limit to the hard limit; children get
 * the limit that this process had. */
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

/* The process that listens: from the pid file, or from the tables. */
static int other_pid(const struct ndrxd *d)
{
	FILE *f = NULL;
	int pid = 0;

	if (ow_owned_fopen(d->pid_path, &f) == 0) {
		if (fscanf(f, "%d", &pid) != 1)
			pid = 0;
		fclose(f);
	}
	if (pid > 0)
		return pid;
	return atomic_load(&d->dom->tables->head->ndrxd_pid);
}

/* An ndrxd that has removed its socket is about to end: wait for it. */
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
	d->conn.listen_fd = listen_after(d);
	if (d->conn.listen_fd >= 0)
		return 0;
	if (d->conn.listen_fd == -EADDRINUSE)
		snprintf(why, size,
			 "ndrxd of domain %s runs already: process %d",
			 d->dom->prefix, other_pid(d));
	else
		snprintf(why, size, "control socket %s: %s", d->dom->sock,
			 ow_owned_strerror(d->conn.listen_fd));
	return d->conn.listen_fd;
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

/* Can ndrxd listen? Checked before the segments are created: a start that
 * must fail leaves nothing behind. */
static int check_run_dir(char *why, size_t size)
{
	struct ow_domain env;
	int r = ow_domain_read_env(&env, why, size);

	if (r != 0)
		return r;
	if (mkdir(env.run_dir, 0700) < 0 && errno != EEXIST)
		r = -errno;
	else
		r = ow_owned_folder_owner(env.run_dir);
	if (r == 0 && access(env.run_dir, W_OK | X_OK) < 0)
		r = -errno;
	if (r != 0)
		snprintf(why, size, "folder of the control socket, %s: %s",
			 env.run_dir, ow_owned_strerror(r));
	return r;
}

int ow_setup_check_owner(const struct ow_domain *env, char *why, size_t size)
{
	int r = ow_domain_enter(env, false);

	if (r != -EPERM)
		r = ow_owned_folder_owner(env->run_dir);
	if (r != -EPERM)
		return 0;
	snprintf(why, size, "%s", ow_owned_strerror(r));
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
	/* For ndrxd and its children; the environment overrides it. */
	if (c->app.transport != NULL)
		setenv("NDRX_TRANSPORT", c->app.transport, 0);
	if (c->app.wake != NULL)
		setenv("NDRX_WAKE", c->app.wake, 0);
	r = ow_configure(d, c, NULL);
	if (r < 0) {
		ow_config_free(c);
		snprintf(why, size, "no memory");
	}
	return r;
}

static void publish_pid(struct ndrxd *d)
{
	struct ow_tables_head *h = d->dom->tables->head;

	atomic_store(&h->ndrxd_start, ow_proc_start_self());
	atomic_store(&h->ndrxd_pid, getpid());
	atomic_store(&h->missed_ns, 0);
}

/* Wake servers of the last ndrxd, which see that their connection has ended,
 * and connect to this one. */
static void wake_servers(struct ndrxd *d)
{
	uint32_t id;

	for (id = ow_srv_next(d->dom->tables, 1); id != 0;
	     id = ow_srv_next(d->dom->tables, id + 1))
		ow_server_alert(d->dom, id);
}

static void begin_serving(struct ndrxd *d)
{
	ow_peer_listen(d);
	ow_emit(d, OW_EVENT_NDRXD, "serves domain %s with %s", d->dom->prefix,
		d->config_path);
	ow_in_force_write(d);
	ow_adopt_domain(d);
	ow_services_configure(d);
	ow_rules_configure(d);
	ow_peer_listen_guests(d);
	wake_servers(d);
}

/* Join the domain as its only supervisor. 0, or -errno with `why`. */
static int join(struct ndrxd *d, char *why, size_t size)
{
	struct ow_load load;
	int r;

	ow_demand_of(d->config, &load);
	r = ow_domain_join_for(&load, &d->dom, why, size);
	if (r != 0)
		return r < 0 ? r : -EIO;
	ow_tables_set_patience(d->dom->tables, LOCK_PATIENCE_NS);
	r = ow_liveness_open(&d->rounds.liveness);
	if (r != 0) {
		snprintf(why, size, "epoll: %s", strerror(-r));
		return r;
	}
	ow_tables_set_lives(d->dom->tables, ow_liveness_ask,
			    d->rounds.liveness);
	r = check_alone(d, why, size);
	if (r == 0)
		r = listen_here(d, why, size);
	if (r != 0)
		return r;
	publish_pid(d);
	ow_emit_open(d);
	if (!ow_domain_is_gone(d->dom))
		return 0;
	snprintf(why, size, "domain %s is being removed: try again",
		 d->dom->prefix);
	return -EAGAIN;
}

int ow_setup_open(struct ndrxd *d, char *why, size_t size)
{
	int r;

	d->t_start = ow_ndrxd_now_ms();
	d->is_init = getpid() == 1;
	d->conn.listen_fd = d->conn.guest_fd = -1;
	d->base.rndk = ow_env_str("NDRX_RNDK", "");
	LIST_INIT(&d->conn.peers);
	LIST_INIT(&d->conn.closed);
	LIST_INIT(&d->conn.guest_runs);
	ow_notify_open(d);
	raise_limits(d);
	r = ow_loop_open(d);
	if (r < 0) {
		snprintf(why, size, "event loop: %s", strerror(-r));
		return r;
	}
	ow_leave_open(d);
	ow_operation_open(d);
	ow_messages_open(d);
	d->base.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	r = load_config(d, why, size);
	if (r == 0)
		r = check_run_dir(why, size);
	if (r == 0)
		r = join(d, why, size);
	if (r == 0)
		begin_serving(d);
	return r;
}

/* After a complete stop these names may belong to another ndrxd already. */
static void remove_names(struct ndrxd *d)
{
	if (d->dom == NULL || d->ipc_gone || d->conn.listen_fd < 0)
		return;
	atomic_store(&d->dom->tables->head->ndrxd_pid, 0);
	ow_in_force_remove(d);
	unlink(d->dom->sock);
	unlink(d->pid_path);
}

void ow_setup_close(struct ndrxd *d)
{
	struct ow_peer *p;

	remove_names(d);
	if (d->loop == NULL)
		return;
	d->operation = ow_operation_free(d->operation);
	ow_peer_unlisten(d);
	ow_peer_unlisten_guests(d);
	ow_guest_run_close(d);
	while ((p = LIST_FIRST(&d->conn.peers)) != NULL)
		ow_peer_close(p);
	ow_configure_close(d);
	ow_depth_close(d);
	ow_emit_close(d);
	ow_dead_close(d);
	ow_peer_free_closed(d);
	if (d->dom != NULL && d->dom->tables != NULL)
		ow_tables_set_lives(d->dom->tables, NULL, NULL);
	d->rounds.liveness = ow_liveness_close(d->rounds.liveness);
	ev_loop_destroy(d->loop);
}
