/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clients.h - the client monitor: the programs of <clients>
 *
 * Each <exec> (and each number of its sub-sections) is one process with the
 * same automaton as a server; it serves nothing, so it counts as ready when
 * it has been made, and it is ended by signals. Clients boot after the
 * servers and end before them.
 *
 * A client is recognized by its environment: NDRX_CLTTAG, NDRX_CLTSUBSECT and
 * NDRX_CLTPID, which is its own process id (children of it inherit another
 * number than theirs). So the next ndrxd finds the clients of a killed one
 * without any record, and none is ever started twice.
 */
#ifndef OW_CLIENTS_H
#define OW_CLIENTS_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"
#include "ndrxd/model/automaton.h"

struct ndrxd;
struct ow_config;
struct ow_config_client;
struct ow_peer;

struct ow_client {
	struct ow_auto au; /* first: its ops get the client from it */
	struct ndrxd *d;
	const struct ow_config_client *def;
	char tag[64], subsect[64];
	bool ours; /* child of this process */
	pid_t pid; /* 0: none */
	uint64_t start;
	int pidfd; /* -1: looked at every second */
	ev_io gone;
	ev_timer timer;
	enum ow_auto_event timer_event;
	uint64_t t_changed; /* wall clock ns of the last change of state */
	int exit_status;
	int exec_errno;
};

/* The clients of a configuration. Those that vanish must have no process.
 * 0, -ENOMEM (unchanged). */
int ow_clients_configure(struct ndrxd *d, const struct ow_config *config);
void ow_clients_close(struct ndrxd *d);

/* At start-up: living ones are watched, those that died meanwhile start. */
void ow_clients_adopt(struct ndrxd *d);

/* Boot all that have <autostart>. */
void ow_clients_boot(struct ndrxd *d);
/* End all; `at_once`: SIGKILL. */
void ow_clients_stop(struct ndrxd *d, bool at_once);
bool ow_clients_all_down(const struct ndrxd *d);

/* Look at every process: gone, or over its limits? */
void ow_clients_check(struct ndrxd *d, bool limits);
/* The client of this process, or NULL. */
struct ow_client *ow_clients_by_pid(struct ndrxd *d, pid_t pid);
void ow_client_check(struct ow_client *c);

/* PC, BC, SC, RC of xadmin. */
void ow_clients_command(struct ow_peer *p, const struct ow_ctl_cmd *cmd);

/* Of process group `name`: does one want to run; raise an event in all; the
 * descriptor of the group's lock out of one that runs, or -1. */
bool ow_clients_want(const struct ndrxd *d, const char *name);
void ow_clients_group(struct ndrxd *d, const char *name,
		      enum ow_auto_event ev);
int ow_clients_fetch_lock(const struct ndrxd *d, const char *name,
			  const char *path);

/* A running client that `config` does not know, or NULL. */
const struct ow_client *ow_clients_vanished(const struct ndrxd *d,
					    const struct ow_config *config);
/* After a reload: restart those whose definition differs from `before`,
 * start new ones with <autostart>; how many. */
uint32_t ow_clients_changed(struct ndrxd *d, const struct ow_config *before);

#endif
