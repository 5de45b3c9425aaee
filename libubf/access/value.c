/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - move values between the memory of a program and a buffer
 */
#include "libubf/access/value.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/bulk.h"
#include "libubf/store/search.h"
#include "libubf/tables/fldtext.h"
#include "libubf/viewdef/field.h"

int ow_ubf_import(const struct Ubfh *h, BFLDID id,
		  const struct ow_ubf_user *user, struct ow_ubf_conv *c,
		  void **ret_copy)
{
	struct ow_ubf_val v;
	int r;

	if (user->type < BFLD_MIN || user->type > BFLD_MAX)
		return -EPROTOTYPE;
	r = ow_ubf_convertible((unsigned int)user->type, ow_ubf_id_type(id));
	if (r < 0)
		return r;
	r = ow_ubf_measure((unsigned int)user->type, user->buf, user->len, &v);
	if (r == OW_UBF_APART)
		r = ow_ubf_view_gather((const BVIEWFLD *)user->buf, ret_copy,
				       &v);
	else if (r == 0)
		r = ow_ubf_detach(h, &v, ret_copy);
	if (r < 0)
		return r;
	return ow_ubf_convert((unsigned int)user->type, v, ow_ubf_id_type(id),
			      c);
}

static const char *type_name(int type)
{
	return type >= BFLD_MIN && type <= BFLD_MAX ? ow_ubf_types[type].name
						    : "no type";
}

int ow_ubf_put_failed(int r, const char *what, const struct Ubfh *h, BFLDID id,
		      const struct ow_ubf_user *user)
{
	const char *type = type_name((int)ow_ubf_id_type(id));

	switch (r) {
	case -ENOSPC:
		return ow_ubf_fail(BNOSPACE, "%s: no room for field %s (%s): "
				   "%u of %u bytes are used", what,
				   ow_fldtext(id).s, type, h->used, h->size);
	case -EOPNOTSUPP:
		return ow_ubf_fail(BEBADOP, "%s: field %s is a %s, which is "
				   "not made from a %s", what,
				   ow_fldtext(id).s, type,
				   type_name(user->type));
	case -EPROTOTYPE:
		return ow_ubf_fail(BTYPERR, "%s: field %s: %d is no type of a "
				   "value", what, ow_fldtext(id).s, user->type);
	case -EINVAL:
		return ow_ubf_fail(BEINVAL, "%s: field %s (%s): %s", what,
				   ow_fldtext(id).s, type,
				   user->buf == NULL ? "no value"
				   : "bad length or occurrence");
	case -EBADMSG:
		return ow_ubf_fail(BNOTFLD, "%s: field %s: the value is not a "
				   "UBF buffer", what, ow_fldtext(id).s);
	default:
		return ow_ubf_fail_errno(r, what);
	}
}

int ow_ubf_get_failed(int r, const char *what, BFLDID id, int usrtype)
{
	if (r == -EOPNOTSUPP)
		return ow_ubf_fail(BEBADOP, "%s: field %s is a %s, which does "
				   "not become a %s", what, ow_fldtext(id).s,
				   type_name((int)ow_ubf_id_type(id)),
				   type_name(usrtype));
	return ow_ubf_fail_errno(r, what);
}

int ow_ubf_small(const char *what, BFLDID id, size_t need, const BFLDLEN *have)
{
	return ow_ubf_fail(BNOSPACE, "%s: the value of field %s has %zu bytes, "
			   "there is room for %d", what, ow_fldtext(id).s, need,
			   have != NULL ? *have : 0);
}

int ow_ubf_chg_value(struct Ubfh *h, BFLDID id, BFLDOCC occ,
		     struct ow_ubf_val v)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	uint32_t at, end, missing;
	BFLDOCC n;
	int r;

	if (occ < -1)
		return -EINVAL;
	if ((uintptr_t)v.data - (uintptr_t)h < h->size) {
		r = ow_ubf_detach(h, &v, &copy);
		if (r < 0)
			return r;
	}
	if (occ == -1)
		return ow_ubf_add(h, id, v);
	if (ow_ubf_rank(h, id, occ, &at))
		return ow_ubf_replace(h, at, v);
	end = ow_ubf_upper(h, id);
	n = (BFLDOCC)(end - ow_ubf_lower(h, id));
	if (n == occ)
		return ow_ubf_add(h, id, v);
	/* Beyond the next one: fill up to it; on failure, remove the
	 * filling. */
	missing = (uint32_t)(occ - n + 1);
	r = ow_ubf_insert_defaults(h, end, id, missing);
	if (r < 0)
		return r;
	r = ow_ubf_replace(h, end + missing - 1, v);
	if (r < 0)
		ow_ubf_remove(h, end, missing);
	return r;
}

int ow_ubf_export_embedded(unsigned int type, struct ow_ubf_val v, char *buf,
			   BFLDLEN *buflen)
{
	struct Ubfh *to = (struct Ubfh *)(void *)buf;
	uint32_t size = 0;
	int r;

	if (type == BFLD_VIEW)
		return ow_ubf_view_export(v, (BVIEWFLD *)buf, buflen);
	if (ow_ubf_is(to))
		size = to->size;
	if (buflen != NULL && (size == 0 || *buflen < (BFLDLEN)size))
		size = *buflen < 0 ? 0 : (uint32_t)*buflen;
	if (size == 0 && buflen == NULL)
		size = (uint32_t)v.len; /* the program says there is room */
	r = ow_ubf_copy(to, size, v.data);
	if (r == 0 && buflen != NULL)
		*buflen = (BFLDLEN)v.len;
	return r;
}
