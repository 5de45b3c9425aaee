/* SPDX-License-Identifier: Apache-2.0 */
/*
 * announce.h - a server that looks says so in its services
 *
 * A sender that has queued a message writes a byte into the FIFO of the queue,
 * and the kernel wakes a server. A server that looks (transport/looking.h) is
 * awake: it announces itself in the word `looker` of each of its services, and
 * looks at these words. A sender that finds an announcement changes the word
 * to 0 instead of writing a byte; the server sees that, and receives.
 *
 * An announcement is the server's id and the time until which it is valid. At
 * the end of its look the server changes the word to 0 itself. If that fails a
 * sender has taken the announcement: there is a message, and no byte.
 *
 * Sender: queue the message, read the word. Server: store the word, check the
 * FIFO. So the server finds a byte that was written before.
 *
 * What a death leaves. A server that is killed or stopped after a sender has
 * taken its announcement leaves a message without a byte, as one that is
 * killed between byte and message: a nudge or a poll finds it (fifo.h). An
 * announcement that nobody took is void after its time.
 */
#ifndef OW_ANNOUNCE_H
#define OW_ANNOUNCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"

#define OW_ANNOUNCE_UNIT 1024 /* ns */
#define OW_ANNOUNCE_TIME ((UINT64_C(1) << 48) - 1)

static inline uint64_t ow_announcement(uint32_t srvid, uint64_t until_ns)
{
	return (uint64_t)srvid << 48 |
	       (until_ns / OW_ANNOUNCE_UNIT & OW_ANNOUNCE_TIME);
}

static inline bool ow_announcement_is_void(uint64_t word, uint64_t now_ns)
{
	return (word & OW_ANNOUNCE_TIME) <
	       (now_ns / OW_ANNOUNCE_UNIT & OW_ANNOUNCE_TIME);
}

/* ---- called by the server ---- */

/* False: another server looks for this service. */
static inline bool ow_announce(struct ow_svc *s, uint64_t word,
			       uint64_t now_ns)
{
	uint64_t old = ow_load_relaxed(&s->looker);

	return (old == 0 || ow_announcement_is_void(old, now_ns)) &&
	       atomic_compare_exchange_strong(&s->looker, &old, word);
}

/* True: nobody has taken it. */
static inline bool ow_announce_withdraw(struct ow_svc *s, uint64_t word)
{
	return atomic_compare_exchange_strong(&s->looker, &word, 0);
}

static inline bool ow_announce_is_taken(const struct ow_svc *s, uint64_t word)
{
	return ow_load_relaxed(&s->looker) != word;
}

/* ---- called by a sender ---- */

/* A message is queued. True: a server that looks is told of it. */
static inline bool ow_announce_take(struct ow_svc *s)
{
	uint64_t word;

	atomic_thread_fence(memory_order_seq_cst);
	word = ow_load_relaxed(&s->looker);
	return word != 0 &&
	       !ow_announcement_is_void(word, ow_clock_mono_ns()) &&
	       atomic_compare_exchange_strong(&s->looker, &word, 0);
}

#endif
