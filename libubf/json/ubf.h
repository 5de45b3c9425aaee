/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf.h - a UBF buffer as JSON, in both directions
 *
 *	{"NAME":1,"TEXTS":["a","b"],"SUB":{"NAME":2},"BYTES":"AAEC"}
 *
 * Several occurrences are an array, an embedded buffer is an object, a carray
 * is base64. A field that no table names is written as "((BFLDID32)1234)", as
 * Bfprint() does. Exported for libatmi and the tools; not part of the public
 * interface. Berror is left alone.
 */
#ifndef OW_JSON_UBF_H
#define OW_JSON_UBF_H

#include <stdbool.h>
#include <ubf.h>

#include "libubf/json/out.h"
#include "libubf/json/parse.h"

/* Reads the events of one object into a buffer. */
struct ow_json_reader;

/* How libatmi writes and reads the buffers that fields of type BFLD_PTR point
 * to, as objects. Other pointers are null, or with ubf_ptrparse addresses. */
struct ow_json_pointers {
	void *ctx;
	/* Append what `p` points to: 1, 0 (unknown), a failure of
	 * json/out.h, or -EBADMSG with `error`. */
	int (*put)(void *ctx, struct ow_json_out *o, const void *p,
		   char *error);
	/* An object begins: make a reader for it. 0 or -errno. */
	int (*open)(void *ctx, void **ret_reader);
	/* Take an event: 0, 1 at the end, with the pointer, or -errno. */
	int (*event)(void *reader, const struct ow_json_event *ev,
		     void **ret_pointer);
	void (*close)(void *reader);
	/* Free the pointer: the buffer has no room for it. */
	void (*drop)(void *pointer);
};

/* Append the buffer. 0; a failure of json/out.h; -EILSEQ or -EOPNOTSUPP with
 * `error` (OW_JSON_ERROR_MAX bytes): JSON has no text for a value; -EINVAL: not
 * a buffer; a failure of o->pointers. */
int ow_json_from_ubf(struct ow_json_out *o, const UBFH *p_ub, char *error);

/* Change and add the fields that JSON text names, occurrence by occurrence;
 * unknown names are ignored. 0; -EBADMSG (`error`: not JSON, or a value does
 * not suit its field), -ENOSPC, -ENOMEM, -EIO (field tables), -EINVAL (not a
 * buffer). Values read before an error stay in the buffer. */
int ow_json_to_ubf(UBFH *p_ub, const char *text, size_t len, char *error);

/* The same with events that the caller has, the first being OW_JSON_OBJECT.
 * Each event returns 0, 1 at the end of that object, or as above. */
int ow_json_reader_open(UBFH *p_ub, char *error,
			struct ow_json_reader **ret_reader);
void ow_json_reader_pointers(struct ow_json_reader *r,
			     const struct ow_json_pointers *pointers);
void ow_json_reader_closep(struct ow_json_reader **rp);
int ow_json_reader_event(struct ow_json_reader *r,
			 const struct ow_json_event *ev);

#endif
