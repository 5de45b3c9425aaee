/* SPDX-License-Identifier: Apache-2.0 */
/*
 * return.h - a server's thread gets its own context back
 */
#ifndef OW_RETURN_H
#define OW_RETURN_H

struct ow_ctx;

/* After a service, if c->away has OW_CTX_AWAY: whatever contexts the service has put on this
 * thread are let go, and `c`, with which the thread serves, is its context
 * again. */
void ow_context_return(struct ow_ctx *c);

#endif
