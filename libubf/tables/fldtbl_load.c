/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl_load.c - load the field tables of this process, again if files change
 *
 * The tables form a chain, newest first, that belongs to the process, as do the
 * names that Bfname() returns. Readers take its head without a lock; a thread
 * that adds a new head holds the lock.
 */
#include "libubf/tables/fldtbl.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/threadmem.h"
#include "libubf/tables/flddb.h"

#define CHECK_EVERY_NS 1000000000L

/* The state of the files that the variables name. */
struct files {
	uint64_t print;		/* hash of names, paths, sizes and times */
	unsigned int found;	/* number of files that exist */
};

struct loaded {
	struct ow_fldtbl *table;
	struct files files;	/* their state before they were read */
	struct loaded *older;
};

static struct loaded *newest;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int64_t next_check;

static void lock(void)
{
	pthread_mutex_lock(&loading);
}

static void unlock(void)
{
	pthread_mutex_unlock(&loading);
}

/* In a child forked while another thread loads, the lock is free. */
__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(lock, unlock, unlock);
}

/* ---- the files ---- */

static void mix(struct files *f, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n-- > 0)
		f->print = (f->print ^ *p++) * 0x100000001b3u;
}

static int add_file(void *ctx, const struct ow_tabfile_name *n)
{
	struct files *f = ctx;
	struct stat st;

	mix(f, n->name, strlen(n->name) + 1);
	if (n->path == NULL || stat(n->path, &st) < 0)
		return 0;
	mix(f, n->path, strlen(n->path) + 1);
	mix(f, &st.st_ino, sizeof(st.st_ino));
	mix(f, &st.st_size, sizeof(st.st_size));
	mix(f, &st.st_mtim, sizeof(st.st_mtim));
	f->found++;
	return 0;
}

static int take_state(struct files *ret_files, char *error)
{
	const struct ow_tabfile_list list = { OW_FLDTBL_LIST,
					      .take = add_file };

	*ret_files = (struct files){ .print = 0xcbf29ce484222325u };
	return ow_tabfile_each(&list, ret_files, error);
}

/* ---- loading ---- */

struct load {
	struct ow_fldtbl *table;
	char *error;
};

/* A table of the second list, FML32's, adds what the first ones do not have:
 * both may give a name its own number. */
static int load_file(struct load *l, const char *path, int is_second)
{
	struct ow_fldtbl_reader r;
	struct ow_fldtbl_item item;
	int res;

	res = ow_fldtbl_open(&r, path);
	if (res < 0) {
		snprintf(l->error, OW_TABFILE_ERROR_MAX, "%.250s: %s", path,
			 strerror(-res));
		return -EIO;
	}
	while ((res = ow_fldtbl_next(&r, &item)) > 0) {
		if (item.text != NULL ||
		    (is_second && ow_fldtbl_has(l->table, &item)))
			continue;
		res = ow_fldtbl_add(l->table, &r, &item);
		if (res < 0)
			break;
	}
	if (res == -EBADMSG || res == -EIO)
		memcpy(l->error, r.in.error, OW_TABFILE_ERROR_MAX);
	ow_fldtbl_close(&r);
	return res;
}

/* A file that no folder has is left out, and the fields of the others are
 * known. Whoever asks for a field that is not there is told its name. */
static int load_named(void *ctx, const struct ow_tabfile_name *n)
{
	struct load *l = ctx;

	return n->path == NULL ? ow_fldtbl_set_missing(l->table, n->name)
			       : load_file(l, n->path, n->is_second);
}

static void loaded_freep(struct loaded **lp)
{
	if (*lp != NULL)
		ow_fldtbl_freep(&(*lp)->table);
	free(*lp);
	*lp = NULL;
}

/* Load all files into a new head of the chain. The caller holds the lock. */
static int load(char *error)
{
	OW_CLEANUP(loaded_freep) struct loaded *n = calloc(1, sizeof(*n));
	const struct ow_tabfile_list list = { OW_FLDTBL_LIST,
					      .take = load_named };
	struct load l = { .error = error };
	int r;

	snprintf(error, OW_TABFILE_ERROR_MAX, "out of memory");
	if (n == NULL || ow_fldtbl_new(&n->table) < 0)
		return -ENOMEM;
	l.table = n->table;
	r = take_state(&n->files, error);
	if (r == 0)
		r = ow_tabfile_each(&list, &l, error);
	/* The data base may be all there is. */
	if (r == -ENOENT && ow_flddb_is_configured())
		r = 0;
	if (r < 0)
		return r;
	n->older = newest;
	__atomic_store_n(&newest, n, __ATOMIC_RELEASE);
	n = NULL;
	return 0;
}

int ow_fldtbl_get(const struct ow_fldtbl **ret_table, char *error)
{
	const struct loaded *l = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
	int r = 0;

	if (l == NULL) {
		lock();
		if (newest == NULL)
			r = load(error);
		l = newest;
		unlock();
	}
	if (r == 0)
		*ret_table = l->table;
	return r;
}

const struct ow_fldtbl *ow_fldtbl_known(void)
{
	const struct loaded *l = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);

	return l == NULL ? NULL : l->table;
}

int ow_fldtbl_code(int r)
{
	switch (r) {
	case -EBADMSG:
		return BFTSYNTAX;
	case -ENOMEM:
		return BMALLOC;
	default:
		return BFTOPEN;
	}
}

/* ---- loading again ---- */

/* Whether a second has passed since the last check; 1 for one thread only. */
static int is_check_due(void)
{
	int64_t last = __atomic_load_n(&next_check, __ATOMIC_RELAXED), now;
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	now = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	return now >= last &&
	       __atomic_compare_exchange_n(&next_check, &last,
					   now + CHECK_EVERY_NS, 0,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Load again if the files have changed. If a file is gone, it is being replaced
 * or was removed by mistake: the loaded table stays in use. */
static void check_files(void)
{
	char error[OW_TABFILE_ERROR_MAX];
	struct files now;

	lock();
	if (take_state(&now, error) == 0 && now.print != newest->files.print &&
	    now.found >= newest->files.found)
		(void)load(error);
	unlock();
}

/* Set *t to the newest table: 1 if that is another one. */
static int refresh(const struct ow_fldtbl **t)
{
	const struct ow_fldtbl *was = *t;

	if (is_check_due())
		check_files();
	*t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE)->table;
	return *t != was;
}

/* ---- the data base ---- */

/* One that cannot be opened has nothing: Bflddbload() says why. */
static const char *name_in_db(BFLDID id)
{
	static __thread void *t_field;
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_flddb_field *f = ow_thread_memory(&t_field, sizeof(*f));

	return id != BBADFLDID && ow_flddb_find(id, NULL, f, error) == 0
		       ? f->name
		       : NULL;
}

static BFLDID id_in_db(const char *name)
{
	char error[OW_TABFILE_ERROR_MAX];
	struct ow_flddb_field f;

	return ow_flddb_find(BBADFLDID, name, &f, error) == 0 ? f.id
							      : BBADFLDID;
}

const char *ow_fldtbl_name_now(const struct ow_fldtbl **t, BFLDID id)
{
	const char *name = ow_fldtbl_name(*t, id);

	if (name == NULL && refresh(t))
		name = ow_fldtbl_name(*t, id);
	return name == NULL && ow_flddb_is_configured() ? name_in_db(id) : name;
}

BFLDID ow_fldtbl_id_now(const struct ow_fldtbl **t, const char *name)
{
	BFLDID id = ow_fldtbl_id(*t, name);

	if (id == BBADFLDID && refresh(t))
		id = ow_fldtbl_id(*t, name);
	return id == BBADFLDID && ow_flddb_is_configured() ? id_in_db(name) : id;
}
