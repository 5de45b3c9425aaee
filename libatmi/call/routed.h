/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routed.h - the queue of a request whose data choose the service
 *
 * Called by request.c when the service has a route; other calls do not come
 * here.
 */
#ifndef OW_ROUTED_H
#define OW_ROUTED_H

struct ow_ctx;
struct ow_sending;
struct ow_svcq;

/* As ow_svcq_find() for the service that `data` choose for a call of `svc`; -1
 * with tperrno: TPESYSTEM, they choose none. The name of that service goes to
 * `name`. */
int ow_routed_find(struct ow_ctx *c, const char *svc,
		   const struct ow_sending *data, char name[32],
		   struct ow_svcq **ret);

#endif
