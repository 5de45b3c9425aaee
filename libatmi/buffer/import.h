/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h - read the text of tpexport() into a new typed buffer
 *
 * For tpimport.c.
 */
#ifndef OW_BUF_IMPORT_H
#define OW_BUF_IMPORT_H

#include <stddef.h>

#include "libatmi/buffer/types.h"

struct ow_imported {
	enum ow_buf_type type;
	char *data; /* the buffer, which the caller owns */
	long len;   /* of its contents */
};

/*
 * Read `len` bytes of `text`. 0; -EBADMSG, -EINVAL: bad text; -EPROTOTYPE: a
 * type that cannot be imported; -EIO: the field tables; -ENOMEM; -ENOSPC: the
 * UBF buffer gets too large. `error` (OW_JSON_ERROR_MAX bytes) tells why.
 */
int ow_import(const char *text, size_t len, struct ow_imported *ret,
	      char *error);

#endif
