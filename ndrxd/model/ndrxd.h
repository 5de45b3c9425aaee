/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrxd.h - the supervisor: what its parts share
 *
 *	main.c	     options, daemonizing, pid file; opens and runs a supervisor
 *	ndrxd.c	     loop, signals, periodic work, the end
 *	automaton.c  the life of one server: a table
 *	inst*.c	     one server instance: process, timer, connection
 *	launch*.c    programs become processes
 *	grave.c	     after a death: calls answered, queues withdrawn
 *	adopt.c	     start-up over a living domain
 *	pqstat.c     samples of queue depths
 *	limits.c     servers that outgrew their limits
 *	peer.c	     control connections, queues of packets
 *	command.c    what xadmin may ask; report.c: what it is shown
 *	job.c	     a start or stop in progress; plan.c: its steps
 *	reload.c     a new configuration under running servers
 *	client*.c    the client monitor: programs of <clients>
 *	group*.c     singleton process groups and their locks
 *	scale.c	     instances between min and max, by load
 *	tell.c	     what was done and why, for ndrxtop
 *	host.c	     PID 1 of a container, a service of systemd
 *
 * One thread, one libev loop, nothing waits. `struct ndrxd *d` is passed down.
 */
#ifndef OW_NDRXD_H
#define OW_NDRXD_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "libatmi/domain/tables.h"
#include "ndrxd/config/config.h"
#include "ndrxd/launch/launch.h"

struct ow_domain;
struct ow_inst;
struct ow_job;
struct ow_peer;
struct ow_pending;
struct ow_client;
struct ow_events;
struct ow_group;
struct ow_scale;

struct ndrxd {
	struct ev_loop *loop;
	struct ow_domain *dom;
	const char *config_path;
	const char *pid_path;
	struct ow_launch_base base;
	uint64_t t_start; /* monotonic ms */

	struct ow_config *config;
	struct ow_config_app app; /* of the configuration, or appconfig */
	struct ow_launch **launches; /* per entry; NULL: to be prepared */

	/* Instances in the order of the configuration, then those that were
	 * started by hand. by_id: the same, by server id. */
	struct ow_inst **insts;
	size_t n_insts, cap_insts;
	struct ow_inst *by_id[OW_SRV_MAX];

	struct ow_client **clients; /* in the order of the configuration */
	size_t n_clients;
	bool booted; /* clients were, and are to be */
	struct ow_group *groups;
	size_t n_groups;
	bool groups_due;   /* news for ow_groups_pump() */
	bool groups_retry; /* a job was in the way */
	struct ow_scale *scales; /* per entry of the configuration, or NULL */
	ev_timer scale_timer;
	struct ow_events *events; /* NULL: none are kept */

	LIST_HEAD(, ow_peer) peers;
	LIST_HEAD(, ow_peer) buried; /* closed in this round of the loop */
	LIST_HEAD(, ow_pending) answers; /* of dead servers, to be retried */
	struct ow_job *job;		/* NULL: nothing in progress */

	int listen_fd;
	ev_io accept_io;
	ev_timer accept_again; /* after EMFILE */
	ev_timer tick;	       /* every second */
	ev_timer retry;	       /* while there are answers */
	ev_timer leave;	       /* the end, when the last words are out */
	ev_prepare pump;       /* lets the job go on, once per round */
	ev_signal sigs[8];
	bool reload_due; /* SIGHUP */
	bool boot;	 /* -b: start everything; READY when that is done */
	bool is_init;	 /* PID 1 */
	char notify[108]; /* socket of systemd, "" none */
	uint64_t watchdog_ms;
	uint64_t t_learned; /* end of <restart_to_check>, 0: over */
	uint64_t t_checkpm;
	uint64_t t_pqstat; /* of the last sample of queue depths */
	rlim_t files_max; /* descriptors that we may have */
	uint32_t n_procs; /* server processes */
	bool accept_failed; /* and said so */
	uint32_t ping_seq;
	bool nudge_due; /* a server has died in this round */
	uint64_t t_leave;
	bool ending;	/* no new connections, no new commands */
	bool ipc_gone;	/* queues, segments, socket, pid file are removed */
};

static inline uint64_t ow_ndrxd_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/*
 * Set up a supervisor: the domain joined, the configuration read, the socket
 * listening, living servers adopted. 0 or -errno, with the reason in `why`.
 * `d` is zeroed but for the paths. Domain and tables stay for the process.
 */
int ow_ndrxd_open(struct ndrxd *d, char *why, size_t size);
/* Serve until told to end. */
void ow_ndrxd_run(struct ndrxd *d);
void ow_ndrxd_close(struct ndrxd *d);

/* End the loop as soon as all peers have their packets (at most 1 s). */
void ow_ndrxd_end(struct ndrxd *d);

/* The start that -b asked for is over: say so to systemd. */
void ow_ndrxd_booted(struct ndrxd *d, const char *result);

/* Stop all servers, remove the domain's queues and segments, end. */
void ow_ndrxd_shutdown(struct ndrxd *d);

#endif
