/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - calls of a guest: a context whose domain is another user's
 *
 * Its calls go through the gate (wire/frame.h), one operation at a time. The
 * descriptors are those of calls.h; the gate has its own for each of them.
 * After the connection has ended, each call that was outstanding is answered
 * with TPESYSTEM once, and the next call connects anew.
 */
#ifndef OW_GUEST_H
#define OW_GUEST_H

struct ow_ctx;
struct ow_request;

/* Of a context that is a guest's. As the functions of the public interface,
 * whose arguments have been checked: -1 with tperrno. */
int ow_guest_call(struct ow_ctx *c, struct ow_request *rq, char **odata,
		  long *olen);
int ow_guest_send(struct ow_ctx *c, struct ow_request *rq);
int ow_guest_getrply(struct ow_ctx *c, int *cd, char **data, long *len,
		     long flags);
void ow_guest_cancel(struct ow_ctx *c, int cd);

#endif
