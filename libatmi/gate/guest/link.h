/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - the connection of a guest to the gate
 *
 * A guest is a context whose domain is another user's. One operation at a time
 * goes through its connection (wire/frame.h). After the connection has ended,
 * the next operation connects anew.
 */
#ifndef OW_GUEST_LINK_H
#define OW_GUEST_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/guest.h"
#include "libatmi/wire/frame.h"

struct ow_content;

struct ow_guest {
	int fd; /* -1: the connection has ended */
	bool has_lost; /* there may be calls whose connection has ended */
	int auth; /* what tpchkauth() returns */
	bool logged_in; /* by tpinit(), on this connection */
	struct ow_clt clt; /* what calls.c writes; nobody reads it */
	/* The gate's descriptor of each call of ours, 0: lost; and back. */
	uint16_t theirs[OW_CD_MAX], ours[OW_CD_MAX];
};

/* An answer of the gate. */
struct ow_guest_answer {
	struct ow_frame head;
	void *payload; /* malloc'ed */
};

/* As the table of call/guest.h says. */
int ow_guest_join(struct ow_ctx *c);
void ow_guest_leave(struct ow_ctx *c);
void ow_guest_forked(struct ow_ctx *c);

/*
 * One operation: 0 with the answer, whose payload the caller frees; -1 with
 * tperrno. `data`: what is sent behind the head, or NULL. A signal ends the
 * wait at the gate, unless TPSIGRSTRT.
 */
int ow_guest_ask(struct ow_ctx *c, const struct ow_frame *f,
		 const struct ow_content *data, struct ow_guest_answer *a);
/*
 * One operation of a context that is no guest's, at the gate of its own
 * domain: 0, or -1 with tperrno. Until the deadline of the head it waits for a
 * gate.
 */
int ow_guest_ask_own(struct ow_ctx *c, const struct ow_frame *f,
		     const struct ow_content *data);
/* The connection is useless for reason `r`: it ends. -1 with tperrno. */
int ow_guest_fail(struct ow_ctx *c, int r);

#endif
