/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svc.c - service slots of the shared tables, found by name
 *
 * A hash table with open addressing; readers take no lock. A slot that has a
 * name always has one, so that a search goes on behind it. When the table is
 * nearly full, a new name takes over the slot of a service that has no server
 * and no queue (generation even). The generation changes then, by two. So a
 * context that remembers the slot finds that its open queue is not the slot's
 * any more, and compares the name before it uses the slot again (call/svcq.c).
 */
#include "libatmi/domain/tables.h"

#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"

/* From so many names on, slots are given to other names. */
#define REUSE_FROM (OW_SVC_MAX / 8 * 7)

static uint32_t name_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ (h >> 15);
}

/* A slot without memory must not be read: reading a hole of a full file system
 * raises SIGBUS. */
static bool svc_has_memory(const struct ow_tables *t, uint32_t at)
{
	return atomic_load_explicit(&t->head->svc_map[at / 64],
				    memory_order_acquire) >> (at % 64) & 1;
}

bool ow_svc_is(const struct ow_svc *s, const char *name)
{
	uint32_t gen;
	bool same;

	do { /* the name is whole if the generation did not change */
		gen = atomic_load(&s->gen);
		same = atomic_load(&s->used) == OW_SVC_NAMED &&
		       strncmp(s->name, name, OW_SVC_NAME) == 0;
		atomic_thread_fence(memory_order_seq_cst);
	} while (same && (atomic_load(&s->gen) != gen ||
			  atomic_load(&s->used) != OW_SVC_NAMED));
	return same;
}

int ow_svc_find(const struct ow_tables *t, const char *name)
{
	uint32_t i, at = name_hash(name) % OW_SVC_MAX;

	for (i = 0; i < OW_SVC_MAX; i++, at = (at + 1) % OW_SVC_MAX) {
		const struct ow_svc *s = &t->svc[at];

		if (!svc_has_memory(t, at) ||
		    atomic_load_explicit(&s->used, memory_order_acquire) == 0)
			return -1;
		if (ow_svc_is(s, name))
			return (int)at;
	}
	return -1;
}

/* Append slot `at` to the list of services. A process killed in ow_svc_name()
 * may have listed it already. Lock held. */
static void list_svc(struct ow_tables *t, uint32_t at)
{
	uint32_t i, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n; i++)
		if (atomic_load(&t->head->svc_list[i]) == at)
			return;
	OW_FAULT("svc_name.list");
	atomic_store(&t->head->svc_list[n], at);
	OW_FAULT("svc_name.nsvc");
	atomic_store(&t->head->nsvc, n + 1);
}

static bool is_used(const struct ow_tables *t, uint32_t at)
{
	return svc_has_memory(t, at) && atomic_load(&t->svc[at].used) != 0;
}

/* May another name have the slot? Not of a suspended service: `nsrv` is not 0.
 * Lock held. */
static bool is_reusable(const struct ow_tables *t, uint32_t at, bool full)
{
	const struct ow_svc *s = &t->svc[at];

	return (full || atomic_load(&s->used) == OW_SVC_RENAMED) &&
	       (atomic_load(&s->marks) & OW_SVC_KEPT) == 0 &&
	       atomic_load(&s->nsrv) == 0 && (atomic_load(&s->gen) & 1) == 0;
}

/* The slot for a new name: the first that is free or may be reused, in the
 * order in which a search visits them; -1: none. Lock held. */
static int choose(const struct ow_tables *t, const char *name)
{
	uint32_t n = atomic_load(&t->head->nsvc), i;
	uint32_t at = name_hash(name) % OW_SVC_MAX;

	for (i = 0; i < OW_SVC_MAX; i++, at = (at + 1) % OW_SVC_MAX) {
		/* One slot stays free: it ends searches. */
		if (!is_used(t, at))
			return n < OW_SVC_MAX - 1 ? (int)at : -1;
		if (is_reusable(t, at, n >= REUSE_FROM))
			return (int)at;
	}
	return -1;
}

static void fill(struct ow_svc *s, const char *name)
{
	int i;

	memset(s->name, 0, OW_SVC_NAME);
	memcpy(s->name, name, strlen(name));
	atomic_store(&s->prio, 50);
	atomic_store(&s->marks, 0);
	atomic_store(&s->autotran, 0);
	ow_store_relaxed(&s->expired, 0);
	ow_store_relaxed(&s->full, 0);
	ow_store_relaxed(&s->failed, 0);
	ow_store_relaxed(&s->pq_sum, 0);
	ow_store_relaxed(&s->pq_count, 0);
	ow_store_relaxed(&s->pq_peak, 0);
	for (i = 0; i < (int)OW_PQ_SAMPLES; i++)
		ow_store_relaxed(&s->pq[i], 0);
}

/* Give a slot to another name. Killed on the way: nobody reads the name, and
 * the next new name on its way may have the slot. It is listed already. */
static void rename_slot(struct ow_svc *s, const char *name)
{
	atomic_store(&s->used, OW_SVC_RENAMED);
	OW_FAULT("svc_name.rename");
	atomic_fetch_add(&s->gen, 2);
	ow_fence_after_rmw();
	fill(s, name);
	OW_FAULT("svc_name.renamed");
	atomic_store(&s->used, OW_SVC_NAMED);
}

int ow_svc_name(struct ow_tables *t, const char *name)
{
	int found = ow_svc_find(t, name);
	struct ow_svc *s;
	uint32_t at;

	if (found >= 0)
		return found;
	if (strlen(name) >= OW_SVC_NAME)
		return -1;
	found = choose(t, name);
	if (found < 0)
		return -1;
	at = (uint32_t)found;
	s = &t->svc[at];
	if (is_used(t, at)) {
		rename_slot(s, name);
		return found;
	}
	if (ow_tables_reserve(t, s, sizeof(*s)) != 0)
		return -1;
	OW_FAULT("svc_name.map");
	atomic_fetch_or(&t->head->svc_map[at / 64], UINT64_C(1) << (at % 64));
	OW_FAULT("svc_name.name");
	fill(s, name);
	/* Listed before it is used: a crash in between leaves an unused slot
	 * in the list, which readers skip. */
	list_svc(t, at);
	OW_FAULT("svc_name.used");
	atomic_store_explicit(&s->used, OW_SVC_NAMED, memory_order_release);
	return found;
}

bool ow_svc_set_mark(struct ow_tables *t, uint32_t svc, enum ow_svc_mark mark,
		     bool on)
{
	struct ow_svc *s = &t->svc[svc];
	uint8_t old = atomic_load(&s->marks), now;

	now = (uint8_t)(on ? old | mark : old & ~mark);
	if (on && mark == OW_SVC_REMOTE)
		now |= OW_SVC_KEPT;
	if (now == old)
		return false;
	atomic_store(&s->marks, now);
	OW_FAULT("svc_mark.shut");
	if (ow_svc_reasons(now) != 0)
		atomic_fetch_or(&s->nsrv, OW_SVC_SHUT);
	else
		atomic_fetch_and(&s->nsrv, ~OW_SVC_SHUT);
	return true;
}
