/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - a typed buffer as one of another type, by way of JSON
 *
 * UBF and VIEW become JSON as tpubftojson() and tpviewtojson() write it, and
 * are made of JSON as tpjsontoubf() and tpjsontoview() read it.
 */
#ifndef OW_BUF_CONVERT_H
#define OW_BUF_CONVERT_H

#include <stddef.h>

#include "libatmi/buffer/types.h"

struct ow_view;

/* Can a buffer of this type be converted to another one? */
int ow_buf_converts(enum ow_buf_type type);

/*
 * Make a new buffer of type `to` with the contents of `data`; both types
 * convert. 0; -EBADMSG: the contents cannot be of that type, `error`
 * (OW_JSON_ERROR_MAX bytes) says why; -ENOMEM.
 */
int ow_buf_convert(const char *data, enum ow_buf_type to, char **ret_data,
		   char *error);

/* A new VIEW buffer of the structure in JSON text: 0, -EBADMSG, -ENXIO (no such
 * view), -ENOMEM. */
int ow_buf_view_from_json(const char *text, size_t len, char **ret_data,
			  const struct ow_view **ret_view, char *error);

#endif
