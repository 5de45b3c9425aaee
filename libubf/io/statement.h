/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement.h - the lines that Bextread() and Bvextread() read
 *
 *	[+ |- |= ]NAME<tab>value
 * NAME is a field or a member. The lines of an embedded buffer or view follow
 * the line of its field and begin with one more tab. Comments (#) are
 * skipped, and so are empty lines, unless the first one ends the text.
 */
#ifndef OW_UBF_STATEMENT_H
#define OW_UBF_STATEMENT_H

#include "libubf/io/lines.h"

struct ow_statement {
	unsigned int line;	/* its number */
	char op;		/* '+', '-', '=' or 0 */
	char *name;
	char *value;		/* unescaped, may hold NULs */
	size_t len;		/* of the value */
};

/* The next statement with `depth` tabs: 1, 0 (a line with fewer tabs or the
 * end), or -1 with Berror. Name and value are valid until the next call. */
int ow_statement_next(struct ow_lines *l, int depth,
		      struct ow_statement *ret_st);
/* Set Berror = BSYNTAX for a line; returns -1. */
int ow_statement_wrong(unsigned int line, const char *why)
	__attribute__((cold));

#endif
