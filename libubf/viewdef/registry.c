/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.c - the views of this process
 *
 * The table is never freed: callers keep pointers to views.
 */
#include "libubf/viewdef/registry.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(obj) ((obj)->lost = 1)
#include <uthash.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/tabfile.h"
#include "libubf/base/threadmem.h"
#include "libubf/viewdef/def.h"
#include "libubf/viewdef/mem.h"
#include "libubf/viewdef/read.h"

struct named {
	UT_hash_handle hh;
	struct ow_view *view;
	int lost;	/* uthash had no memory for it */
};

struct views {
	struct named *names;
	struct named **list;	/* by number */
	uint32_t count;
	char *missing;		/* the first file that no folder has */
};

static struct views *loaded;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static __thread void *t_error;

/* The text of the last error of this thread, OW_TABFILE_ERROR_MAX bytes. */
static char *error_text(void)
{
	return ow_thread_memory(&t_error, OW_TABFILE_ERROR_MAX);
}

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

static void views_freep(struct views **tp)
{
	struct named *n, *tmp;

	if (*tp == NULL)
		return;
	HASH_ITER(hh, (*tp)->names, n, tmp) {
		HASH_DEL((*tp)->names, n);
		ow_view_freep(&n->view);
		free(n);
	}
	free((*tp)->list);
	free((*tp)->missing);
	free(*tp);
	*tp = NULL;
}

static struct named *find_name(const struct views *t, const char *name)
{
	struct named *n;

	HASH_FIND(hh, t->names, name, strlen(name), n);
	return n;
}

/* Insert a view and set *view to NULL: 0, -EEXIST (a different view has that
 * name) or -ENOMEM. An equal view is left with the caller: 0. */
static int insert(struct views *t, struct ow_view **view)
{
	struct named *n = find_name(t, (*view)->name), **list;

	if (n != NULL)
		return n->view->cksum == (*view)->cksum ? 0 : -EEXIST;
	list = realloc(t->list, (t->count + 1) * sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	t->list = list;
	n = calloc(1, sizeof(*n));
	if (n == NULL)
		return -ENOMEM;
	HASH_ADD_KEYPTR(hh, t->names, (*view)->name, strlen((*view)->name), n);
	if (n->lost) {
		free(n);
		return -ENOMEM;
	}
	n->view = *view;
	n->view->no = t->count;
	list[t->count++] = n;
	*view = NULL;
	return 0;
}

/* `is_second`: the file is of FML32's list, whose views come after those of the
 * first one. */
static int load_views(struct views *t, struct ow_view_reader *r, int is_second)
{
	OW_CLEANUP(ow_view_freep) struct ow_view *v = NULL;
	int res;

	while ((res = ow_view_next(r, &v)) > 0) {
		res = insert(t, &v);
		if (res == -EEXIST && is_second)
			res = 0;
		if (res == -EEXIST) {
			snprintf(error_text(), OW_TABFILE_ERROR_MAX,
				 "%.250s:%u: another view %s is there already",
				 r->in.path, r->in.lineno, v->name);
			return -EBADMSG;
		}
		if (res < 0)
			return res;
		ow_view_freep(&v);
	}
	if (res == -EBADMSG || res == -EIO)
		memcpy(error_text(), r->in.error, OW_TABFILE_ERROR_MAX);
	return res;
}

/* A file that no folder has is left out, and the views of the others are known.
 * Whoever asks for a view that is not there is told its name. */
static int load_file(void *ctx, const struct ow_tabfile_name *n)
{
	const char *path = n->path;
	struct views *t = ctx;
	struct ow_view_reader r;
	int res;

	if (path == NULL) {
		if (t->missing == NULL)
			t->missing = strdup(n->name);
		return 0;
	}
	res = ow_view_open(&r, path);
	if (res < 0) {
		snprintf(error_text(), OW_TABFILE_ERROR_MAX, "%.250s: %s",
			 path, strerror(-res));
		return -EIO;
	}
	res = load_views(t, &r, n->is_second);
	ow_view_close(&r);
	return res;
}

static int load(struct views **ret_table)
{
	static const struct ow_tabfile_list list = {
		.dirs_var = "VIEWDIR", .names_var = "VIEWFILES",
		.take = load_file
	};
	OW_CLEANUP(views_freep) struct views *t = calloc(1, sizeof(*t));
	int r;

	snprintf(error_text(), OW_TABFILE_ERROR_MAX, "out of memory");
	if (t == NULL)
		return -ENOMEM;
	r = ow_tabfile_each(&list, t, error_text());
	if (r < 0)
		return r;
	*ret_table = t;
	t = NULL;
	return 0;
}

static int get(struct views **ret_table)
{
	struct views *t = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
	int r = 0;

	if (t == NULL) {
		lock();
		t = loaded;
		if (t == NULL)
			r = load(&t);
		if (r == 0)
			__atomic_store_n(&loaded, t, __ATOMIC_RELEASE);
		unlock();
	}
	if (r == 0)
		*ret_table = t;
	return r;
}

int ow_view_find(const char *name, const struct ow_view **ret_view)
{
	struct views *t;
	struct named *n;
	int r = get(&t);

	if (r < 0)
		return r;
	n = find_name(t, name);
	if (n == NULL) {
		snprintf(error_text(), OW_TABFILE_ERROR_MAX,
			 "there is no view '%.60s'%s%.200s%s", name,
			 t->missing != NULL ? " (view file " : "",
			 t->missing != NULL ? t->missing : "",
			 t->missing != NULL ? " is in no folder of VIEWDIR)"
					    : "");
		return -ENXIO;
	}
	*ret_view = n->view;
	return 0;
}

const char *ow_view_error(void)
{
	return error_text();
}

const struct ow_view *ow_view_by_number(uintptr_t n)
{
	struct views *t;

	return get(&t) == 0 && n < t->count ? t->list[n]->view : NULL;
}

const char *ow_view_name(const struct ow_view *v)
{
	return v->name;
}

size_t ow_view_size(const struct ow_view *v)
{
	return v->size;
}

uint32_t ow_view_cksum(const struct ow_view *v)
{
	return v->cksum;
}

void ow_view_init(const struct ow_view *v, char *cstruct)
{
	uint32_t i;

	for (i = 0; i < v->ncols; i++)
		ow_view_init_member(v->cols + i, cstruct);
}
