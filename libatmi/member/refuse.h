/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - refuse a request that no server will serve
 */
#ifndef OW_REFUSE_H
#define OW_REFUSE_H

struct ow_domain;
struct ow_msg;

/* Send TPESVCERR to the caller: 0 (also if the caller is gone), or
 * OW_QUEUE_FULL: its reply queue is full. An ow_refuse_fn (transport.h). */
int ow_refuse(struct ow_domain *d, const struct ow_msg *request);
/* Count a request that will be refused later, or not at all. */
void ow_refuse_count(struct ow_domain *d, const struct ow_msg *request);

#endif
