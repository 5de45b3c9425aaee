/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - one command to ndrxd, and its answers
 *
 * A connection serves one command at a time: CMD goes out, EVENT and ROW
 * packets come to a callback, DONE ends it. ndrxd is trusted no further than
 * ow_ctl_check() reaches. A silence longer than the time-out
 * (NDRX_XADMINTOUT) ends the wait, not the command: ndrxd goes on with it.
 * Starting and stopping may be silent for minutes, but a ndrxd that meanwhile
 * does not answer a ping within seconds hangs, and is waited for no longer.
 */
#ifndef OW_REMOTE_H
#define OW_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ow_domain;

struct ow_remote {
	const struct ow_domain *domain; /* must live as long */
	int fd;				/* -1: not connected */
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
	ow_remote_fn *on_reply; /* NULL: not wanted */
	void *arg;
	int silence_ms; /* longest wait for news; 0: by the verb */
};

enum ow_remote_result {
	OW_REMOTE_ABSENT = 1, /* nobody listens: ndrxd does not run */
};

/* Connect: 0, ABSENT or -errno. */
int ow_remote_open(const struct ow_domain *d, struct ow_remote *ret);
void ow_remote_close(struct ow_remote *r);

/*
 * Send the command, wait for its end. 0 with *ret_done; -ETIMEDOUT,
 * -ENOTCONN (ndrxd has gone), -EINTR, -E2BIG (name or text too long),
 * -errno.
 */
int ow_remote_call(struct ow_remote *r, const struct ow_remote_cmd *cmd,
		   struct ow_ctl_done *ret_done);

/* Wait until the process of ndrxd has ended: 0, -ETIMEDOUT, -errno. */
int ow_remote_wait_end(struct ow_remote *r, int timeout_ms);

/* Process id of the other side, 0 if unknown. */
pid_t ow_remote_pid(const struct ow_remote *r);

/* What is wrong, for people; `r` a failure of the functions above. */
const char *ow_remote_strerror(int r);

#endif
