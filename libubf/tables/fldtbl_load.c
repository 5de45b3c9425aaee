/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl_load.c - the field tables of this process, loaded and loaded anew
 *
 * The chain of tables, newest first, is the one thing here that outlives
 * calls: it belongs to the process, as names returned by Bfname() do. Readers
 * take its head; only who holds the lock puts a new head on.
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

#define LOOK_EVERY_NS 1000000000L

/* The files that the variables lead to, as they are at some time. */
struct files {
	uint64_t print;		/* of their names, places, sizes and times */
	unsigned int found;
};

struct loaded {
	struct ow_fldtbl *table;
	struct files files;	/* before they were read */
	struct loaded *older;
};

static struct loaded *newest;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int64_t next_look;

static void lock(void)
{
	pthread_mutex_lock(&loading);
}

static void unlock(void)
{
	pthread_mutex_unlock(&loading);
}

/* A child forked while another thread loads finds the lock free. */
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

static int look_at(void *ctx, const char *name, const char *path)
{
	struct files *f = ctx;
	struct stat st;

	mix(f, name, strlen(name) + 1);
	if (path == NULL || stat(path, &st) < 0)
		return 0;
	mix(f, path, strlen(path) + 1);
	mix(f, &st.st_ino, sizeof(st.st_ino));
	mix(f, &st.st_size, sizeof(st.st_size));
	mix(f, &st.st_mtim, sizeof(st.st_mtim));
	f->found++;
	return 0;
}

static int look(struct files *ret_files, char *error)
{
	const struct ow_tabfile_list list = { OW_FLDTBL_LIST,
					      .take = look_at };

	*ret_files = (struct files){ .print = 0xcbf29ce484222325u };
	return ow_tabfile_each(&list, ret_files, error);
}

/* ---- loading ---- */

struct load {
	struct ow_fldtbl *table;
	char *error;
};

static int load_file(struct load *l, const char *path)
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
		if (item.text == NULL)
			res = ow_fldtbl_add(l->table, &r, &item);
		if (res < 0)
			break;
	}
	if (res == -EBADMSG || res == -EIO)
		memcpy(l->error, r.in.error, OW_TABFILE_ERROR_MAX);
	ow_fldtbl_close(&r);
	return res;
}

/* A table that is in none of the folders is skipped. */
static int load_named(void *ctx, const char *name, const char *path)
{
	return path == NULL ? 0 : load_file(ctx, path);
}

static void loaded_freep(struct loaded **lp)
{
	if (*lp != NULL)
		ow_fldtbl_freep(&(*lp)->table);
	free(*lp);
	*lp = NULL;
}

/* All files, as a new head of the chain; with the lock held. */
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
	r = look(&n->files, error);
	if (r == 0)
		r = ow_tabfile_each(&list, &l, error);
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

/* ---- loading anew ---- */

/* Whether a second has passed; for one of the threads that ask. */
static int time_to_look(void)
{
	int64_t last = __atomic_load_n(&next_look, __ATOMIC_RELAXED), now;
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	now = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	return now >= last &&
	       __atomic_compare_exchange_n(&next_look, &last,
					   now + LOOK_EVERY_NS, 0,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* A file that is gone is about to be replaced, or was not meant to be: what is
 * known of it stays known. */
static void look_again(void)
{
	char error[OW_TABFILE_ERROR_MAX];
	struct files now;

	lock();
	if (look(&now, error) == 0 && now.print != newest->files.print &&
	    now.found >= newest->files.found)
		(void)load(error);
	unlock();
}

/* The table as the files are now: 1 if that is another one. */
static int renew(const struct ow_fldtbl **t)
{
	const struct ow_fldtbl *was = *t;

	if (time_to_look())
		look_again();
	*t = __atomic_load_n(&newest, __ATOMIC_ACQUIRE)->table;
	return *t != was;
}

const char *ow_fldtbl_name_now(const struct ow_fldtbl **t, BFLDID id)
{
	const char *name = ow_fldtbl_name(*t, id);

	if (name == NULL && renew(t))
		name = ow_fldtbl_name(*t, id);
	return name;
}

BFLDID ow_fldtbl_id_now(const struct ow_fldtbl **t, const char *name)
{
	BFLDID id = ow_fldtbl_id(*t, name);

	if (id == BBADFLDID && renew(t))
		id = ow_fldtbl_id(*t, name);
	return id;
}
