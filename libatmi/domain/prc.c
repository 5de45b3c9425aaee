/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prc.c - process slots of the shared tables
 *
 * Taken and given back without the domain lock, by one compare-and-swap.
 */
#include "libatmi/domain/prc.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/hint.h"

_Atomic uint32_t ow_forks = 1;
static pthread_mutex_t self_lock = PTHREAD_MUTEX_INITIALIZER;

static void forked(void)
{
	atomic_fetch_add(&ow_forks, 1);
	pthread_mutex_init(&self_lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* Make a free slot this process's: 0, CROWDED, NOSPACE, -errno. Slot 0 means:
 * no slot. */
static int claim(struct ow_tables *t, ow_proc_id me, uint32_t *ret_slot)
{
	uint32_t hint = atomic_load(&t->head->prc_hint), n, at;
	ow_proc_id none;
	int r;

	for (n = 0; n < OW_PRC_MAX; n++) {
		at = (ow_hint_slot(hint) + n) % OW_PRC_MAX;
		if (at == 0)
			continue;
		if (at >= atomic_load(&t->head->prc_high)) {
			r = ow_tables_reserve(t, &t->prc[at],
					      sizeof(t->prc[at]));
			if (r != 0)
				return r;
			OW_FAULT("prc.high");
			ow_tables_raise_mark(&t->head->prc_high, at + 1);
		}
		OW_FAULT("prc.claim");
		none = 0;
		if (atomic_load(&t->prc[at].owner) == 0 &&
		    atomic_compare_exchange_strong(&t->prc[at].owner, &none,
						   me)) {
			OW_FAULT("prc.hint");
			ow_hint_raise(&t->head->prc_hint, hint, at + 1);
			*ret_slot = at;
			return 0;
		}
	}
	return OW_TABLES_CROWDED;
}

/* A slot for this process. Self lock held. */
static int take(struct ow_tables *t)
{
	ow_proc_id me = ow_proc_id_self();
	uint32_t slot = 0;
	int r;

	if (me == 0)
		return -EMFILE; /* cannot read /proc: would count as dead */
	r = claim(t, me, &slot);
	if (r != 0)
		return r;
	atomic_store(&t->self, slot);
	atomic_store(&t->self_forks, ow_prc_forks());
	return 0;
}

int ow_prc_need(struct ow_tables *t, uint32_t *ret_prc)
{
	int r = 0;

	pthread_mutex_lock(&self_lock);
	if (atomic_load(&t->self_forks) != ow_prc_forks())
		r = take(t);
	if (r == 0)
		*ret_prc = atomic_load(&t->self);
	pthread_mutex_unlock(&self_lock);
	return r;
}

uint32_t ow_prc_take(struct ow_tables *t)
{
	uint32_t prc = 0;

	return ow_prc_need(t, &prc) == 0 ? prc : 0;
}

void ow_prc_give_back(struct ow_tables *t)
{
	uint32_t prc = 0;

	pthread_mutex_lock(&self_lock);
	if (atomic_load(&t->self_forks) == ow_prc_forks()) {
		prc = atomic_load(&t->self);
		atomic_store(&t->self_forks, 0);
	}
	pthread_mutex_unlock(&self_lock);
	if (prc != 0)
		ow_prc_free(t, prc, ow_proc_id_self());
}

bool ow_prc_free(struct ow_tables *t, uint32_t prc, ow_proc_id dead)
{
	if (dead == 0 ||
	    !atomic_compare_exchange_strong(&t->prc[prc].owner, &dead, 0))
		return false;
	OW_FAULT("prc_free.hint");
	ow_hint_lower(&t->head->prc_hint, prc);
	return true;
}

ow_proc_id ow_prc_owner(const struct ow_tables *t, uint32_t prc)
{
	uint32_t high = atomic_load(&t->head->prc_high);

	if (prc == 0 || prc >= high || prc >= OW_PRC_MAX)
		return 0;
	return atomic_load(&t->prc[prc].owner);
}

bool ow_prc_alive(const struct ow_tables *t, uint32_t prc)
{
	return ow_proc_id_alive(ow_prc_owner(t, prc));
}

uint32_t ow_prc_find(const struct ow_tables *t, int32_t pid, uint64_t start)
{
	uint32_t i, high = atomic_load(&t->head->prc_high);
	ow_proc_id id = ow_proc_id_make(pid, start);

	for (i = 1; i < high && i < OW_PRC_MAX && pid != 0; i++)
		if (atomic_load(&t->prc[i].owner) == id)
			return i;
	return 0;
}
