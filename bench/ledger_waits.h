/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_waits.h - how long the requests of a ledger waited for their servers
 */
#ifndef OW_BENCH_LEDGER_WAITS_H
#define OW_BENCH_LEDGER_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/ledger.h"

/* The longest wait of the requests that were executed in each 100 ms. */
struct ow_ledger_waits {
	uint32_t *ms; /* allocated; for the life of the process */
	uint32_t n;
};

/* Of the first `n` entries: 0, or -1: there is no memory. */
int ow_ledger_find_waits(const struct ow_ledger *l, uint64_t n,
			 struct ow_ledger_waits *ret_waits);
/* Did a request that was executed, then or later, wait for at least half of the
 * time between these two? Then there was more work than the servers could do, and
 * one that was not served in that time had no luck. */
bool ow_ledger_is_overdue(const struct ow_ledger_waits *w, uint32_t begin_ms,
			  uint32_t due_ms);

#endif
