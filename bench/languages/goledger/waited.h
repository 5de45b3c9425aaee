/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waited.h - for how long the threads of a client, ready to run, had no CPU
 */
#ifndef OW_BENCH_WAITED_H
#define OW_BENCH_WAITED_H

#include <stdint.h>

#include "bench/ledger.h"

/* Begin to look at the threads of this process, in a thread of its own. */
void ledger_watch_threads(struct ow_ledger *l);
/* For how many ms since `ms` threads of this process had to wait, all together. */
uint32_t ledger_waited(uint32_t ms);

#endif
