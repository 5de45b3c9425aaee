/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inst.h - one instance of a <server>: what happens to it, raised as events
 *
 * Ends of its process, packets on its connection and time-outs become events
 * of its automaton; actions.c does what the automaton decides.
 */
#ifndef OW_INST_H
#define OW_INST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ndrxd/model/automaton.h"

struct ndrxd;
struct ow_config_server;
struct ow_ctl_hello;
struct ow_inst;
struct ow_peer;

enum ow_inst_result {
	OW_INST_REFUSED = 1, /* HELLO: another process has this server id */
};

/* A new instance, in NOT_STARTED; `def` may be NULL. */
int ow_inst_new(struct ndrxd *d, uint32_t srvid, struct ow_inst **ret_inst);
struct ow_inst *ow_inst_free(struct ow_inst *s);

/* Take name and policy from `def` (after a reload, appconfig). */
void ow_inst_configure(struct ow_inst *s, const struct ow_config_server *def);

/* The instance with this id, new if need be (a server started by hand);
 * NULL: no memory. */
struct ow_inst *ow_inst_find_or_add(struct ndrxd *d, uint32_t srvid,
				    const char *bin);

bool ow_inst_event(struct ow_inst *s, enum ow_auto_event ev);

/* Watch a living process that is in the tables. */
void ow_inst_adopt(struct ow_inst *s, pid_t pid, uint64_t start, bool ready);

/* A checked HELLO on `peer`: 0, or REFUSED. */
int ow_inst_hello(struct ow_inst *s, struct ow_peer *peer,
		  const struct ow_ctl_hello *hello);
/* The connection has ended. */
void ow_inst_hangup(struct ow_inst *s);

/* Has its process ended? Called for its pidfd, and every second without. */
void ow_inst_check(struct ow_inst *s);

/* Is the program file another one than at the last start? */
bool ow_inst_file_changed(const struct ow_inst *s);

/* SIGKILL now, without its kill sequence. */
void ow_inst_kill(struct ow_inst *s);

#endif
