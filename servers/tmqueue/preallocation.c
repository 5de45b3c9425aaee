/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preallocation.c - room in the file of a queue space, allocated ahead
 */
#include "servers/tmqueue/preallocation.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "servers/tmqueue/store.h"
#include "libatmi/base/clock.h"

#define STEP	(UINT64_C(16) << 20) /* the file grows by this */
#define RESERVE (UINT64_C(2) << 20)  /* of it, for removals */

static uint64_t used(const struct store *s)
{
	MDB_envinfo info;
	MDB_stat stat;

	mdb_env_info(s->env, &info);
	mdb_env_stat(s->env, &stat);
	return (info.me_last_pgno + 1) * stat.ms_psize;
}

/* A page for each record in the worst case, and copies of inner pages. */
static uint64_t at_worst(uint64_t bytes)
{
	return bytes + bytes / 4 + 2 * RESERVE;
}

/* The file up to `bytes`. What was allocated before is not looked at again: a
 * file system may walk through all of it. */
static bool extend(struct store *s, uint64_t bytes)
{
	uint64_t from = s->extended ? s->allocated : 0;

	if (fallocate(s->file_fd, 0, (off_t)from, (off_t)(bytes - from)) != 0)
		return false;
	s->allocated = bytes;
	s->extended = true;
	return true;
}

/* Have the disk give `bytes` of room in the file. Where there is no room for a
 * whole step it is asked for that once a second. */
static void allocate(struct store *s, uint64_t bytes)
{
	uint64_t want = (bytes / STEP + 1) * STEP, now;

	if (s->cannot_allocate || bytes <= s->allocated)
		return;
	now = ow_clock_mono_ns();
	if (s->full && now < s->retry_ns)
		return;
	if ((now >= s->step_ns && extend(s, want)) || extend(s, bytes)) {
		if (s->allocated != want)
			s->step_ns = now + OW_NS_PER_SEC;
		s->full = false;
	} else if (errno == EOPNOTSUPP || errno == ENOSYS) {
		s->cannot_allocate = true;
	} else {
		s->full = true;
		s->retry_ns = now + OW_NS_PER_SEC;
	}
}

/* Is there room for a transaction of many batches? A disk that has little left
 * is asked once a second. */
static bool have_much(struct store *s, uint64_t bytes)
{
	uint64_t now = ow_clock_mono_ns();

	if (s->journal.fd < 0 || s->cannot_allocate || s->full)
		return false;
	if (bytes <= s->allocated)
		return true;
	if (now < s->retry_ns)
		return false;
	bytes = (bytes / STEP + 1) * STEP;
	if (extend(s, bytes))
		return true;
	s->retry_ns = now + OW_NS_PER_SEC;
	return false;
}

/* Would a map of `size` bytes find room beside the one that there is? */
static bool has_room(size_t size)
{
	void *p = mmap(NULL, size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return false;
	munmap(p, size);
	return true;
}

/* LMDB gives the old map back before it asks for a new one, and does not look
 * whether it got it: so a larger one is asked for only where there is room for it.
 * While the address space has none, the map stays as it is, or grows less:
 * what finds no room in it is told STORE_FULL. */
static int set_map(struct store *s, size_t size)
{
	int r;

	while (size > s->map && !has_room(size))
		size = size / 2 > s->map ? size / 2 : s->map;
	if (size == s->map)
		return 0;
	mapped_end(&s->mapped);
	r = mdb_env_set_mapsize(s->env, size);
	if (r == 0)
		s->map = size;
	else
		s->broken = true; /* there is no map any more */
	if (r == 0)
		mapped_begin(&s->mapped, s->file_fd, size);
	return store_result(r);
}

int preallocate(struct store *s, uint64_t bytes, bool removes)
{
	uint64_t at, much, limit;
	int r;

	if (s->broken)
		return -EIO;
	at = used(s);
	much = at + at_worst(PREALLOCATED_TRANSACTION);
	if (bytes <= PREALLOCATED_TRANSACTION && have_much(s, much)) {
		r = set_map(s, s->map_max);
		s->journals = r == 0 && s->map >= much;
		if (r != 0 || s->journals)
			return r;
	}
	s->journals = false;
	allocate(s, at + at_worst(bytes));
	if (!s->full)
		return set_map(s, s->map_max);
	limit = s->allocated - (removes ? 0 : RESERVE);
	return set_map(s, limit < at ? at : limit);
}
