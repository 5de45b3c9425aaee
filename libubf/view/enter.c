/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.c - find the view or member that a Bv... function is given
 */
#include "libubf/view/enter.h"

#include <errno.h>

#include "libubf/base/error.h"
#include "libubf/viewdef/registry.h"

/* Set Berror for a failure of ow_view_find(); returns -1. */
static int ow_view_fail(int r)
{
	switch (-r) {
	case ENXIO:
	case ENOENT:
		return ow_ubf_fail(BBADVIEW, "%s", ow_view_error());
	case EBADMSG:
		return ow_ubf_fail(BVFSYNTAX, "%s", ow_view_error());
	case EIO:
		return ow_ubf_fail(BVFOPEN, "%s", ow_view_error());
	default:
		return ow_ubf_fail_errno(r, "views");
	}
}

int ow_view_enter(const char *view, const struct ow_view **ret_view)
{
	int r;

	ow_ubf_clear();
	if (view == NULL || *view == '\0')
		return ow_ubf_fail(BEINVAL, "no name of a view");
	r = ow_view_find(view, ret_view);
	return r < 0 ? ow_view_fail(r) : 0;
}

int ow_view_enter_member(char *cstruct, const char *view, const char *cname,
			 struct ow_view_at *ret_at)
{
	struct ow_view_at at = { .cs = cstruct };

	ow_ubf_clear();
	if (cstruct == NULL || cname == NULL || *cname == '\0')
		return ow_ubf_fail(BEINVAL, cstruct == NULL
						    ? "no structure"
						    : "no name of a member");
	if (ow_view_enter(view, &at.view) < 0)
		return -1;
	at.col = ow_view_column(at.view, cname);
	if (at.col == NULL)
		return ow_ubf_fail(BNOCNAME, "view %s has no member '%.60s'",
				   view, cname);
	*ret_at = at;
	return 0;
}
