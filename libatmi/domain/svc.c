/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svc.c - service slots of the shared tables, found by name
 *
 * A hash table with open addressing. Names are only ever added, so readers
 * need no lock.
 */
#include "libatmi/domain/tables.h"

#include <string.h>

#include "libatmi/base/fault.h"

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

int ow_svc_find(const struct ow_tables *t, const char *name)
{
	uint32_t i, at = name_hash(name) % OW_SVC_MAX;

	for (i = 0; i < OW_SVC_MAX; i++, at = (at + 1) % OW_SVC_MAX) {
		const struct ow_svc *s = &t->svc[at];

		if (!svc_has_memory(t, at) ||
		    atomic_load_explicit(&s->used, memory_order_acquire) == 0)
			return -1;
		if (strncmp(s->name, name, OW_SVC_NAME) == 0)
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

int ow_svc_name(struct ow_tables *t, const char *name)
{
	uint32_t n, at;
	int found = ow_svc_find(t, name);

	if (found >= 0)
		return found;
	n = atomic_load(&t->head->nsvc);
	if (n >= OW_SVC_MAX - 1 || strlen(name) >= OW_SVC_NAME)
		return -1;
	at = name_hash(name) % OW_SVC_MAX;
	while (svc_has_memory(t, at) && atomic_load(&t->svc[at].used) != 0)
		at = (at + 1) % OW_SVC_MAX;
	if (ow_tables_reserve(t, &t->svc[at], sizeof(t->svc[at])) != 0)
		return -1;
	OW_FAULT("svc_name.map");
	atomic_fetch_or(&t->head->svc_map[at / 64], UINT64_C(1) << (at % 64));
	OW_FAULT("svc_name.name");
	memset(t->svc[at].name, 0, OW_SVC_NAME);
	memcpy(t->svc[at].name, name, strlen(name));
	atomic_store(&t->svc[at].prio, 50);
	/* Listed before it is used: a crash in between leaves an unused slot
	 * in the list, which readers skip. */
	list_svc(t, at);
	OW_FAULT("svc_name.used");
	atomic_store_explicit(&t->svc[at].used, 1, memory_order_release);
	return (int)at;
}
