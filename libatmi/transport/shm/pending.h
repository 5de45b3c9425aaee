/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - the word that says which woken server is on its way to a queue
 *
 * shmq.h describes what it is for; segment.h has the word.
 */
#ifndef OW_SHM_PENDING_H
#define OW_SHM_PENDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/transport/shm/segment.h"

/* The time: 48 bits, in units of 1,024 ns. */
#define OW_PENDING_TIME ((UINT64_C(1) << 48) - 1)
#define OW_PENDING_UNIT 1024

static inline uint64_t ow_pending_make(uint32_t rank, uint64_t now_ns)
{
	return (uint64_t)(rank + 1) << 48 |
	       (now_ns / OW_PENDING_UNIT & OW_PENDING_TIME);
}

static inline bool ow_pending_is_of(uint64_t word, uint32_t rank)
{
	return word >> 48 == rank + 1;
}

/* Signed: our clock may have been read before that of the waking process. */
static inline int64_t ow_pending_age(uint64_t word, uint64_t now_ns)
{
	return OW_PENDING_UNIT *
	       ((int64_t)(now_ns / OW_PENDING_UNIT & OW_PENDING_TIME) -
		(int64_t)(word & OW_PENDING_TIME));
}

/* Change the word to 0 if it is of this rank. */
static inline void ow_pending_end(struct shmq_head *h, uint32_t rank)
{
	uint64_t word = atomic_load(&h->pending_wake);

	if (ow_pending_is_of(word, rank))
		atomic_compare_exchange_strong(&h->pending_wake, &word, 0);
}

#endif
