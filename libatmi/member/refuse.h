/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - refuse a request that no server will serve
 */
#ifndef OW_REFUSE_H
#define OW_REFUSE_H

struct ow_domain;
struct ow_envelope;
struct ow_msg;

/* Send TPESVCERR to the caller, or the error with which the request is marked:
 * 0 (also if the caller is gone), or OW_QUEUE_FULL: its mailbox is full. An
 * ow_refuse_fn (transport.h). */
int ow_refuse(struct ow_domain *d, const struct ow_msg *request);
/* Mark a request that no server had begun: TPESVCERR, if its service will be
 * served again, else TPENOENT. */
void ow_refuse_mark(struct ow_msg *request, int tperr);
/* Postpone the refusal; the envelope is empty afterwards, unless there is no
 * memory: then the call ends at its deadline. */
void ow_refuse_later(struct ow_domain *d, struct ow_envelope *e);

#endif
