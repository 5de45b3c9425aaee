/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - Bget, CBget, Bgetalloc...: copy a value out of a buffer
 */
#include "libubf/access/value.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/compatible.h"
#include "libubf/store/search.h"
#include "libubf/viewdef/field.h"

/* The value is there, the caller has no memory for it: strict-tuxedo takes this
 * for the question whether it is there. */
static __attribute__((noinline)) int no_memory(const char *who, size_t len,
					       BFLDLEN *ret_len)
{
	if (!ow_compat_tuxedo())
		return ow_ubf_fail(BEINVAL, "%s: no memory for the value",
				   who);
	if (ret_len != NULL)
		*ret_len = (BFLDLEN)len;
	return 0;
}

static inline __attribute__((always_inline)) int
get(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN *buflen)
{
	unsigned int type = ow_ubf_id_type(bfldid);
	const struct ow_ubf_ent *e;
	int r;

	e = ow_ubf_locate(p_ub, bfldid, occ);
	if (e == NULL)
		return ow_ubf_notpres(bfldid, occ);
	if (buf == NULL)
		return no_memory("Bget", ow_ubf_len(p_ub, type, e), buflen);
	if (ow_ubf_type_size(type) == 8 && buflen == NULL) {
		memcpy(buf, e, 8);
		return 0;
	}
	r = ow_ubf_export(type, ow_ubf_entry_val(p_ub, type, e), buf, buflen);
	if (r == -ENOSPC)
		return ow_ubf_small("Bget", bfldid, ow_ubf_len(p_ub, type, e),
				    buflen);
	return r < 0 ? ow_ubf_fail_errno(r, "Bget") : 0;
}

static __attribute__((noinline)) int
get_other(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN *buflen)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	return get(p_ub, bfldid, occ, buf, buflen);
}

int Bget(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN *buflen)
{
	ow_ubf_clear();
	return ow_ubf_is_usual_field(p_ub, bfldid)
		       ? get(p_ub, bfldid, occ, buf, buflen)
		       : get_other(p_ub, bfldid, occ, buf, buflen);
}

static inline __attribute__((always_inline)) int
convert(UBFH *p_ub, BFLDID id, BFLDOCC occ, int usrtype, struct ow_ubf_conv *c)
{
	unsigned int type = ow_ubf_id_type(id);
	const struct ow_ubf_ent *e;
	int r;

	if (usrtype < BFLD_MIN || usrtype > BFLD_MAX)
		return ow_ubf_fail(BTYPERR, "%d is not a field type", usrtype);
	e = ow_ubf_locate(p_ub, id, occ);
	if (e == NULL)
		return ow_ubf_notpres(id, occ);
	r = ow_ubf_convert(type, ow_ubf_entry_val(p_ub, type, e),
			   (unsigned int)usrtype, c);
	return r < 0 ? ow_ubf_get_failed(r, "CBget", id, usrtype) : 0;
}

static __attribute__((noinline)) int
convert_other(UBFH *p_ub, BFLDID id, BFLDOCC occ, int usrtype,
	      struct ow_ubf_conv *c)
{
	if (ow_ubf_enter_field(p_ub, id) < 0)
		return -1;
	return convert(p_ub, id, occ, usrtype, c);
}

/* Find an occurrence and convert it; the result may point into the buffer. */
static int find_converted(UBFH *p_ub, BFLDID id, BFLDOCC occ, int usrtype,
			  struct ow_ubf_conv *c)
{
	ow_ubf_clear();
	return ow_ubf_is_usual_field(p_ub, id)
		       ? convert(p_ub, id, occ, usrtype, c)
		       : convert_other(p_ub, id, occ, usrtype, c);
}

int CBget(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN *buflen,
	  int usrtype)
{
	struct ow_ubf_conv c;
	int r;

	if (find_converted(p_ub, bfldid, occ, usrtype, &c) < 0)
		return -1;
	if (buf == NULL)
		return no_memory("CBget", c.val.len, buflen);
	r = ow_ubf_export((unsigned int)usrtype, c.val, buf, buflen);
	if (r == -ENOSPC)
		return ow_ubf_small("CBget", bfldid, c.val.len, buflen);
	return r < 0 ? ow_ubf_fail_errno(r, "CBget") : 0;
}

int Bgets(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf)
{
	return CBget(p_ub, bfldid, occ, buf, NULL, BFLD_STRING);
}

/* Copy a view into one block: the BVIEWFLD, then the structure. */
static char *getalloc_view(struct ow_ubf_val v, size_t extra,
			   BFLDLEN *extralen)
{
	size_t len = ow_ubf_view_len(v);
	BVIEWFLD *f = malloc(sizeof(*f) + len + extra);
	int r;

	if (f == NULL)
		return ow_ubf_fail_null(BMALLOC, "getalloc: %zu bytes",
					len + extra);
	f->data = (char *)(f + 1);
	r = ow_ubf_view_export(v, f, NULL);
	if (r < 0) {
		free(f);
		ow_ubf_fail_errno(r, "getalloc");
		return NULL;
	}
	if (extralen != NULL)
		*extralen = (BFLDLEN)len;
	return (char *)f;
}

char *CBgetalloc(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, int usrtype,
		 BFLDLEN *extralen)
{
	size_t extra = extralen != NULL && *extralen > 0 ? (size_t)*extralen
							 : 0;
	struct ow_ubf_conv c;
	char *p;

	if (find_converted(p_ub, bfldid, occ, usrtype, &c) < 0)
		return NULL;
	if (usrtype == BFLD_VIEW)
		return getalloc_view(c.val, extra, extralen);
	p = malloc(c.val.len + extra + 1);
	if (p == NULL)
		return ow_ubf_fail_null(BMALLOC, "getalloc: %zu bytes",
					c.val.len + extra);
	if (usrtype == BFLD_UBF) {
		memcpy(p, c.val.data, c.val.len);
		(void)ow_ubf_resize(p, c.val.len + extra);
	} else {
		(void)ow_ubf_export((unsigned int)usrtype, c.val, p, NULL);
	}
	if (extralen != NULL)
		*extralen = (BFLDLEN)c.val.len;
	return p;
}

char *Bgetalloc(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *extralen)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return NULL;
	return CBgetalloc(p_ub, bfldid, occ, Bfldtype(bfldid), extralen);
}

char *Bgetsa(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, BFLDLEN *extralen)
{
	return CBgetalloc(p_ub, bfldid, occ, BFLD_STRING, extralen);
}

int Bgetlast(UBFH *p_ub, BFLDID bfldid, BFLDOCC *occ, char *buf,
	     BFLDLEN *buflen)
{
	BFLDOCC n;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	n = (BFLDOCC)(ow_ubf_upper(p_ub, bfldid) - ow_ubf_lower(p_ub, bfldid));
	if (Bget(p_ub, bfldid, n - 1, buf, buflen) < 0)
		return -1;
	if (occ != NULL)
		*occ = n - 1;
	return 0;
}

char *Btypcvt(BFLDLEN *to_len, int to_type, char *from_buf, int from_type,
	      BFLDLEN from_len)
{
	struct ow_ubf_conv c;
	struct ow_ubf_val v;
	char *p;
	int r = -EPROTOTYPE;

	ow_ubf_clear();
	if (from_type >= BFLD_MIN && from_type <= BFLD_MAX &&
	    to_type >= BFLD_MIN && to_type <= BFLD_MAX)
		r = ow_ubf_convertible((unsigned int)from_type,
				       (unsigned int)to_type);
	if (r == 0)
		r = ow_ubf_measure((unsigned int)from_type, from_buf, from_len,
				   &v);
	if (r == OW_UBF_APART)
		r = -EOPNOTSUPP;
	if (r == 0)
		r = ow_ubf_convert((unsigned int)from_type, v,
				   (unsigned int)to_type, &c);
	p = r < 0 ? NULL : malloc(c.val.len + 1);
	if (p == NULL) {
		ow_ubf_fail_errno(r < 0 ? r : -ENOMEM, "Btypcvt");
		return NULL;
	}
	if (to_type == BFLD_UBF)
		memcpy(p, c.val.data, c.val.len);
	else
		(void)ow_ubf_export((unsigned int)to_type, c.val, p, NULL);
	if (to_len != NULL)
		*to_len = (BFLDLEN)c.val.len;
	return p;
}
