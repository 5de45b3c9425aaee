/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - what one user's guests may take of memory, together
 *
 * Connections cost a guest nothing, so bytes are counted for the user, as the
 * kernel told it: payloads while they are read, requests until their block in
 * shared memory is free again (also one-way requests, and calls that were
 * cancelled), replies that nobody fetches. Payloads that fit a queue message are
 * not counted: queues are bounded. The last eighth of shared memory is for the
 * domain's own calls. Threads of the gate.
 */
#ifndef OW_LEDGER_H
#define OW_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_blocks;
struct ow_ledger;

#define OW_LEDGER_BYTES ((uint64_t)256 << 20)
#define OW_LEDGER_SMALL 4096u /* payloads up to this do not count */

/* The ledger of a user, shared by its connections; NULL: no memory. */
struct ow_ledger *ow_ledger_open(uint32_t uid);
struct ow_ledger *ow_ledger_close(struct ow_ledger *l);

/* A payload of `len` bytes comes: NULL, or why it may not. `shm_dir` has the
 * shared memory. */
const char *ow_ledger_take(struct ow_ledger *l, struct ow_blocks *b,
			   const char *shm_dir, uint64_t len);
/* It is not there any more; or it lies in block `ref` from now on. */
void ow_ledger_give(struct ow_ledger *l, uint64_t len);
void ow_ledger_sent(struct ow_ledger *l, uint64_t ref, uint64_t len);
/* A connection keeps replies of `now` bytes, no longer of `before`. False: that
 * is more than the user may have. */
bool ow_ledger_keeps(struct ow_ledger *l, uint64_t before, uint64_t now);

#endif
