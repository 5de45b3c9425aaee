/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_open.c - the files of a queue space are opened, or made
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "servers/tmqueue/room.h"
#include "servers/tmqueue/store.h"
#include "libatmi/base/owned.h"

#define MAP_MAX	 (UINT64_C(1) << 40)
#define MAP_MIN	 (UINT64_C(1) << 30)
#define BEFORE	 1u /* without a journal: it is taken over */
#define MODE	 0600
#define TABLES	 16

static int fail(char *why, size_t size, int r, const char *what)
{
	snprintf(why, size, "%s: %s", what, mdb_strerror(r));
	return r > 0 ? -r : -EIO;
}

/* A file of the space that is there is ours, and nobody else may open it. */
static int check_owner(const char *folder, const char *name, const char *end,
		       char *why, size_t size)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, name, end);
	fd = ow_owned_open(path, O_RDWR | O_CLOEXEC, S_IFREG, NULL);
	if (fd >= 0)
		close(fd);
	if (fd != -EPERM)
		return fd >= 0 || fd == -ENOENT ? 0
						: fail(why, size, -fd, path);
	snprintf(why, size, "%s", ow_owned_strerror(fd));
	return fd;
}

/* The lock of the space, for as long as this process lives. */
static int take_lock(struct store *s, const char *folder, const char *name,
		     char *why, size_t size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.lock", folder, name);
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, MODE);
	if (s->lock_fd < 0)
		return fail(why, size, errno, path);
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	snprintf(why, size, "%s: another process has the queue space %s open",
		 path, name);
	return -EBUSY;
}

static int open_tables(struct store *s)
{
	int r = 0;

#define X(name, flags)                                                     \
	if (r == 0)                                                        \
		r = mdb_dbi_open(s->txn, #name, MDB_CREATE | (flags),      \
				 &s->name);
	STORE_TABLES(X)
#undef X
	return store_result(r);
}

/* Read the identity, or make it. */
static int identify(struct store *s, bool *ret_begun, char *why, size_t size)
{
	struct store_meta m;
	MDB_val v;
	int r = store_get(s, s->meta, "space", 5, &v);

	if (r == STORE_ABSENT) {
		if (getrandom(s->id, sizeof(s->id), 0) != sizeof(s->id))
			return -EIO;
		r = store_write_meta(s);
		return r != 0 ? r : store_write_epoch(s, false);
	}
	if (r != 0)
		return r;
	memcpy(&m, v.mv_data, v.mv_size < sizeof(m) ? v.mv_size : sizeof(m));
	if (v.mv_size != sizeof(m) ||
	    (m.version != STORE_VERSION && m.version != BEFORE)) {
		snprintf(why, size, "its layout is %u, not %u", m.version,
			 STORE_VERSION);
		return -EPROTO;
	}
	memcpy(s->id, m.id, sizeof(s->id));
	s->last = s->written = m.last;
	s->last_branch = s->written_branch = m.last_branch;
	if (m.version == BEFORE && (r = store_write_meta(s)) != 0)
		return r;
	r = store_read_epoch(s, ret_begun);
	return r == STORE_ABSENT ? store_write_epoch(s, false) : r;
}

/* As much address space as there is: none of it is used before the file has
 * it. */
static int open_env(struct store *s, const char *path, char *why, size_t size)
{
	int r = mdb_env_create(&s->env);

	if (r != 0)
		return fail(why, size, r, path);
	mdb_env_set_maxdbs(s->env, TABLES);
	for (s->map_max = MAP_MAX; s->map_max >= MAP_MIN; s->map_max /= 2) {
		r = mdb_env_set_mapsize(s->env, s->map_max);
		if (r == 0)
			r = mdb_env_open(s->env, path,
					 MDB_NOSUBDIR | MDB_NOLOCK, MODE);
		if (r != ENOMEM)
			break;
		mdb_env_close(s->env);
		s->env = NULL;
		mdb_env_create(&s->env);
		mdb_env_set_maxdbs(s->env, TABLES);
	}
	s->map = s->map_max;
	return r == 0 ? 0 : fail(why, size, r, path);
}

/* The name of a new file is on disk, too. */
static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

/* Read the file, or make it whole. */
static int read_or_make(struct store *s, bool *ret_begun, char *why,
			size_t size)
{
	int r = room_have(s, 0, false);

	if (r == 0)
		r = store_result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
	if (r == 0)
		r = open_tables(s);
	if (r == 0)
		r = identify(s, ret_begun, why, size);
	if (r == 0)
		r = store_result(mdb_txn_commit(s->txn));
	else if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	return r;
}

/* The journal: what it has becomes part of the data base. Where there is no
 * room for one, each batch is a transaction of LMDB. */
static int use_journal(struct store *s, const char *folder, bool begun,
		       char *why, size_t size)
{
	char path[sizeof(s->path) + 1];
	bool is_begun;
	int r;

	snprintf(path, sizeof(path), "%.*s.tmj", (int)strlen(s->path) - 4,
		 s->path);
	r = journal_open(&s->journal, path, s->id, begun);
	if (r == JOURNAL_MISSING) {
		snprintf(why, size, "%s is missing: it has the last messages "
			 "(to go on without them, make it as an empty file)",
			 path);
		return -ENOENT;
	}
	if (r != 0)
		return r == JOURNAL_NO_ROOM ? 0 : r;
	sync_folder(folder);
	r = journal_begin(&s->journal, s->epoch);
	if (r == 0 && s->journal.batches > 0)
		r = store_recover(s);
	else if (r == 0 && !begun)
		r = store_begin_epoch(s);
	return r != 0 ? r : read_or_make(s, &is_begun, why, size);
}

static int begin_use(struct store *s, const char *folder, char *why,
		     size_t size)
{
	bool begun = false;
	struct stat st;
	int r;

	s->file_fd = open(s->path, O_RDWR | O_CLOEXEC);
	if (s->file_fd < 0 || fstat(s->file_fd, &st) != 0)
		return fail(why, size, errno, s->path);
	s->allocated = (uint64_t)st.st_blocks * 512;
	r = read_or_make(s, &begun, why, size);
	if (r == 0)
		r = use_journal(s, folder, begun, why, size);
	if (r == STORE_FULL)
		return fail(why, size, ENOSPC, s->path);
	if (r != 0 && why[0] == '\0')
		return fail(why, size, -r, s->path);
	return r;
}

int store_open(struct store *s, const char *folder, const char *name, char *why,
	       size_t size)
{
	int r;

	memset(s, 0, sizeof(*s));
	s->lock_fd = s->file_fd = s->journal.fd = -1;
	why[0] = '\0';
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return fail(why, size, errno, folder);
	r = check_owner(folder, name, "lock", why, size);
	if (r == 0)
		r = check_owner(folder, name, "tmq", why, size);
	if (r == 0)
		r = check_owner(folder, name, "tmj", why, size);
	if (r == 0)
		r = take_lock(s, folder, name, why, size);
	snprintf(s->path, sizeof(s->path), "%s/%s.tmq", folder, name);
	if (r == 0)
		r = open_env(s, s->path, why, size);
	if (r == 0)
		r = begin_use(s, folder, why, size);
	if (r == 0)
		sync_folder(folder);
	else
		store_close(s);
	return r;
}

void store_close(struct store *s)
{
	if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
	s->in_batch = false;
	journal_close(&s->journal);
	if (s->env != NULL)
		mdb_env_close(s->env);
	s->env = NULL;
	if (s->file_fd >= 0)
		close(s->file_fd);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	s->file_fd = s->lock_fd = -1;
}
