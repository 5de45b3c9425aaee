/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored.h - one-way calls of durable services go to a tmqueue
 *
 * Station 3 of such a call, in place of request.h: ow_request_send() has said
 * STORED, and nothing was sent. A tmqueue writes the request down, and calls
 * the service later. doc/design/durable_services.md
 */
#ifndef OW_STORED_H
#define OW_STORED_H

struct ow_ctx;
struct ow_request;

/* Have the request stored, and wait until it is on disk: 0; -1 with tperrno:
 * after TPESVCERR, and TPETIME of a tmqueue that is stopped, it is not known
 * whether it is; after all others it is not. */
int ow_stored_ask(struct ow_ctx *c, struct ow_request *rq);
/* The same, for a thread that may not wait, of a caller who hears nothing: 0, it
 * is on its way; or -1 with tperrno. What cannot be stored is named in the
 * log of the tmqueue. */
int ow_stored_tell(struct ow_ctx *c, struct ow_request *rq);

#endif
