/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dispatch.h - serve the request in hand
 */
#ifndef OW_DISPATCH_H
#define OW_DISPATCH_H

#include <stdint.h>

struct ow_server;

/* Serve the request that was received into s->rq.envelope. */
void ow_dispatch(struct ow_server *s, uint32_t row);
/* Send an error reply to the request in hand instead of a result, with its
 * cause for the caller, or NULL. */
void ow_dispatch_fail(struct ow_server *s, int tperr, const char *cause);
/* Count the request in hand as served. Called before the reply or the
 * forwarded request is sent, so that its receiver finds the call in the
 * statistics. */
void ow_dispatch_count(struct ow_server *s);
/* Leave the service function: ow_dispatch() goes on. */
_Noreturn void ow_dispatch_leave(struct ow_server *s);

#endif
