/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_read.h - a structure from the text that Bvfprint writes
 *
 * Used for structures and for the views in the text of a buffer.
 */
#ifndef OW_UBF_VIEW_READ_TEXT_H
#define OW_UBF_VIEW_READ_TEXT_H

#include "libubf/io/statement.h"
#include "libubf/view/enter.h"

/* Take all lines that begin with `depth` tabs into a structure; the k-th line
 * of a member sets its element k. 0, or -1 with Berror. */
int ow_view_read_lines(struct ow_lines *l, int depth,
		       const struct ow_view *view, char *cs);

#endif
