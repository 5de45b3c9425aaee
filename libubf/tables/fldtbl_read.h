/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl_read.h - read a field table file, item by item
 *
 * The only parser of field tables, used by the library to load tables and by
 * mkfldhdr to make headers. Lines are
 *	*base N			added to the numbers that follow
 *	$text			for the header (mkfldhdr)
 *	# comment, blank
 *	NAME NUMBER TYPE [FLAG [COMMENT]]
 */
#ifndef OW_UBF_FLDTBL_READ_H
#define OW_UBF_FLDTBL_READ_H

#include <ubf.h>

#include "libubf/base/tabfile.h"

struct ow_fldtbl_reader {
	struct ow_tabfile in;
	long base;
};

struct ow_fldtbl_item {
	const char *text;	/* a $ line without the $, else NULL */
	const char *name;	/* both valid until the next item */
	int type;
	int number;		/* with the base added */
	BFLDID id;
};

/* 0 or -errno of fopen. After 0, close it. */
int ow_fldtbl_open(struct ow_fldtbl_reader *r, const char *path);
void ow_fldtbl_close(struct ow_fldtbl_reader *r);
/* 1 an item, 0 the end, -EBADMSG or -EIO (r->in.error says why), -ENOMEM. */
int ow_fldtbl_next(struct ow_fldtbl_reader *r,
		   struct ow_fldtbl_item *ret_item);
/* The tables of FIELDTBLS in FLDTBLDIR; Tuxedo's default is fld.tbl. */
#define OW_FLDTBL_LIST .dirs_var = "FLDTBLDIR", .names_var = "FIELDTBLS", \
		       .default_name = "fld.tbl"

#endif
