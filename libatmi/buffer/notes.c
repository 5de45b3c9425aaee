/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes.c - the buffers that have a call header, with their headers
 */
#define HASH_NONFATAL_OOM 1
#include "libatmi/buffer/notes.h"

#include <pthread.h>

#include "libatmi/base/forks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_note *table;
_Atomic uint32_t ow_notes_count;

static void lock_table(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_table(void)
{
	pthread_mutex_unlock(&lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(lock_table, unlock_table, unlock_table);
}

struct ow_note *ow_notes_find(const char *data)
{
	struct ow_note *n = NULL;

	if (!ow_notes_any())
		return NULL;
	lock_table();
	HASH_FIND_PTR(table, &data, n);
	unlock_table();
	return n;
}

struct ow_note *ow_notes_take(const char *data)
{
	struct ow_note *n = NULL;

	if (!ow_notes_any())
		return NULL;
	lock_table();
	HASH_FIND_PTR(table, &data, n);
	if (n != NULL) {
		HASH_DEL(table, n);
		atomic_fetch_sub(&ow_notes_count, 1);
	}
	unlock_table();
	return n;
}

bool ow_notes_put(struct ow_note *n)
{
	bool ok;

	lock_table();
	HASH_ADD_PTR(table, key, n);
	ok = n->hh.tbl != NULL;
	if (ok)
		atomic_fetch_add(&ow_notes_count, 1);
	unlock_table();
	return ok;
}
