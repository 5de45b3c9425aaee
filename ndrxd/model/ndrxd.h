/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrxd.h - what the supervisor knows: itself, servers, clients, groups
 *
 *	config/	    the configuration file (a library, xadmin uses it too)
 *	prepare/    what a process gets, checked before it is made
 *	launch/	    programs become processes
 *	model/	    these records; automaton.c: the life of one process
 *	report/	    what ndrxd says: events, history, systemd, connections
 *	groups/	    locks of singleton process groups
 *	servers/    the automaton drives a server
 *	clients/    the automaton drives a program of <clients>
 *	supervise/  decisions about many: start, stop, adopt, reload, scale
 *	control/    what servers and xadmin send
 *	setup.c	    a process becomes the supervisor of its domain
 *	loop.c	    signals, periodic work
 *
 * One thread, one libev loop, no blocking calls. `struct ndrxd *d` is passed
 * down; a comment names the file that writes a group of its members.
 */
#ifndef OW_NDRXD_H
#define OW_NDRXD_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/file.h"
#include "libndrx/config/config.h"
#include "ndrxd/launch/exec.h"
#include "ndrxd/model/automaton.h"

struct ndrxd;
struct ow_domain;
struct ow_events;
struct ow_guest_group;
struct ow_guest_run;
struct ow_launch;
struct ow_liveness;
struct ow_operation;
struct ow_peer;
struct ow_peer_ops;
struct ow_pending;
struct ow_scale;

/* What the reload in progress does to an instance. */
enum ow_reload_mark {
	OW_RELOAD_NOTHING = 0,
	OW_RELOAD_START,
	OW_RELOAD_STOP,
	OW_RELOAD_RESTART,
};

/*
 * One instance of a <server>: there is one for every server id of the
 * configuration, and one for every server started by hand (def NULL). It
 * outlives its processes. servers/ writes it.
 */
struct ow_inst {
	struct ow_auto au; /* first: its ops get the instance from it */
	struct ndrxd *d;
	const struct ow_config_server *def; /* NULL: not configured */
	size_t entry;	   /* its place among the <server> entries */
	size_t next_entry; /* the same, in a configuration to come */
	uint32_t srvid;
	bool autostart; /* srvid < def->srvid + def->min */
	bool known;	/* has its place in the shared tables */
	bool ours;	/* child of this process: it can be waited for */
	pid_t pid;	/* what ndrxd started; 0: none */
	pid_t svpid;	/* what said HELLO (differs behind a wrapper) */
	uint64_t start; /* start time of pid */
	int pidfd;	/* -1: checked every second */
	ev_io gone;
	ev_timer timer;
	enum ow_auto_event timer_event;
	uint64_t timer_set; /* number of the timer that is set */
	struct ow_peer *peer; /* its control connection, or NULL */
	char bin[64];
	char *binpath, *clopt; /* of its last start */
	uint64_t file_time;    /* of the program at its last start */
	/* When it was looked at last because of a ping (ndrxd/servers/grace.c): */
	bool in_service;
	uint64_t service_since; /* begin of its last request */
	int exit_status;       /* wait status of the last exit */
	int exec_errno;
	/* supervise/ */
	uint8_t reload;	 /* enum ow_reload_mark of the reload in progress */
	uint32_t item;	 /* 1 + index in the step in progress; 0: none */
	bool overtaken;	 /* has not ended within its step of a stop */
	bool revived;	 /* started by ndrxd itself, when it adopted */
	bool returns;	 /* the operation that stops it starts it again */
	bool undone;	 /* a reload ended before it was its turn */
	bool outdated;	 /* adopted: was started with other options */
	bool removed;	 /* was configured: is dropped when its process ends */
	/* What its process runs under, where a reload has yet to replace it;
	 * NULL: `def`. model/past.h */
	struct ow_past *past;
	const struct ow_config_server *past_def;
	uint64_t bad_time; /* file_time of a program that did not start; 0 */
};

/* One process of <clients>. clients/ writes it. */
struct ow_client {
	struct ow_auto au; /* first: its ops get the client from it */
	struct ndrxd *d;
	const struct ow_config_client *def;
	char tag[64], subsect[64];
	bool ours; /* child of this process */
	pid_t pid; /* 0: none */
	uint64_t start;
	int pidfd; /* -1: checked every second */
	ev_io gone;
	ev_timer timer;
	enum ow_auto_event timer_event;
	uint64_t t_changed; /* wall clock ns of the last change of state */
	int exit_status;
	int exec_errno;
};

/* One process group. groups/ writes it. */
struct ow_group {
	char name[32];
	char path[560]; /* its lock file */
	int grpno;
	bool noorder, singleton;
	int fd;	     /* the lock is held here; -1: not */
	bool locked; /* members may run */
	bool waited; /* an event has told that a member waits */
	char why_not[200];
};

/* What ndrxd says, and where. report/ writes it. */
struct ow_ndrxd_report {
	struct ow_events *events; /* NULL: none are kept */
	struct ow_log_file history;
	bool has_history; /* it is open */
	struct ow_log_file journal; /* standard error, */
	bool has_journal;	    /* which is the journal of systemd */
	char notify[108];	  /* socket of systemd, "" none */
	uint64_t watchdog_ms;
};

/* Who is connected, and who may connect. report/peer.c and leave.c write it. */
struct ow_ndrxd_conn {
	LIST_HEAD(, ow_peer) peers;
	LIST_HEAD(, ow_peer) closed; /* in this round of the loop */
	const struct ow_peer_ops *peer_ops;
	int listen_fd;
	ev_io accept_io;
	int guest_fd; /* where guests connect; -1: nowhere */
	ev_io guest_io;
	ev_timer accept_again; /* after EMFILE */
	bool accept_failed;    /* and the log says so */
	ev_timer leave;	       /* until all peers have their packets */
	uint64_t t_leave;
	bool ending; /* no new connections, no new commands */
	/* report/guests.c */
	struct ow_guest_group *guest_groups;
	size_t n_guest_groups;
	uint64_t t_guest_refused; /* the log said so; once a second */
	/* control/guest_run.c */
	LIST_HEAD(, ow_guest_run) guest_runs;
};

/* What is looked at now and then. supervise/ writes it: scale.c, pqstat.c,
 * names.c, limits.c. */
struct ow_ndrxd_looks {
	struct ow_scale *scales; /* per entry of the configuration, or NULL */
	ev_timer scale_timer;
	uint64_t t_pqstat; /* of the last sample of queue depths */
	char (*long_queues)[32]; /* services, reported as such; n_ of them */
	size_t n_long_queues;
	uint32_t names_next; /* service whose queue is looked at next */
	bool names_lost;     /* and it was said */
	size_t limits_next; /* instance whose limits are looked at next */
	uint64_t limits_due; /* looks that are due, in 1/checkpm_ms of one */
};

/* What the loop does in each of its rounds, or once a second. loop.c writes
 * it. */
struct ow_ndrxd_rounds {
	ev_timer tick;	 /* every second */
	ev_prepare pump; /* once per round of the loop */
	ev_signal sigs[8];
	bool reload_due; /* SIGHUP */
	uint64_t t_checkpm;
	struct ow_liveness *liveness; /* processes of the domain */
	bool crowd_said; /* some of them have no pidfd, and the log says so */
	size_t next_check; /* instance that is looked up in /proc next */
};

struct ndrxd {
	/* setup.c */
	struct ev_loop *loop;
	struct ow_domain *dom;
	const char *config_path;
	const char *pid_path;
	struct ow_launch_base base;
	uint64_t t_start;   /* monotonic ms */
	uint64_t t_learned; /* end of <restart_to_check>, 0: over */
	rlim_t files_max;   /* descriptors that ndrxd may have */
	bool boot;	    /* -b: start everything; READY when that is done */
	bool is_init;	    /* PID 1 */
	bool ipc_gone; /* queues, segments, socket, pid file are removed */

	/* supervise/configure.c */
	struct ow_config *config;
	struct ow_config_app app; /* of the configuration, or appconfig */
	struct ow_launch **launches; /* per entry; NULL: to be prepared */
	/* Instances in the order of the configuration, then those that were
	 * started by hand. by_id: the same, by server id. */
	struct ow_inst **insts;
	size_t n_insts, cap_insts;
	struct ow_inst *by_id[OW_SRV_MAX];
	bool removed_due; /* some instance is `removed` */

	/* ndrxd/clients/clients.c */
	struct ow_client **clients; /* in the order of the configuration */
	size_t n_clients;
	bool hold;   /* maintenance mode; supervise/hold.c */
	bool booted; /* clients were started, the next ndrxd starts them too */

	/* groups/groups.c, supervise/members.c */
	struct ow_group *groups;
	size_t n_groups;
	bool groups_due;   /* a member or provider has changed */
	bool groups_retry; /* an operation was in the way */

	/* servers/ */
	LIST_HEAD(, ow_unreaped) unreaped; /* dead servers, to be retried */
	bool services_due; /* ow_services_configure() is to be retried */
	int routes_failed; /* -errno of writing them, once said; 0: none */
	int caches_failed; /* the same */
	bool nudge_due; /* a server has died in this round of the loop */
	uint32_t n_procs; /* server processes */
	uint32_t ping_seq;

	/* supervise/operation.c */
	struct ow_operation *operation; /* NULL: nothing in progress */
	struct ow_drain *drain; /* supervise/drain.c; NULL: none */
	/*
	 * The state of a server, or (s NULL) of a client, has changed. Called
	 * inside of an automaton's action: takes notes, raises no events.
	 */
	void (*changed)(struct ndrxd *d, struct ow_inst *s);

	struct ow_ndrxd_report report;
	struct ow_ndrxd_conn conn;
	struct ow_ndrxd_looks looks;
	struct ow_ndrxd_rounds rounds;
};

static inline uint64_t ow_ndrxd_now_ms(void)
{
	return ow_clock_mono_ns() / OW_NS_PER_MS;
}

#endif
