/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doze.c - a server that has just served sleeps where a sender finds it
 */
#include "libatmi/transport/posix/doze.h"

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/posix/announce.h"

#define LONGEST_PAUSE 63u /* waits */

void ow_doze_rouse(struct ow_srv *s)
{
	if (atomic_exchange(&s->wake_word, OW_DOZE_AWAKE) == OW_DOZE_ASLEEP)
		ow_futex_wake(&s->wake_word, 1);
}

bool ow_doze_take(struct posix_queue *q)
{
	uint64_t word, now = 0;
	int i;

	atomic_thread_fence(memory_order_seq_cst);
	for (i = 0; i < OW_DOZERS; i++) {
		word = ow_load_relaxed(&q->svc->dozing[i]);
		if (word == 0)
			continue;
		if (now == 0)
			now = ow_clock_mono_ns();
		if (word >> 48 >=
			    ow_load_relaxed(&q->tables->head->srv_high) ||
		    ow_announcement_is_void(word, now) ||
		    !atomic_compare_exchange_strong(&q->svc->dozing[i], &word,
						    0))
			continue;
		OW_FAULT("posix.doze_taken");
		ow_doze_rouse(&q->tables->srv[word >> 48]);
		return true;
	}
	return false;
}

/* ---- called by the server ---- */

bool ow_doze_pays(struct ow_dozer *z)
{
	if (z->left == 0)
		return true;
	z->left--;
	return false;
}

void ow_doze_learn(struct ow_dozer *z, bool was_woken)
{
	z->pause = was_woken ? 0 : 2 * z->pause + 1;
	if (z->pause > LONGEST_PAUSE)
		z->pause = LONGEST_PAUSE;
	z->left = z->pause;
}

static bool take_place(struct ow_svc *s, uint64_t word, uint64_t now_ns,
		       bool of_dead)
{
	uint64_t old;
	int i;

	for (i = 0; i < OW_DOZERS; i++) {
		old = ow_load_relaxed(&s->dozing[i]);
		if ((of_dead ? ow_announcement_is_void(old, now_ns)
			     : old == 0) &&
		    atomic_compare_exchange_strong(&s->dozing[i], &old, word))
			return true;
	}
	return false;
}

bool ow_doze_enter(struct ow_svc *s, uint64_t word, uint64_t now_ns)
{
	return take_place(s, word, now_ns, false) ||
	       take_place(s, word, now_ns, true);
}

bool ow_doze_leave(struct ow_svc *s, uint64_t word)
{
	uint64_t old;
	int i;

	for (i = 0; i < OW_DOZERS; i++) {
		old = word;
		if (ow_load_relaxed(&s->dozing[i]) == word)
			return atomic_compare_exchange_strong(&s->dozing[i],
							      &old, 0);
	}
	return false;
}

int ow_doze_sleep(struct ow_srv *s, uint64_t until_ns)
{
	int r;

	OW_FAULT("posix.doze_sleeps");
	r = ow_futex_wait(&s->wake_word, OW_DOZE_ASLEEP, until_ns);
	OW_FAULT("posix.dozed");
	return r;
}
