/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - which rows of a screen a page shows
 *
 * A page shows OW_WEB_ROWS at most. Of more it gets those that come first in its
 * order, of those that have its words: the same that it would choose itself.
 */
#ifndef OW_WEB_ROWS_H
#define OW_WEB_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "libndrx/model/screen.h"

#define OW_WEB_ROWS  500u
#define OW_WEB_WORDS 128u

/* How a page sorts and filters. Zeros: as the screen begins. */
struct ow_web_order {
	unsigned int column; /* from 1; 0: that of the screen */
	bool rising;
	char words[OW_WEB_WORDS]; /* each is in a text or id of the row */
};

/* Choose from rows[n], which are put in order: how many are to be shown; *ret_all:
 * so many have the words. -ENOMEM. */
int ow_web_rows(const struct ow_screen *s, const struct ow_web_order *o,
		const struct ow_row **rows, size_t n, size_t *ret_all);

#endif
