/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - hand a reply to the program that called
 */
#ifndef OW_DELIVER_H
#define OW_DELIVER_H

struct ow_ctx;
struct ow_envelope;
struct ow_msg;

/*
 * Put the reply `e` of call `cd` into *data and end the call: 0, or -1 with
 * tperrno. *data, *len and flags as in tpgetrply(). The envelope is closed.
 */
int ow_deliver(struct ow_ctx *c, int cd, struct ow_envelope *e, char **data,
	       long *len, long flags);
/* The payload of a message becomes *data: 0, or -1 with tperrno. The envelope
 * is still to be closed. */
int ow_deliver_content(struct ow_envelope *e, char **data, long *len,
		       long flags);
/* The error of a reply, with its cause (wire/cause.h) if the payload, which may
 * be NULL, has one: -1 with tperrno. */
int ow_deliver_error(const struct ow_msg *m, const void *payload);

#endif
