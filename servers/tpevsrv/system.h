/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.h - events of the domain itself: a server died, was given up, ...
 */
#ifndef TPEVSRV_SYSTEM_H
#define TPEVSRV_SYSTEM_H

struct ow_domain;

/* Deliver what ndrxd did since the last time, if no other tpevsrv has. */
void system_deliver(struct ow_domain *d);
void system_close(void);

#endif
