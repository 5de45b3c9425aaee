/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - buffers that a UBF buffer points to travel with it
 *
 * A field of type BFLD_PTR whose pointer is a buffer of tpalloc() means that
 * buffer: the receiver gets it too, and a pointer to it. So do those that it
 * points to in turn; one that several fields point to is one buffer over
 * there, and circles stay circles. Other pointers become NULL.
 */
#ifndef OW_BUF_PARTS_H
#define OW_BUF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/buffer/buf.h"

#pragma GCC visibility push(default)

/* The buffer and all it points to as one payload, malloc'ed; NULL (and
 * *ret_len unchanged) if it points to nothing. 0; -ENOMEM; -EINVAL: one of them is damaged. */
int ow_parts_flatten(const char *data, char **ret_flat, size_t *ret_len);

#pragma GCC visibility pop

/* ---- receiving; for buffer/wire.c ---- */

struct ow_parts {
	struct ow_part *list; /* sorted by the sender's addresses */
	uint32_t count;
	uint64_t root;	      /* the sender's address of the first buffer */
};

/* Make the buffers that follow the first one of a checked payload. 0;
 * -EBADMSG; -ENOMEM; -EPROTOTYPE: a view that is not known here. */
int ow_parts_open(const void *payload, size_t len, struct ow_parts *ret);
/* Let all pointers in `data` and in these buffers point to them, or nowhere;
 * they are the user's now. */
void ow_parts_link(struct ow_parts *p, char *data);
/* Free them. */
void ow_parts_drop(struct ow_parts *p);

#endif
