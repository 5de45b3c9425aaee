/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - buffer types: their names and their least sizes
 *
 * A type can have several names; a buffer remembers the one that it was
 * allocated by, as a row of the table of names.
 */
#ifndef OW_BUF_TYPES_H
#define OW_BUF_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/wire/msg.h"

#define OW_BUF_SIZE_MIN	    512	 /* of STRING, CARRAY, JSON */
#define OW_BUF_SIZE_MIN_UBF 1024 /* of UBF and VIEW */

struct ow_buf_name {
	const char *name;
	const char *alias; /* NULL: none */
	enum ow_buf_type type;
};

extern const struct ow_buf_name ow_buf_names[];

/* The least size of a buffer: smaller requests are rounded up. */
static inline size_t ow_buf_size_min(enum ow_buf_type type)
{
	return type == OW_BUF_UBF || type == OW_BUF_VIEW ? OW_BUF_SIZE_MIN_UBF
							 : OW_BUF_SIZE_MIN;
}

/* The row by which buffers of a type are made that come in messages. */
uint8_t ow_buf_default_row(enum ow_buf_type type);

#pragma GCC visibility push(default)

/* The type that tpalloc() calls `name`, with the row of the name; -1: there
 * is none. */
int ow_buf_type_find(const char *name, int *ret_row);

#pragma GCC visibility pop
#endif
