/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prc.c - process slots of the shared tables
 */
#include "libatmi/domain/prc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "libatmi/base/fault.h"

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

/* A free slot with memory; 0: none. Lock held. */
static uint32_t find_free(struct ow_tables *t)
{
	uint32_t i, high = atomic_load(&t->head->prc_high);

	if (high == 0)
		high = 1; /* 0 means: no slot */
	for (i = 1; i < high && i < OW_PRC_MAX; i++)
		if (atomic_load(&t->prc[i].pid) == 0)
			return i;
	if (i >= OW_PRC_MAX ||
	    ow_tables_reserve(t, &t->prc[i], sizeof(t->prc[i])) != 0)
		return 0;
	atomic_store(&t->head->prc_high, i + 1);
	return i;
}

static uint32_t take_slot(struct ow_tables *t)
{
	uint64_t start = ow_proc_start_self();
	uint32_t i;

	if (start == 0)
		return 0; /* cannot read /proc: would count as dead */
	ow_tables_lock(t);
	i = find_free(t);
	if (i != 0) {
		OW_FAULT("prc.start");
		atomic_store(&t->prc[i].start, start);
		OW_FAULT("prc.pid");
		atomic_store(&t->prc[i].pid, getpid());
	}
	ow_tables_unlock(t);
	return i;
}

uint32_t ow_prc_take(struct ow_tables *t)
{
	uint32_t me = ow_prc_forks();

	pthread_mutex_lock(&self_lock);
	if (atomic_load(&t->self_forks) != me) {
		atomic_store(&t->self, take_slot(t));
		if (atomic_load(&t->self) != 0)
			atomic_store(&t->self_forks, me);
	}
	pthread_mutex_unlock(&self_lock);
	return atomic_load(&t->self_forks) == me ? atomic_load(&t->self) : 0;
}

bool ow_prc_alive(const struct ow_tables *t, uint32_t prc)
{
	uint32_t high = atomic_load(&t->head->prc_high);

	return prc != 0 && prc < high && prc < OW_PRC_MAX &&
	       ow_proc_alive(atomic_load(&t->prc[prc].pid),
			     atomic_load(&t->prc[prc].start));
}

uint32_t ow_prc_find(const struct ow_tables *t, int32_t pid, uint64_t start)
{
	uint32_t i, high = atomic_load(&t->head->prc_high);

	for (i = 1; i < high && i < OW_PRC_MAX; i++)
		if (atomic_load(&t->prc[i].pid) == pid &&
		    atomic_load(&t->prc[i].start) == start)
			return i;
	return 0;
}
