/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - Bfind, CBfind, Bfinds, Bfindlast: a pointer to a value
 *
 * Converted values are stored in memory of the thread, one piece for each type,
 * which grows as needed and is freed when the thread ends.
 */
#include "libubf/access/value.h"

#include <pthread.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/search.h"
#include "libubf/viewdef/field.h"

/* The memory for values of one type. */
struct scratch {
	size_t size;
	char *mem;
};

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static int scratch_key_failed;

static void free_scratch(void *arg)
{
	struct scratch *of = arg;
	int type;

	for (type = BFLD_MIN; type <= BFLD_MAX; type++)
		free(of[type].mem);
	free(of);
}

static void make_key(void)
{
	scratch_key_failed = pthread_key_create(&scratch_key, free_scratch);
}

/* The memory of this thread, by type, or NULL. */
static struct scratch *scratch_of_thread(void)
{
	struct scratch *of;

	pthread_once(&scratch_once, make_key);
	if (scratch_key_failed)
		return NULL;
	of = pthread_getspecific(scratch_key);
	if (of != NULL)
		return of;
	of = calloc(BFLD_MAX + 1, sizeof(*of));
	if (of != NULL && pthread_setspecific(scratch_key, of) != 0) {
		free(of);
		of = NULL;
	}
	return of;
}

/* At least `size` bytes of memory of this thread for a type, or NULL. */
static char *scratch(int usrtype, size_t size)
{
	struct scratch *s = scratch_of_thread();

	if (s == NULL)
		return NULL;
	s += usrtype;
	if (s->size >= size)
		return s->mem;
	size = size < OW_NUMTEXT_MAX ? OW_NUMTEXT_MAX : size * 2;
	free(s->mem);
	s->mem = malloc(size);
	s->size = s->mem != NULL ? size : 0;
	return s->mem;
}

/* A view is returned as a BVIEWFLD of the thread. */
static __attribute__((noinline)) char *find_view(struct ow_ubf_val v,
						 BFLDLEN *p_len)
{
	static __thread BVIEWFLD field;
	const struct ow_view *view;

	if (ow_ubf_view_open(v, &field, &view) < 0) {
		ow_ubf_fail_errno(-ENXIO, "Bfind");
		return NULL;
	}
	if (p_len != NULL)
		*p_len = (BFLDLEN)ow_ubf_view_len(v);
	return (char *)&field;
}

static inline __attribute__((always_inline)) char *
find(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *p_len)
{
	unsigned int type = ow_ubf_id_type(bfldid);
	const struct ow_ubf_ent *e;

	e = ow_ubf_locate(p_ub, bfldid, occ);
	if (e == NULL) {
		ow_ubf_notpres(bfldid, occ);
		return NULL;
	}
	if (__builtin_expect(type == BFLD_VIEW, 0))
		return find_view(ow_ubf_entry_val(p_ub, BFLD_VIEW, e),
				 p_len);
	if (p_len != NULL)
		*p_len = (BFLDLEN)ow_ubf_len(p_ub, type, e);
	return ow_ubf_value(p_ub, type, e);
}

static __attribute__((noinline)) char *
find_other(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *p_len)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return NULL;
	return find(p_ub, bfldid, occ, p_len);
}

char *Bfind(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *p_len)
{
	ow_ubf_clear();
	return ow_ubf_is_usual_field(p_ub, bfldid)
		       ? find(p_ub, bfldid, occ, p_len)
		       : find_other(p_ub, bfldid, occ, p_len);
}

char *CBfind(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *p_len,
	     int usrtype)
{
	unsigned int type = ow_ubf_id_type(bfldid);
	const struct ow_ubf_ent *e;
	struct ow_ubf_conv c;
	char *to;
	int r;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return NULL;
	if (usrtype < BFLD_MIN || usrtype > BFLD_MAX)
		return ow_ubf_fail_null(BTYPERR, "%d is not a field type",
					usrtype);
	e = ow_ubf_locate(p_ub, bfldid, occ);
	if (e == NULL) {
		ow_ubf_notpres(bfldid, occ);
		return NULL;
	}
	if ((unsigned int)usrtype == type)
		return Bfind(p_ub, bfldid, occ, p_len);
	r = ow_ubf_convert(type, ow_ubf_entry_val(p_ub, type, e),
			   (unsigned int)usrtype, &c);
	if (r < 0) {
		ow_ubf_get_failed(r, "CBfind", bfldid, usrtype);
		return NULL;
	}
	to = scratch(usrtype, c.val.len + 1);
	if (to == NULL)
		return ow_ubf_fail_null(BMALLOC, "CBfind: out of memory");
	(void)ow_ubf_export((unsigned int)usrtype, c.val, to, NULL);
	if (p_len != NULL)
		*p_len = (BFLDLEN)c.val.len;
	return to;
}

char *Bfinds(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	return CBfind(p_ub, bfldid, occ, NULL, BFLD_STRING);
}

char *Bfindlast(UBFH *p_ub, BFLDID bfldid, BFLDOCC *occ, BFLDLEN *p_len)
{
	BFLDOCC n;
	char *p;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return NULL;
	n = (BFLDOCC)(ow_ubf_upper(p_ub, bfldid) - ow_ubf_lower(p_ub, bfldid));
	p = Bfind(p_ub, bfldid, n - 1, p_len);
	if (p != NULL && occ != NULL)
		*occ = n - 1;
	return p;
}
