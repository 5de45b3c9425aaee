/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl.c - the field tables of this process: names to ids and back
 *
 * The table is the one thing here that outlives calls: it belongs to the
 * process, as names returned by Bfname() do.
 */
#include "libubf/fldtbl.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(obj) ((obj)->lost = 1)
#include <uthash.h>

#include "libubf/cleanup.h"

struct field {
	UT_hash_handle by_id;
	UT_hash_handle by_name;
	BFLDID id;
	int lost;	/* no memory to hash it */
	char name[UBFFLDMAX + 1];
};

struct ow_fldtbl {
	struct field *ids;
	struct field *names;
};

static struct ow_fldtbl *loaded;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void ow_fldtbl_freep(struct ow_fldtbl **tp)
{
	struct field *f, *tmp;

	if (*tp == NULL)
		return;
	HASH_CLEAR(by_id, (*tp)->ids);
	HASH_ITER(by_name, (*tp)->names, f, tmp) {
		HASH_DELETE(by_name, (*tp)->names, f);
		free(f);
	}
	free(*tp);
	*tp = NULL;
}

int ow_fldtbl_new(struct ow_fldtbl **ret_table)
{
	struct ow_fldtbl *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	*ret_table = t;
	return 0;
}

static struct field *find_id(const struct ow_fldtbl *t, BFLDID id)
{
	struct field *f;

	HASH_FIND(by_id, t->ids, &id, sizeof(id), f);
	return f;
}

static struct field *find_name(const struct ow_fldtbl *t, const char *name,
			       size_t len)
{
	struct field *f;

	HASH_FIND(by_name, t->names, name, len, f);
	return f;
}

static int insert(struct ow_fldtbl *t, const struct ow_fldtbl_item *item)
{
	struct field *f = calloc(1, sizeof(*f));
	size_t len = strlen(item->name);

	if (f == NULL)
		return -ENOMEM;
	memcpy(f->name, item->name, len);
	f->id = item->id;
	HASH_ADD(by_name, t->names, name, len, f);
	if (f->lost) {
		free(f);
		return -ENOMEM;
	}
	if (find_id(t, f->id) == NULL)
		HASH_ADD(by_id, t->ids, id, sizeof(f->id), f);
	return f->lost ? -ENOMEM : 0;
}

/* Of several names that share an id, the first one is shown. */
int ow_fldtbl_add(struct ow_fldtbl *t, struct ow_fldtbl_reader *r,
		  const struct ow_fldtbl_item *item)
{
	const char *flags = getenv("NDRX_APIFLAGS");
	struct field *f = find_name(t, item->name, strlen(item->name));
	int dup_ok = flags != NULL && strstr(flags, "ubf_dupfidok") != NULL;

	if (f != NULL && f->id == item->id && dup_ok)
		return 0;
	if (f == NULL) {
		f = find_id(t, item->id);
		if (f == NULL || dup_ok)
			return insert(t, item);
	}
	snprintf(r->error, sizeof(r->error),
		 "%s:%u: field %s (id %d) is already there as %s (id %d)",
		 r->path, r->lineno, item->name, item->id, f->name, f->id);
	return -EBADMSG;
}

static int load_file(struct ow_fldtbl *t, const char *path, char *error)
{
	struct ow_fldtbl_reader r;
	struct ow_fldtbl_item item;
	int res;

	res = ow_fldtbl_open(&r, path);
	if (res < 0) {
		snprintf(error, OW_FLDTBL_ERROR_MAX, "%s: %s", path,
			 strerror(-res));
		return -EIO;
	}
	while ((res = ow_fldtbl_next(&r, &item)) > 0) {
		if (item.text == NULL)
			res = ow_fldtbl_add(t, &r, &item);
		if (res < 0)
			break;
	}
	if (res < 0)
		memcpy(error, r.error, OW_FLDTBL_ERROR_MAX);
	ow_fldtbl_close(&r);
	return res;
}

/* A table that is in none of the folders is skipped. */
static int load_named(struct ow_fldtbl *t, const char *dirs, const char *table,
		      char *error)
{
	OW_CLEANUP(ow_cleanup_freep) char *path = NULL;
	int r = ow_fldtbl_locate(dirs, table, &path);

	if (r == -ENOENT)
		return 0;
	return r < 0 ? r : load_file(t, path, error);
}

static int load(char *error, struct ow_fldtbl **ret_table)
{
	OW_CLEANUP(ow_fldtbl_freep) struct ow_fldtbl *t = NULL;
	OW_CLEANUP(ow_cleanup_freep) char *tables = NULL;
	const char *dirs = getenv("FLDTBLDIR"), *list = getenv("FIELDTBLS");
	char *save = NULL, *name;
	int r;

	snprintf(error, OW_FLDTBL_ERROR_MAX, "out of memory");
	if (dirs == NULL || list == NULL) {
		snprintf(error, OW_FLDTBL_ERROR_MAX, "%s is not set",
			 dirs == NULL ? "FLDTBLDIR" : "FIELDTBLS");
		return -ENOENT;
	}
	tables = strdup(list);
	if (tables == NULL || ow_fldtbl_new(&t) < 0)
		return -ENOMEM;
	for (name = strtok_r(tables, ", \t", &save); name != NULL;
	     name = strtok_r(NULL, ", \t", &save)) {
		r = load_named(t, dirs, name, error);
		if (r < 0)
			return r;
	}
	*ret_table = t;
	t = NULL;
	return 0;
}

int ow_fldtbl_get(const struct ow_fldtbl **ret_table, char *error)
{
	struct ow_fldtbl *t = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
	int r = 0;

	if (t == NULL) {
		pthread_mutex_lock(&loading);
		t = loaded;
		if (t == NULL)
			r = load(error, &t);
		if (r == 0)
			__atomic_store_n(&loaded, t, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&loading);
	}
	if (r == 0)
		*ret_table = t;
	return r;
}

const char *ow_fldtbl_name(const struct ow_fldtbl *t, BFLDID id)
{
	struct field *f = find_id(t, id);

	return f == NULL ? NULL : f->name;
}

BFLDID ow_fldtbl_id(const struct ow_fldtbl *t, const char *name)
{
	struct field *f = find_name(t, name, strlen(name));

	return f == NULL ? BBADFLDID : f->id;
}
