/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - the data base of a queue space: one LMDB file, one writer
 */
#include "clients/tmqueue/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"

#define MAP_MAX	 (UINT64_C(1) << 40)
#define MAP_MIN	 (UINT64_C(1) << 30)
#define STEP	 (UINT64_C(16) << 20) /* the file grows by this */
#define RESERVE	 (UINT64_C(2) << 20)  /* of it, for removals */
#define VERSION	 1u
#define MODE	 0600
#define TABLES	 16

struct meta {
	uint32_t version, pad;
	uint8_t id[STORE_SPACE_ID];
	uint64_t last, last_branch;
};

/* What LMDB returns, as ours. */
static int result(int r)
{
	switch (r) {
	case MDB_SUCCESS:
		return 0;
	case MDB_NOTFOUND:
		return STORE_ABSENT;
	case MDB_MAP_FULL:
	case MDB_TXN_FULL:
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return STORE_FULL;
	default:
		return r > 0 ? -r : -EIO;
	}
}

static int fail(char *why, size_t size, int r, const char *what)
{
	snprintf(why, size, "%s: %s", what, mdb_strerror(r));
	return r > 0 ? -r : -EIO;
}

/* ---- room ---- */

static uint64_t used(const struct store *s)
{
	MDB_envinfo info;
	MDB_stat stat;

	mdb_env_info(s->env, &info);
	mdb_env_stat(s->env, &stat);
	return (info.me_last_pgno + 1) * stat.ms_psize;
}

/* Have the disk give `bytes` of room in the file. */
static void allocate(struct store *s, uint64_t bytes)
{
	uint64_t want = (bytes / STEP + 1) * STEP, now;

	if (s->cannot_allocate || bytes <= s->allocated)
		return;
	now = ow_clock_mono_ns();
	if (s->full && now < s->retry_ns)
		return;
	if (fallocate(s->file_fd, 0, 0, (off_t)want) == 0 ||
	    fallocate(s->file_fd, 0, 0, (off_t)(want = bytes)) == 0) {
		s->allocated = want;
		s->full = false;
	} else if (errno == EOPNOTSUPP || errno == ENOSYS) {
		s->cannot_allocate = true;
	} else {
		s->full = true;
		s->retry_ns = now + OW_NS_PER_SEC;
	}
}

static int set_map(struct store *s, size_t size)
{
	int r = 0;

	if (size != s->map)
		r = mdb_env_set_mapsize(s->env, size);
	if (r == 0)
		s->map = size;
	return result(r);
}

/* A page for each record in the worst case, and copies of inner pages. */
static int have_room(struct store *s, size_t bytes, bool removes)
{
	uint64_t at = used(s), limit;

	allocate(s, at + bytes + bytes / 4 + 2 * RESERVE);
	if (!s->full)
		return set_map(s, s->map_max);
	limit = s->allocated - (removes ? 0 : RESERVE);
	return set_map(s, limit < at ? at : limit);
}

/* ---- transactions ---- */

int store_begin(struct store *s, size_t bytes, bool removes)
{
	int r = have_room(s, bytes, removes);

	if (r != 0)
		return r < 0 ? r : -EIO;
	return result(mdb_txn_begin(s->env, NULL, 0, &s->txn));
}

static int put_meta(struct store *s)
{
	struct meta m = { .version = VERSION,
			  .last = s->last,
			  .last_branch = s->last_branch };

	memcpy(m.id, s->id, sizeof(m.id));
	return store_put(s, s->meta, "space", 5, &m, sizeof(m));
}

int store_commit(struct store *s)
{
	int r = 0;

	if (s->last != s->written || s->last_branch != s->written_branch)
		r = put_meta(s);
	if (r != 0) {
		store_abort(s);
		return r;
	}
	OW_FAULT("tmqueue.commit");
	r = mdb_txn_commit(s->txn);
	s->txn = NULL;
	if (r == 0) {
		s->written = s->last;
		s->written_branch = s->last_branch;
	}
	OW_FAULT("tmqueue.committed");
	return result(r);
}

uint64_t store_commits(const struct store *s)
{
	MDB_envinfo info;

	mdb_env_info(s->env, &info);
	return info.me_last_txnid;
}

void store_abort(struct store *s)
{
	if (s->txn != NULL)
		mdb_txn_abort(s->txn);
	s->txn = NULL;
}

/* ---- records ---- */

int store_get(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      MDB_val *ret)
{
	MDB_val k = { key_len, (void *)key };

	return result(mdb_get(s->txn, table, &k, ret));
}

int store_put(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	      const void *data, size_t len)
{
	MDB_val k = { key_len, (void *)key }, v = { len, (void *)data };

	return result(mdb_put(s->txn, table, &k, &v, 0));
}

int store_append(struct store *s, MDB_dbi table, uint64_t key, size_t len,
		 char **ret)
{
	MDB_val k = { sizeof(key), &key }, v = { len, NULL };
	int r = mdb_put(s->txn, table, &k, &v, MDB_RESERVE | MDB_APPEND);

	if (r == MDB_KEYEXIST) /* not the greatest: a message comes back */
		r = mdb_put(s->txn, table, &k, &v, MDB_RESERVE);
	if (r == 0)
		*ret = v.mv_data;
	return result(r);
}

int store_del(struct store *s, MDB_dbi table, const void *key, size_t key_len)
{
	MDB_val k = { key_len, (void *)key };

	return result(mdb_del(s->txn, table, &k, NULL));
}

int store_seek(struct store *s, MDB_dbi table, const void *key, size_t key_len,
	       bool back, MDB_cursor **ret_cursor, MDB_val *ret_key,
	       MDB_val *ret_data)
{
	MDB_val k = { key_len, (void *)key };
	MDB_cursor *c = NULL;
	int r = mdb_cursor_open(s->txn, table, &c);

	if (r != 0)
		return result(r);
	*ret_cursor = c;
	*ret_key = k;
	r = mdb_cursor_get(c, ret_key, ret_data, MDB_SET_RANGE);
	if (!back)
		return result(r);
	if (r == MDB_NOTFOUND)
		return result(mdb_cursor_get(c, ret_key, ret_data, MDB_LAST));
	if (r != 0 || (ret_key->mv_size == key_len &&
		       memcmp(ret_key->mv_data, key, key_len) == 0))
		return result(r);
	return result(mdb_cursor_get(c, ret_key, ret_data, MDB_PREV));
}

int store_step(MDB_cursor *c, bool back, MDB_val *ret_key, MDB_val *ret_data)
{
	return result(mdb_cursor_get(c, ret_key, ret_data,
				     back ? MDB_PREV : MDB_NEXT));
}

/* The map lies where the kernel says that the file is mapped. */
void store_trim(struct store *s)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	char line[4608];

	if (maps == NULL)
		return;
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (strstr(line, s->path) != NULL &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2)
			madvise((void *)from, to - from, MADV_DONTNEED);
	}
	fclose(maps);
}

/* ---- opened ---- */

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
	return result(r);
}

/* Read the identity, or make it. */
static int identify(struct store *s, char *why, size_t size)
{
	struct meta m;
	MDB_val v;
	int r = store_get(s, s->meta, "space", 5, &v);

	if (r == STORE_ABSENT) {
		if (getrandom(s->id, sizeof(s->id), 0) != sizeof(s->id))
			return -EIO;
		return put_meta(s);
	}
	if (r != 0)
		return r;
	memcpy(&m, v.mv_data, v.mv_size < sizeof(m) ? v.mv_size : sizeof(m));
	if (v.mv_size != sizeof(m) || m.version != VERSION) {
		snprintf(why, size, "its layout is %u, not %u", m.version,
			 VERSION);
		return -EPROTO;
	}
	memcpy(s->id, m.id, sizeof(s->id));
	s->last = m.last;
	s->last = s->written = m.last;
	s->last_branch = s->written_branch = m.last_branch;
	return 0;
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

/* Make a new file whole, or look at one that is there. */
static int begin_use(struct store *s, const char *path, char *why, size_t size)
{
	struct stat st;
	int r;

	s->file_fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->file_fd < 0 || fstat(s->file_fd, &st) != 0)
		return fail(why, size, errno, path);
	s->allocated = (uint64_t)st.st_blocks * 512;
	r = store_begin(s, 0, false);
	if (r == 0)
		r = open_tables(s);
	if (r == 0)
		r = identify(s, why, size);
	if (r == 0)
		r = store_commit(s);
	store_abort(s);
	if (r == STORE_FULL)
		return fail(why, size, ENOSPC, path);
	if (r != 0 && why[0] == '\0')
		return fail(why, size, -r, path);
	return r;
}

int store_open(struct store *s, const char *folder, const char *name, char *why,
	       size_t size)
{
	int r;

	memset(s, 0, sizeof(*s));
	s->lock_fd = s->file_fd = -1;
	why[0] = '\0';
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return fail(why, size, errno, folder);
	r = take_lock(s, folder, name, why, size);
	snprintf(s->path, sizeof(s->path), "%s/%s.tmq", folder, name);
	if (r == 0)
		r = open_env(s, s->path, why, size);
	if (r == 0)
		r = begin_use(s, s->path, why, size);
	if (r == 0)
		sync_folder(folder);
	else
		store_close(s);
	return r;
}

void store_close(struct store *s)
{
	store_abort(s);
	if (s->env != NULL)
		mdb_env_close(s->env);
	s->env = NULL;
	if (s->file_fd >= 0)
		close(s->file_fd);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	s->file_fd = s->lock_fd = -1;
}
