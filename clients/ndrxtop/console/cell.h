/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell.h - a field of a row as text of a fixed width
 *
 * A number that does not fit is written in a coarser unit, never cut. A text
 * that does not fit is cut; its last character is then `+`. Only printable
 * ASCII passes, so that texts of other programs cannot control the terminal.
 */
#ifndef OW_CELL_H
#define OW_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "libndrx/model/screen.h"

#define OW_CELL_MAX 2048 /* bytes of the widest cell, in UTF-8 */

/* A number in the format of a column, at most `width` characters. */
void ow_cell_number(enum ow_format format, double n, int width, char *buf,
		    size_t size);
/* `text` in exactly `width` columns, on the left; `size` has 4 bytes for each, and
 * 4 more. Without utf8 only ASCII. */
void ow_cell_text(const char *text, int width, bool utf8, char *buf,
		  size_t size);
/* The depths of the last `width` seconds, exactly `width` characters. */
void ow_cell_spark(const struct ow_service_row *row, int width, bool utf8,
		   char *buf, size_t size);
/* A whole cell, exactly `width` characters. */
void ow_cell_write(const struct ow_column *c, const struct ow_row *row,
		   int width, bool utf8, char *buf, size_t size);
/* Is the value zero or unknown, so that it is drawn faint? */
bool ow_cell_is_faint(const struct ow_column *c, const struct ow_row *row);

#endif
