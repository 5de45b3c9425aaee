/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get.c - CBvget, CBvgetalloc, Bvnull: read a member of a structure
 */
#include "libubf/view/enter.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/access/value.h"
#include "libubf/viewdef/mem.h"

/* The caller's type, and BVACCESS_NOTNULL or 0. */
struct want {
	int usrtype;
	long flags;
};

/* Convert an element to the caller's type: 0, or -1 with Berror. */
static int get_converted(const struct ow_view_at *at, BFLDOCC occ,
			 const struct want *want, struct ow_ubf_conv *conv)
{
	const struct ow_view_col *c = at->col;
	struct ow_ubf_val v;
	unsigned int type;
	int r;

	if (want->usrtype < BFLD_MIN || want->usrtype > BFLD_MAX)
		return ow_ubf_fail(BTYPERR, "%d is not a field type",
				   want->usrtype);
	if (occ < 0 || (uint32_t)occ >= c->count)
		return ow_ubf_fail(BEINVAL, "%s has %u occurrences, not %d",
				   c->cname, c->count, occ);
	if (want->flags & BVACCESS_NOTNULL &&
	    (uint32_t)occ >= ow_view_used(c, at->cs))
		return ow_ubf_fail(BNOTPRES, "%s: occurrence %d is beyond the "
				   "count", c->cname, occ);
	if (want->flags & BVACCESS_NOTNULL &&
	    ow_view_is_null(c, at->cs, (uint32_t)occ))
		return ow_ubf_fail(BNOTPRES, "%s: occurrence %d is null",
				   c->cname, occ);
	v = ow_view_value(c, at->cs, (uint32_t)occ, &type);
	r = ow_ubf_convert(type, v, (unsigned int)want->usrtype, conv);
	return r < 0 ? ow_ubf_fail_errno(r, "conversion") : 0;
}

int CBvget(char *cstruct, char *view, char *cname, BFLDOCC occ, char *buf,
	   BFLDLEN *buflen, int usrtype, long flags)
{
	struct ow_ubf_conv conv;
	struct ow_view_at at;
	int r;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0 ||
	    get_converted(&at, occ, &(struct want){ usrtype, flags },
			  &conv) < 0)
		return -1;
	if (buf == NULL)
		return ow_ubf_fail(BEINVAL, "no memory for the value");
	r = ow_ubf_export((unsigned int)usrtype, conv.val, buf, buflen);
	return r < 0 ? ow_ubf_fail_errno(r, "CBvget") : 0;
}

char *CBvgetalloc(char *cstruct, char *view, char *cname, BFLDOCC occ,
		  int usrtype, long flags, BFLDLEN *extralen)
{
	size_t extra = extralen != NULL && *extralen > 0 ? (size_t)*extralen
							 : 0;
	struct ow_ubf_conv conv;
	struct ow_view_at at;
	char *p;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0 ||
	    get_converted(&at, occ, &(struct want){ usrtype, flags },
			  &conv) < 0)
		return NULL;
	p = malloc(conv.val.len + extra + 1);
	if (p == NULL)
		return ow_ubf_fail_null(BMALLOC, "CBvgetalloc: %zu bytes",
					conv.val.len + extra);
	(void)ow_ubf_export((unsigned int)usrtype, conv.val, p, NULL);
	if (extralen != NULL)
		*extralen = (BFLDLEN)conv.val.len;
	return p;
}

int Bvnull(char *cstruct, char *cname, BFLDOCC occ, char *view)
{
	struct ow_view_at at;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0)
		return -1;
	if (occ < 0 || (uint32_t)occ >= at.col->count)
		return ow_ubf_fail(BEINVAL, "%s has %u occurrences, not %d",
				   at.col->cname, at.col->count, occ);
	return ow_view_is_null(at.col, at.cs, (uint32_t)occ);
}
