/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preallocation.h - room in the file of a queue space, allocated ahead
 */
#ifndef OW_TMQUEUE_PREALLOCATION_H
#define OW_TMQUEUE_PREALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

struct store;

/* What the batches of one transaction may add, about. */
#define PREALLOCATED_TRANSACTION (UINT64_C(16) << 20)

/* Before a transaction: have room for `bytes`, or for as many as a transaction
 * of many batches may add (s->journals). 0, STORE_FULL, -errno. */
int preallocate(struct store *s, uint64_t bytes, bool removes);

#endif
