/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read a view file, view by view
 *
 * The only parser of view files, used by the library to load views and by viewc
 * to compile them. Lines are
 *	VIEW name
 *	type cname fbname count flag size null
 *	END
 *	# comment, $ text for the header (viewc), blank
 * A compiled file (.V) has one more column, `offset=N;fldsize=N`, and before
 * END a line `#@__ssize=N;@__cksum=N`. Both must agree with what the other
 * columns mean on this machine.
 *
 * A member with a field is mapped both ways, unless F or S names one way or N
 * says that it is not mapped. With view_explicit in NDRX_APIFLAGS a member
 * without F and S is not mapped, as other runtimes have it. A type of `-` is
 * that of the field.
 */
#ifndef OW_UBF_VIEW_READ_H
#define OW_UBF_VIEW_READ_H

#include "libubf/base/tabfile.h"
#include "libubf/viewdef/def.h"

struct ow_view_reader {
	struct ow_tabfile in;
	struct ow_view *view;	/* the one being read */
	int is_explicit;	/* view_explicit of NDRX_APIFLAGS */
	/* Called for each $ line, with the rest of it; NULL: left out. 0 or
	 * -ENOMEM, which ends the reading. Set it after opening. */
	int (*text)(void *ctx, const char *text);
	void *ctx;
	int has_sums;		/* the compiled file has these: */
	uint32_t ssize, cksum;
};

/* 0 or -errno of fopen. After 0, close it. */
int ow_view_open(struct ow_view_reader *r, const char *path);
void ow_view_close(struct ow_view_reader *r);
/* 1 a view (the caller frees it), 0 the end, -EBADMSG or -EIO (r->in.error says
 * why), -ENOMEM. */
int ow_view_next(struct ow_view_reader *r, struct ow_view **ret_view);

#endif
