/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - hand a reply to the program that called
 */
#ifndef OW_DELIVER_H
#define OW_DELIVER_H

struct ow_ctx;
struct ow_envelope;

#pragma GCC visibility push(default)

/*
 * Put the reply `e` of call `cd` into *data and end the call: 0, or -1 with
 * tperrno. *data, *len and flags as in tpgetrply(). The envelope is closed.
 */
int ow_deliver(struct ow_ctx *c, int cd, struct ow_envelope *e, char **data,
	       long *len, long flags);

#pragma GCC visibility pop
#endif
