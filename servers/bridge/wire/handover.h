/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handover.h - the connection to NATS, and the one that takes its place
 *
 * Usually there is one. When certificates are renewed a second one is made
 * beside it, and the session goes over to it without the loss of a message
 * (doc/design/cluster.md, "Certificates are renewed").
 */
#ifndef OW_BRIDGE_HANDOVER_H
#define OW_BRIDGE_HANDOVER_H

#include <stddef.h>
#include <stdint.h>

#include "servers/bridge/wire/settings.h"

struct ow_br_handover;

/* What the user of the connection does. One call at a time, but for
 * undelivered(), pause(), resume(), wait_for_answers(). */
struct ow_br_handover_user {
	void *arg;
	void (*message)(void *arg, const char *subject, const void *data,
			size_t len);
	/* A message has come over the connection that does not count yet;
	 * message() gives it when that one counts. */
	void (*heard_there)(void *arg, const char *subject, const void *data,
			    size_t len);
	void (*undelivered)(void *arg, const char *subject);
	void (*up)(void *arg);
	void (*down)(void *arg);
	/* The second connection has taken over. */
	void (*moved)(void *arg);
	/* Send no requests and replies from now on; and again. */
	void (*pause)(void *arg);
	void (*resume)(void *arg);
	/* Until all others have answered on both connections: 0; -1 with the
	 * reason. */
	int (*wait_for_answers)(void *arg, char *why, size_t size);
};

/* 0 or -ENOMEM. `u` stays the caller's. */
int ow_br_handover_make(const struct ow_br_handover_user *u,
			struct ow_br_handover **ret);
/* Connect as bridge `id`: 0, or -1 with the reason. */
int ow_br_handover_open(struct ow_br_handover *w, const struct ow_br_options *o,
		    uint32_t id, char *why, size_t size);
/* Send by the connection that counts; the largest message that it takes. */
int ow_br_handover_send(void *handover, const char *subject, const char *reply,
		    const void *data, size_t len);
size_t ow_br_handover_largest(void *handover);
/* Connect anew with `o` and go over. On a thread of its own: it takes seconds
 * where nobody answers. -1 with the reason: everything is as it was. */
int ow_br_handover_change(struct ow_br_handover *w,
			  const struct ow_nats_options *o, char *why,
			  size_t size);
/* Has the connection that counts ended for good? */
bool ow_br_handover_is_closed(struct ow_br_handover *w);
/* Nobody sends, or changes, any more. Accepts NULL. */
void ow_br_handover_close(struct ow_br_handover *w);

#endif
