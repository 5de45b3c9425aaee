/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention.h - change a server's wake word, make it check more than its queues
 */
#ifndef OW_SHM_ATTENTION_H
#define OW_SHM_ATTENTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/shm/shmq.h"

/* Bits of ow_srv.attention. */
enum { OW_ATTENTION_FDS = 1, OW_ATTENTION_KICK = 2 };

/* Give an idle server's wake word the value `why`, WOKEN or KICKED, and wake
 * it if it sleeps. False: it is not idle. Async-signal-safe; changes errno. */
static inline bool ow_word_wake(struct ow_srv *s, uint32_t why)
{
	uint32_t word = atomic_load(&s->wake_word);

	/* A server changes LOOKING to IDLE, once for each look. */
	while (word == OW_WORD_IDLE || word == OW_WORD_LOOKING) {
		if (!atomic_compare_exchange_weak(&s->wake_word, &word, why))
			continue;
		OW_FAULT("shmq.wake");
		if (word == OW_WORD_IDLE)
			ow_futex_wake(&s->wake_word, 1);
		return true;
	}
	return false;
}

/* Set bits of a server's `attention`, and wake it if it sleeps.
 * Async-signal-safe; changes errno. */
static inline void ow_attention_set(struct ow_srv *s, uint32_t bits)
{
	atomic_fetch_or(&s->attention, bits);
	OW_FAULT("attention");
	ow_word_wake(s, OW_WORD_KICKED);
}

#endif
