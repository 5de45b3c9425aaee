/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contents.h - the contents of one typed buffer, as a message carries them
 *
 * Of a UBF buffer without the buffers that it points to (parts.h). For the
 * files of this folder alone; buf.h has the functions for other folders.
 */
#ifndef OW_BUF_CONTENTS_H
#define OW_BUF_CONTENTS_H

#include <stddef.h>

#include "libatmi/buffer/types.h"

/* Is it a payload of that type? 0 or -EBADMSG. VIEW and NULL are not checked
 * here and refused. */
int ow_contents_check(enum ow_buf_type type, const void *payload, size_t len);

/* Make room for `len` bytes of `type` in *data, which is kept, resized or
 * replaced (it may be NULL); *ret_size is its size then. 0 or -ENOMEM. */
int ow_contents_reserve(enum ow_buf_type type, size_t len, char **data,
		     size_t *ret_size);

/* As ow_buf_from_wire() for a payload without further buffers; pointers in it
 * stay as they are. */
int ow_contents_take(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len);

#endif
