/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.h - the gate says who stands behind a client slot
 *
 * It is the one process that does: it knows from the kernel whose process is at
 * the other end of a connection, and it checks passwords, so that no client
 * has to be believed.
 */
#ifndef OW_GATE_LOGIN_H
#define OW_GATE_LOGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libatmi/door/callers.h"
#include "libatmi/wire/frame.h"

struct ow_ctx;

/* At the other end of a connection. */
struct ow_gate_peer {
	struct ow_caller who; /* as the kernel says; login "" */
	pid_t pid;
	bool own; /* the domain's user */
};

/* Write down whose requests this context sends from now on: 0, or -1 with
 * tperrno. */
int ow_gate_introduce(struct ow_ctx *c, const struct ow_gate_peer *peer);
/* TPNOAUTH, TPSYSAUTH, TPAPPAUTH: what the domain wants. */
int ow_gate_auth(struct ow_ctx *c);
/*
 * Check what the peer says at LOGIN, and write it down: 0, or -1 with tperrno;
 * TPEPERM comes after a second, so that nobody tries many. Of a guest, the
 * context is what gets the name; of the domain's user, the client slot that the
 * frame names. `data`: what follows `l` in the payload of the frame.
 */
int ow_gate_login(struct ow_ctx *c, struct ow_gate_peer *peer,
		  const struct ow_frame *f, struct ow_frame_login *l,
		  const char *data);

#endif
