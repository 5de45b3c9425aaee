/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lang.h - field tables as constants of C, Go, Java and Python
 *
 * The $ lines of a table are C code and go to C headers only.
 */
#ifndef OW_MKFLDHDR_LANG_H
#define OW_MKFLDHDR_LANG_H

#include <stdio.h>

#include "libubf/tables/fldtbl_read.h"

#define LANG_NAME_MAX 256

struct lang {
	const char *suffix;
	int identifier;	/* the file name must be an identifier */
	const char *package;	/* default of -p; NULL: no packages */
	/* `name` is that of the file, without suffix. */
	void (*begin)(FILE *out, const char *package, const char *name);
	/* Called before the first field. */
	void (*titles)(FILE *out);
	void (*item)(FILE *out, const struct ow_fldtbl_item *item);
	void (*end)(FILE *out);
};

/* The language of a mode ("0".."3"), or NULL. */
const struct lang *lang_by_mode(const char *mode);
/* Name of the file for a table, without suffix. 0 or -1: too long. */
int lang_file_name(const struct lang *l, const char *table,
		   char name[LANG_NAME_MAX]);

#endif
