/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.c - the domain lock: guards the shape of the shared tables
 *
 * The lock is held for microseconds. Without it nothing is changed: a process
 * that does not get it in time reports that. Its holder may be stopped by a
 * signal (SIGSTOP, ^Z) while others wait: they continue it. What the holder
 * logs is written after it has given the lock back (ow_log_hold()).
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/segment.h"
#include "libatmi/log/log.h"

#define SLICE_NS (100 * OW_NS_PER_MS) /* then look at the holder */
#define AGAIN_NS OW_NS_PER_SEC	      /* after a vain wait: do not wait */

/* What `nsrv` of a counted service is. */
static uint32_t counted(const struct ow_svc *s)
{
	return atomic_load(&s->counted) |
	       (ow_svc_reasons(atomic_load(&s->marks)) != 0 ? OW_SVC_SHUT
								: 0);
}

static void count_from_zero(struct ow_tables *t)
{
	uint32_t i, s, nsvc = atomic_load(&t->head->nsvc);

	for (i = 0; i < nsvc && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX)
			atomic_store(&t->svc[s].counted, 0);
	}
}

/* Count a row of a server, for the service that it has there; 0: none. */
static void count_row(struct ow_tables *t, uint32_t svc)
{
	if (svc >= 1 && svc <= OW_SVC_MAX)
		atomic_fetch_add(&t->svc[svc - 1].counted, 1);
}

static void store_counted(struct ow_tables *t, bool awaited)
{
	uint32_t i, at, nsvc = atomic_load(&t->head->nsvc);

	for (i = 0; i < nsvc && i < OW_SVC_MAX; i++) {
		struct ow_svc *s;

		at = atomic_load(&t->head->svc_list[i]);
		if (at >= OW_SVC_MAX)
			continue;
		s = &t->svc[at];
		if (awaited && atomic_load(&s->awaited) !=
				   atomic_load(&s->counted))
			atomic_store(&s->awaited, atomic_load(&s->counted));
		if (!awaited && atomic_load(&s->nsrv) != counted(s))
			atomic_store(&s->nsrv, counted(s));
	}
}

/* Count the servers of all services again, and those that are expected back.
 * Beside the old numbers: a service that is served never seems to be without
 * servers. Lock held. */
static void recount(struct ow_tables *t)
{
	uint32_t id, n, i;

	count_from_zero(t);
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		n = atomic_load(&t->srv[id].nadv);
		for (i = 0; i < n && i < OW_ADV_MAX; i++)
			count_row(t, ow_tables_row_svc(t, id, i));
	}
	store_counted(t, false);
	count_from_zero(t);
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		n = atomic_load(&t->srv[id].nawait);
		for (i = 0; i < n && i < OW_ADV_MAX; i++)
			count_row(t, ow_tables_row_awaits(t, id, i));
	}
	store_counted(t, true);
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

/* ---- the holder ---- */

/* The mutex itself names the holder in the moment between locking and the
 * store of `lock_owner`. 0: nobody holds it. */
static pid_t holder(const struct ow_tables *t)
{
	ow_proc_id id = atomic_load(&t->head->lock_owner);
	int tid = __atomic_load_n(&t->head->lock.__data.__owner,
				  __ATOMIC_RELAXED);

	if (id != 0)
		return ow_proc_id_alive(id) ? ow_proc_id_pid(id) : 0;
	return tid > 0 ? (pid_t)tid : 0;
}

bool ow_tables_lock_holder(const struct ow_tables *t, char *buf, size_t size)
{
	uint64_t since = atomic_load(&t->head->lock_ns);
	uint64_t now = ow_clock_mono_ns();
	pid_t pid = holder(t);
	char name[32] = "?";
	char state = pid != 0 ? ow_proc_look(pid, name, sizeof(name)) : 0;

	if (state == 0) {
		snprintf(buf, size, "no process");
		return false;
	}
	snprintf(buf, size, "process %d (%s)%s", (int)pid, name,
		 state == 'T'	? ", stopped by a signal"
		 : state == 't' ? ", stopped by a debugger"
				: "");
	if (atomic_load(&t->head->lock_owner) != 0 && now > since)
		snprintf(buf + strlen(buf), size - strlen(buf), ", for %.1f s",
			 (double)(now - since) / (double)OW_NS_PER_SEC);
	return true;
}

/* The holder has had the lock for long. If a signal has stopped it: continue
 * it, because the whole domain waits for what it does in a microsecond. */
static void continue_holder(const struct ow_tables *t)
{
	pid_t pid = holder(t);
	char name[32] = "?";

	if (ow_proc_continue(pid, name, sizeof(name)))
		log_warn("process %d (%s) was stopped while it held the domain "
			 "lock: continued it (SIGCONT)", (int)pid, name);
}

/* ---- locking ---- */

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer does not know pthread_mutex_clocklock(). */
static int lock_until(pthread_mutex_t *m, uint64_t until)
{
	struct timespec nap = { .tv_nsec = 1000 * 1000 };
	int r;

	while ((r = pthread_mutex_trylock(m)) == EBUSY &&
	       ow_clock_mono_ns() < until)
		nanosleep(&nap, NULL);
	return r == EBUSY ? ETIMEDOUT : r;
}
#else
static int lock_until(pthread_mutex_t *m, uint64_t until)
{
	struct timespec ts = { .tv_sec = (time_t)(until / OW_NS_PER_SEC),
			       .tv_nsec = (long)(until % OW_NS_PER_SEC) };

	return pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &ts);
}
#endif

/* 0; EOWNERDEAD; ETIMEDOUT; EAGAIN: not in the last second, so this process did
 * not wait again; another error: the lock is damaged. */
static int wait_for_lock(struct ow_tables *t)
{
	uint64_t now = ow_clock_mono_ns(), until = now + t->patience_ns;
	uint64_t slice;
	int r;

	if (now < atomic_load(&t->try_until_ns))
		return EAGAIN;
	for (; now < until; now = ow_clock_mono_ns()) {
		slice = now + SLICE_NS < until ? now + SLICE_NS : until;
		r = lock_until(&t->head->lock, slice);
		if (r != ETIMEDOUT)
			return r;
		continue_holder(t);
	}
	atomic_store(&t->try_until_ns, now + AGAIN_NS);
	return ETIMEDOUT;
}

/* The lock was not taken: the result of ow_tables_lock(). */
static int fail(struct ow_tables *t, int r)
{
	char who[120];

	if (r == EAGAIN)
		return OW_TABLES_LOCKED; /* said a moment ago */
	if (r != ETIMEDOUT) {
		log_error("the domain lock is damaged (%s): `xadmin down -y` "
			  "removes the domain", strerror(r));
		return -EINVAL;
	}
	ow_tables_lock_holder(t, who, sizeof(who));
	log_error("the domain lock is held by %s: nothing changed", who);
	return OW_TABLES_LOCKED;
}

int ow_tables_lock(struct ow_tables *t)
{
	int r = EINVAL;

	ow_log_start(); /* reads files: not under the lock */
	if (is_whole(&t->head->lock))
		r = pthread_mutex_trylock(&t->head->lock);
	if (r == EBUSY)
		r = wait_for_lock(t);
	if (r == EOWNERDEAD) {
		recount(t);
		r = pthread_mutex_consistent(&t->head->lock);
		t->recounted = true;
	}
	if (r != 0)
		return fail(t, r);
	atomic_store(&t->head->lock_ns, ow_clock_mono_ns());
	atomic_store(&t->head->lock_owner, ow_proc_id_self());
	ow_log_hold();
	return 0;
}

void ow_tables_unlock(struct ow_tables *t)
{
	bool recounted = t->recounted;

	t->recounted = false;
	atomic_store(&t->head->lock_owner, 0);
	pthread_mutex_unlock(&t->head->lock);
	ow_log_release();
	if (recounted)
		log_warn("a process died holding the domain lock: servers of "
			 "services were counted again");
}

void ow_tables_set_patience(struct ow_tables *t, uint64_t ns)
{
	t->patience_ns = ns;
}
