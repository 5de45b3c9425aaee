/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read a view file, view by view
 *
 * The one parser of view files: the library loads views with it, viewc
 * compiles them with it. Lines are
 *	VIEW name
 *	type cname fbname count flag size null
 *	END
 *	# comment, $ comment, blank
 * A compiled file (.V) has one more column, `offset=N;fldsize=N`, and before
 * END a line `#@__ssize=N;@__cksum=N`. What they say must be what the rest of
 * the file says on this machine.
 */
#ifndef OW_UBF_VIEW_READ_H
#define OW_UBF_VIEW_READ_H

#include "libubf/base/tabfile.h"
#include "libubf/viewdef/def.h"

struct ow_view_reader {
	struct ow_tabfile in;
	struct ow_view *view;	/* the one being read */
	int has_sums;		/* its compiled form has given these */
	uint32_t ssize, cksum;
};

/* 0 or -errno of fopen. Close it in any case of success. */
int ow_view_open(struct ow_view_reader *r, const char *path);
void ow_view_close(struct ow_view_reader *r);
/* 1 a view (the caller's to free), 0 the end, -EBADMSG and -EIO
 * (r->in.error says what), -ENOMEM. */
int ow_view_next(struct ow_view_reader *r, struct ow_view **ret_view);

#endif
