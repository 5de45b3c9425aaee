/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - buffers that a UBF buffer points to travel with it
 *
 * A field of type BFLD_PTR that holds the address of a typed buffer stands for
 * that buffer: the receiver gets a copy of the buffer, and a pointer to the
 * copy. The same is done for the buffers that this one points to. A buffer
 * that several fields point to is sent once, and circles stay circles. Other
 * pointers become NULL.
 */
#ifndef OW_BUF_PARTS_H
#define OW_BUF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/buffer/buf.h"
#include "libubf/store/header.h"
#include "libubf/store/pointers.h"

/* The inline functions decide whether there is anything to do: most buffers
 * have no pointers, and each call asks twice on either side. */

int ow_parts_flatten_all(const char *data, char **ret_flat, size_t *ret_len);

/* The buffer and all that it points to as one payload, which the caller
 * frees; NULL, *ret_len unchanged, if it points to no buffer. 0; -ENOMEM;
 * -EINVAL: one of the buffers is damaged. */
static inline int ow_parts_flatten(const char *data, char **ret_flat,
				   size_t *ret_len)
{
	if (!ow_ubf_points((const UBFH *)(const void *)data))
		return 0;
	return ow_parts_flatten_all(data, ret_flat, ret_len);
}

/* ---- receiving; for wire.c ---- */

struct ow_parts {
	struct ow_part *list; /* sorted by the sender's addresses */
	uint32_t count;
	uint64_t root;	      /* the sender's address of the UBF buffer */
};

int ow_parts_open_all(const void *payload, size_t len, struct ow_parts *ret);
void ow_parts_link_all(struct ow_parts *p, char *data);

/* Make the buffers that follow the UBF buffer, of `used` bytes, in a checked
 * payload. 0; -EBADMSG; -ENOMEM; -EPROTOTYPE: a view that this process does not
 * know. */
static inline int ow_parts_open(const void *payload, size_t used, size_t len,
				struct ow_parts *ret)
{
	*ret = (struct ow_parts){ .list = NULL };
	return used == len ? 0 : ow_parts_open_all(payload, len, ret);
}
/* Replace the sender's addresses in `data` and in the parts by those of the
 * parts, others by NULL. The parts belong to the user then. */
static inline void ow_parts_link(struct ow_parts *p, char *data)
{
	if (p->list != NULL || ow_ubf_points((const UBFH *)(const void *)data))
		ow_parts_link_all(p, data);
}
/* Free the parts. */
void ow_parts_drop(struct ow_parts *p);

#endif
