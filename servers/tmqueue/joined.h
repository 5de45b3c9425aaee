/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined.h - the switch with which tmqueue itself joins transactions
 *
 * libatmisrv calls it around each service of a request that is in a
 * transaction; it notes the branch, for the job of the request. The ends of
 * branches come as requests, from the switch of other processes (switch.c).
 */
#ifndef OW_TMQUEUE_JOINED_H
#define OW_TMQUEUE_JOINED_H

#include <xa.h>

#include "servers/tmqueue/known.h"

/* Use `k` from now on; the switch for this process. */
struct xa_switch_t *joined_switch(struct known *k);
/* The branch of the request that this thread serves; none: gtrid 0. */
struct ow_mq_xid joined_xid(void);

#endif
