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

struct ow_remote {
	const struct ow_domain *domain; /* must stay valid until close */
	int fd;				/* -1: not connected */
	char why[256]; /* of a failure to connect as a guest; else "" */
	uint32_t seq;
};

/* EVENT, ROW, CLIENT and GROUP packets, in order. */
typedef void ow_remote_fn(const union ow_ctl_msg *m, void *arg);

struct ow_remote_cmd {
	enum ow_ctl_verb verb;
	uint32_t flags;
	uint32_t srvid;
	const char *name; /* NULL: none */
	const char *text; /* NULL: none */
	ow_remote_fn *on_reply; /* NULL: ignore these packets */
	void *arg;
	int silence_ms; /* longest wait for a packet; 0: by the verb */
};

enum ow_remote_result {
	OW_REMOTE_ABSENT = 1, /* ndrxd does not run */
};

/* Connect: 0, ABSENT or -errno. */
int ow_remote_open(const struct ow_domain *d, struct ow_remote *ret);
void ow_remote_close(struct ow_remote *r);

/*
 * Send the command, wait for its end. 0 with *ret_done; -ETIMEDOUT,
 * -ENOTCONN (ndrxd has ended), -EINTR, -E2BIG (name or text too long),
 * -errno.
 */
int ow_remote_call(struct ow_remote *r, const struct ow_remote_cmd *cmd,
		   struct ow_ctl_done *ret_done);

/* Wait until the process of ndrxd has ended: 0, -ETIMEDOUT, -errno. */
int ow_remote_wait_end(struct ow_remote *r, int timeout_ms);

/* Process id of ndrxd, 0 if unknown. */
pid_t ow_remote_pid(const struct ow_remote *r);

/* The message for failure `r` of the functions above. */
const char *ow_remote_strerror(int r);

#endif
