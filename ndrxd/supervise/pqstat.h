/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pqstat.h - samples of queue depths, for the history in `xadmin pq`
 */
#ifndef OW_PQSTAT_H
#define OW_PQSTAT_H

#include <stdint.h>

struct ndrxd;

/* Sample all queues if <gather_pq_stats> is on and a sanity cycle is over. */
void ow_pqstat_tick(struct ndrxd *d, uint64_t now_ms);

#endif
