/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf.h - a UBF buffer as JSON, and back
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

#include "libubf/json/out.h"
#include "libubf/json/parse.h"

#define OW_JSON_UBF_DEPTH 32	/* buffers in buffers, as elsewhere */

/* Reading: an event stream of one object goes into a buffer. */
struct ow_json_reader;

/* What fields of type BFLD_PTR point to, as objects; by somebody who knows.
 * Without, their addresses are written, and read with ubf_ptrparse only. */
struct ow_json_pointers {
	void *ctx;
	/* Append what `p` points to: 1; 0 nothing that is known; what
	 * json/out.h says, or -EBADMSG with `error`. */
	int (*put)(void *ctx, struct ow_json_out *o, const void *p,
		   char *error);
	/* An object comes: 0 and a reader for it, or -errno. */
	int (*open)(void *ctx, void **ret_reader);
	/* Its events: 0; 1 at the end, with the pointer; or -errno. */
	int (*event)(void *reader, const struct ow_json_event *ev,
		     void **ret_pointer);
	void (*close)(void *reader);
	/* The buffer has no room for the pointer. */
	void (*drop)(void *pointer);
};

#pragma GCC visibility push(default)

/* Append the buffer. 0; what json/out.h says; -EILSEQ and -EOPNOTSUPP with
 * `error` (OW_JSON_ERROR_MAX bytes): a value of a field has no JSON text;
 * -EINVAL: not a buffer; what o->pointers returned. */
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
void ow_json_reader_pointers(struct ow_json_reader *r,
			     const struct ow_json_pointers *pointers);
void ow_json_reader_closep(struct ow_json_reader **rp);
int ow_json_reader_event(struct ow_json_reader *r,
			 const struct ow_json_event *ev);

#pragma GCC visibility pop

#endif
