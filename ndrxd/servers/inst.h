/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inst.h - one instance of a <server>: the automaton's hands and eyes
 *
 * An instance exists for every server id of the configuration, and for every
 * server that was started by hand (def NULL). It outlives its processes.
 */
#ifndef OW_INST_H
#define OW_INST_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"
#include "ndrxd/model/automaton.h"

struct ndrxd;
struct ow_config_server;
struct ow_peer;

enum ow_inst_result {
	OW_INST_REFUSED = 1, /* HELLO: another process has this server id */
};

struct ow_inst {
	struct ow_auto au; /* first: its ops get the instance from it */
	struct ndrxd *d;
	const struct ow_config_server *def; /* NULL: not configured */
	size_t entry;	   /* its place among the <server> entries */
	size_t next_entry; /* the same, in a configuration to come */
	uint32_t srvid;
	bool autostart; /* srvid < def->srvid + def->min */
	bool known;	/* has its place in the shared tables */
	bool returns;	/* the job that stops it will start it again */
	bool ours;	/* child of this process: it can be waited for */
	pid_t pid;	/* what we started; 0: none */
	pid_t svpid;	/* what said HELLO (differs behind a wrapper) */
	uint64_t start; /* start time of pid */
	int pidfd;	/* -1: looked at every second */
	ev_io gone;
	ev_timer timer;
	enum ow_auto_event timer_event;
	uint64_t timer_set; /* counts: is it still the one that fired? */
	struct ow_peer *peer; /* its control connection, or NULL */
	char bin[64];
	char *binpath, *clopt; /* as it was started */
	uint64_t file_time;    /* of the program when it was started */
	int exit_status;       /* wait status of the last exit */
	int exec_errno;
	uint8_t reload; /* enum ow_reload_mark of the reload in progress */
	uint32_t job_item; /* 1 + index in the current step; 0: none */
	bool overtaken;	   /* ends later than its step of the job */
};

/* A new instance, in NOT_STARTED; `def` may be NULL. */
int ow_inst_new(struct ndrxd *d, uint32_t srvid, struct ow_inst **ret_inst);
struct ow_inst *ow_inst_free(struct ow_inst *s);

/* Take names and policy from its definition (after a reload, appconfig). */
void ow_inst_configure(struct ow_inst *s, const struct ow_config_server *def);

/* The same for all, after a change of d->app. */
void ow_inst_configure_all(struct ndrxd *d);

bool ow_inst_event(struct ow_inst *s, enum ow_auto_event ev);

/* A living process found in the tables: watch it. */
void ow_inst_adopt(struct ow_inst *s, pid_t pid, uint64_t start, bool ready);

/* A checked HELLO on `peer`: 0, or REFUSED. */
int ow_inst_hello(struct ow_inst *s, struct ow_peer *peer,
		  const struct ow_ctl_hello *hello);
/* The connection has ended. */
void ow_inst_hangup(struct ow_inst *s);

/* Is its process gone? Without a pidfd nobody else tells. */
void ow_inst_check(struct ow_inst *s);

/* Is the program file another one than at the start? */
bool ow_inst_file_changed(const struct ow_inst *s);

/* SIGKILL now, without any policy. */
void ow_inst_kill(struct ow_inst *s);

#endif
