/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention.h - make a server check more than its queues
 */
#ifndef OW_SHM_ATTENTION_H
#define OW_SHM_ATTENTION_H

#include <stdatomic.h>
#include <stdint.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/shm/shmq.h"

/* Bits of ow_srv.attention. */
enum { OW_ATTENTION_FDS = 1, OW_ATTENTION_KICK = 2 };

/* Set bits of a server's `attention`, and wake it if it sleeps.
 * Async-signal-safe; changes errno. */
static inline void ow_attention_set(struct ow_srv *s, uint32_t bits)
{
	uint32_t idle = OW_WORD_IDLE;

	atomic_fetch_or(&s->attention, bits);
	OW_FAULT("attention");
	if (atomic_compare_exchange_strong(&s->wake_word, &idle,
					   OW_WORD_KICKED))
		ow_futex_wake(&s->wake_word, 1);
}

#endif
