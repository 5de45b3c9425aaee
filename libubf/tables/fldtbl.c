/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl.c - a table of fields: names to ids and back
 */
#include "libubf/tables/fldtbl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(obj) ((obj)->lost = 1)
#include <uthash.h>

#include "libubf/base/apiflag.h"

struct field {
	UT_hash_handle by_id;
	UT_hash_handle by_name;
	BFLDID id;
	int lost;	/* uthash had no memory for it */
	char name[UBFFLDMAX + 1];
};

struct ow_fldtbl {
	struct field *ids;
	struct field *names;
	char *missing;	/* the first file that no folder has */
};

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
	free((*tp)->missing);
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

/* If names share an id, by_id has the first one. */
int ow_fldtbl_add(struct ow_fldtbl *t, struct ow_fldtbl_reader *r,
		  const struct ow_fldtbl_item *item)
{
	struct field *f = find_name(t, item->name, strlen(item->name));
	bool dup_ok = ow_apiflag("ubf_dupfidok");

	if (f != NULL && f->id == item->id && dup_ok)
		return 0;
	if (f == NULL) {
		f = find_id(t, item->id);
		if (f == NULL || dup_ok)
			return insert(t, item);
	}
	return ow_tabfile_wrong(&r->in, "field %s (id %d) is already there as "
				"%s (id %d)", item->name, item->id, f->name,
				f->id);
}

int ow_fldtbl_has(const struct ow_fldtbl *t, const struct ow_fldtbl_item *item)
{
	return find_name(t, item->name, strlen(item->name)) != NULL ||
	       find_id(t, item->id) != NULL;
}

int ow_fldtbl_set_missing(struct ow_fldtbl *t, const char *name)
{
	if (t->missing == NULL)
		t->missing = strdup(name);
	return t->missing == NULL ? -ENOMEM : 0;
}

const char *ow_fldtbl_missing(const struct ow_fldtbl *t)
{
	return t->missing;
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

void ow_fldtbl_each(const struct ow_fldtbl *t,
		    void (*fn)(const char *name, BFLDID id, void *arg),
		    void *arg)
{
	const struct field *f;

	for (f = t->names; f != NULL; f = f->by_name.next)
		fn(f->name, f->id, arg);
}
