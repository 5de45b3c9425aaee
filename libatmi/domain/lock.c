/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.c - the domain lock: guards the shape of the shared tables
 *
 * The lock is held for microseconds. A damaged lock must not stop the domain:
 * the caller goes on without it, and the log says so.
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/segment.h"
#include "libatmi/log/log.h"

#define LOCK_S 10 /* a lock held for longer counts as damaged */

/* Count ow_svc.nsrv again from the rows of the server slots in use. Lock
 * held. */
static void recount(struct ow_tables *t)
{
	uint32_t id, n, i, s;

	n = atomic_load(&t->head->nsvc);
	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX)
			atomic_store(&t->svc[s].nsrv, 0);
	}
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		n = atomic_load(&t->srv[id].nadv);
		for (i = 0; i < n && i < OW_ADV_MAX; i++) {
			s = atomic_load(&t->adv[id][i].svc);
			if (s >= 1 && s <= OW_SVC_MAX)
				atomic_fetch_add(&t->svc[s - 1].nsrv, 1);
		}
	}
}

/* Is the mutex of the kind that ow_segment_init_lock() makes? glibc aborts the
 * process for another kind. */
static bool is_whole(const pthread_mutex_t *m)
{
	static _Atomic int kind = -1;
	pthread_mutex_t fresh;

	if (atomic_load(&kind) < 0) {
		ow_segment_init_lock(&fresh);
		atomic_store(&kind, fresh.__data.__kind);
	}
	return m->__data.__kind == atomic_load(&kind);
}

/* 0; EOWNERDEAD: its holder died; another error: the lock is damaged. */
static int try_lock(pthread_mutex_t *m)
{
	struct timespec until;

	if (!is_whole(m))
		return EINVAL;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LOCK_S;
	return pthread_mutex_timedlock(m, &until);
}

void ow_tables_lock(struct ow_tables *t)
{
	int r = try_lock(&t->head->lock);

	if (r == 0)
		return;
	if (r == EOWNERDEAD) {
		log_warn("tables: a process died holding the lock: recounting");
		recount(t);
		pthread_mutex_consistent(&t->head->lock);
		return;
	}
	log_error("tables: lock: %s: going on without it", strerror(r));
}

void ow_tables_unlock(struct ow_tables *t)
{
	if (is_whole(&t->head->lock))
		pthread_mutex_unlock(&t->head->lock);
}
