/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - one command to ndrxd, with its replies
 *
 * A connection serves one command at a time: CMD goes out, EVENT and ROW
 * packets go to a callback, DONE ends the command. ow_ctl_check() checks every
 * packet. A silence longer than the time-out (NDRX_XADMINTOUT) ends the wait,
 * not the command: ndrxd goes on with it. Start and stop may be silent for
 * minutes; a ndrxd that does not reply to a ping within seconds hangs, and the
 * wait ends at once.
 */
#ifndef OW_OBSERVE_COMMAND_H
#define OW_OBSERVE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ow_domain;

struct ow_command_link {
	const struct ow_domain *domain; /* must stay valid until close */
	int fd;				/* -1: not connected */
	char why[256]; /* of a failure to connect as a guest; else "" */
	uint32_t seq;
};

/* EVENT, ROW, CLIENT and GROUP packets, in order. */
typedef void ow_command_fn(const union ow_ctl_msg *m, void *arg);

struct ow_command_order {
	enum ow_ctl_verb verb;
	uint32_t flags;
	uint32_t srvid;
	const char *name; /* NULL: none */
	const char *text; /* NULL: none */
	ow_command_fn *on_reply; /* NULL: ignore these packets */
	void *arg;
	int silence_ms; /* longest wait for a packet; 0: by the verb */
};

enum ow_command_result {
	OW_COMMAND_ABSENT = 1, /* ndrxd does not run */
};

/* Connect: 0, ABSENT or -errno. */
int ow_command_open(const struct ow_domain *d, struct ow_command_link *ret);
void ow_command_close(struct ow_command_link *r);

/*
 * Send the command, wait for its end. 0 with *ret_done; -ETIMEDOUT,
 * -ENOTCONN (ndrxd has ended), -EINTR, -E2BIG (name or text too long),
 * -errno.
 */
int ow_command_call(struct ow_command_link *r,
		    const struct ow_command_order *cmd,
		    struct ow_ctl_done *ret_done);

/* Wait until the process of ndrxd has ended: 0, -ETIMEDOUT, -errno. */
int ow_command_wait_end(struct ow_command_link *r, int timeout_ms);

/* Process id of ndrxd, 0 if unknown. */
pid_t ow_command_pid(const struct ow_command_link *r);

/* The message for failure `r` of the functions above. */
const char *ow_command_strerror(int r);

#endif
