/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_ubf.h - a UBF buffer as JSON, and back
 *
 *	{"NAME":1,"TEXTS":["a","b"],"SUB":{"NAME":2},"BYTES":"AAEC"}
 *
 * Several occurrences are an array, an embedded buffer is an object, a carray
 * is base64; a field that no table names stands as "((BFLDID32)1234)", as
 * Bfprint() writes it. Exported for libatmi and the tools; not part of the
 * public interface. Berror is left alone.
 */
#ifndef OW_JSON_UBF_H
#define OW_JSON_UBF_H

#include <stdbool.h>
#include <ubf.h>

#include "libubf/json_out.h"
#include "libubf/json_parse.h"

#define OW_JSON_UBF_DEPTH 32	/* buffers in buffers, as elsewhere */

/* Reading: an event stream of one object goes into a buffer. */
struct ow_json_reader;

#pragma GCC visibility push(default)

/* Append the buffer. 0; what json_out.h says; -EILSEQ and -EOPNOTSUPP with
 * `error` (OW_JSON_ERROR_MAX bytes): a value of a field has no JSON text;
 * -EINVAL: not a buffer. */
int ow_json_from_ubf(struct ow_json_out *o, const UBFH *p_ub, char *error);

/* Change and add the fields that JSON text names, occurrence by occurrence;
 * unknown names are passed over. 0; -EBADMSG (`error`: not JSON, or a value
 * that its field cannot have), -ENOSPC, -ENOMEM, -EIO (field tables), -EINVAL
 * (not a buffer). What was read before an error is in the buffer. */
int ow_json_to_ubf(UBFH *p_ub, const char *text, size_t len, char *error);

/* The same with events from elsewhere, the first being OW_JSON_OBJECT. Events
 * return 0, 1 when that object has ended, or as above. */
int ow_json_reader_open(UBFH *p_ub, char *error,
			struct ow_json_reader **ret_reader);
void ow_json_reader_closep(struct ow_json_reader **rp);
int ow_json_reader_event(struct ow_json_reader *r,
			 const struct ow_json_event *ev);

#pragma GCC visibility pop

#endif
