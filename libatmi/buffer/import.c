/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.c - read the text of tpexport() into a new typed buffer
 *
 * Members of the outer object are read in the order of the text; `buftype`
 * must stand before `data`. The size of a UBF buffer is not known beforehand:
 * one that turns out too small is doubled, and the text is read again.
 */
#include "libatmi/buffer/import.h"

#include <errno.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/pointers.h"
#include "libubf/base/base64.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/type.h"
#include "libubf/json/ubf.h"
#include "libubf/json/view.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"

/* A UBF buffer needs at most UBF_GROWTH bytes for each byte of its text, and
 * UBF_SPARE. */
#define UBF_GROWTH 32
#define UBF_SPARE  65536

enum member { OTHER, BUFTYPE, VERSION, DATA };

static const struct ow_json_pointers pointee_calls;

struct import {
	int type; /* enum ow_buf_type, -1: not known yet */
	char *data; /* the new buffer, NULL: none yet */
	long len;
	size_t size; /* for a UBF buffer */
	int depth;   /* of arrays and objects that are open */
	bool has_version;
	const char *text; /* that is parsed */
	/* While `data` is read that is JSON itself: its begin, and the arrays
	 * and objects of it that are open. */
	size_t raw_begin;
	int raw_depth;
	enum member member;
	/* While `data` is read one of these two takes its events. */
	struct ow_json_reader *reader;
	struct ow_json_view *view;
	struct ow_json_pointers pointers; /* reads what a field points to */
	int level; /* of buffers that point to each other */
	char *error;
};

static void free_import(struct import *im)
{
	ow_json_reader_closep(&im->reader);
	ow_json_view_closep(&im->view);
	ow_buf_free_deep(im->data);
	im->data = NULL;
}

static int wrong(struct import *im, const char *what)
{
	snprintf(im->error, OW_JSON_ERROR_MAX, "%s", what);
	return -EBADMSG;
}

static int take_type(struct import *im, const struct ow_json_event *ev)
{
	char name[XATMI_TYPE_LEN + 1] = "";

	if (ev->kind != OW_JSON_STRING)
		return wrong(im, "\"buftype\" is no string");
	if (ev->len <= XATMI_TYPE_LEN)
		memcpy(name, ev->text, ev->len);
	im->type = ow_buf_type_find(name);
	if (im->type >= 0 && im->type != OW_BUF_TPINIT)
		return 0;
	snprintf(im->error, OW_JSON_ERROR_MAX, "no buffer type \"%.*s\"",
		 (int)(ev->len < 40 ? ev->len : 40), ev->text);
	return -EPROTOTYPE;
}

static int take_version(struct import *im, const struct ow_json_event *ev)
{
	im->has_version = true;
	if (ev->kind == OW_JSON_NUMBER && ev->len == 1 && ev->text[0] == '1')
		return 0;
	return wrong(im, "\"version\" is not 1");
}

static int new_buffer(struct import *im, size_t size)
{
	im->data = ow_buf_new((enum ow_buf_type)im->type, size);
	return im->data == NULL ? -ENOMEM : 0;
}

/* The first event of `data`, for UBF. */
static int begin_ubf(struct import *im, const struct ow_json_event *ev)
{
	int r = new_buffer(im, im->size);

	if (r == 0)
		r = ow_json_reader_open((UBFH *)im->data, im->error,
					&im->reader);
	if (r < 0)
		return r;
	im->pointers = pointee_calls;
	im->pointers.ctx = im;
	ow_json_reader_pointers(im->reader, &im->pointers);
	return ow_json_reader_event(im->reader, ev);
}

/* The new buffer holds `len` bytes of text. */
static int new_text(struct import *im, const char *text, size_t len)
{
	int r = new_buffer(im, len + 1);

	if (r < 0)
		return r;
	memcpy(im->data, text, len);
	im->data[len] = '\0';
	im->len = (long)len + 1;
	return 0;
}

static int take_text(struct import *im, const struct ow_json_event *ev)
{
	if (ev->kind != OW_JSON_STRING)
		return wrong(im, "\"data\" is no string");
	if (memchr(ev->text, '\0', ev->len) != NULL)
		return wrong(im, "\"data\" has a NUL byte");
	return new_text(im, ev->text, ev->len);
}

static bool opens(const struct ow_json_event *ev)
{
	return ev->kind == OW_JSON_OBJECT || ev->kind == OW_JSON_ARRAY;
}

/* The first event of `data`, for JSON: an object, an array, or a string with
 * JSON in it. */
static int begin_json(struct import *im, const struct ow_json_event *ev)
{
	if (!opens(ev))
		return take_text(im, ev);
	im->raw_begin = ev->end - 1;
	im->raw_depth = 1;
	return 0;
}

/* The following ones. */
static int handle_json(struct import *im, const struct ow_json_event *ev)
{
	if (opens(ev))
		im->raw_depth++;
	else if (ev->kind == OW_JSON_OBJECT_END ||
		 ev->kind == OW_JSON_ARRAY_END)
		im->raw_depth--;
	return im->raw_depth > 0 ? 0
				 : new_text(im, im->text + im->raw_begin,
					    ev->end - im->raw_begin);
}

static int take_bytes(struct import *im, const struct ow_json_event *ev)
{
	ssize_t n;
	int r;

	if (ev->kind != OW_JSON_STRING)
		return wrong(im, "\"data\" is no string");
	r = new_buffer(im, ev->len + 1);
	if (r < 0)
		return r;
	n = ow_base64_decode(im->data, ev->text, ev->len);
	im->len = (long)n;
	return n < 0 ? wrong(im, "\"data\" is not base64") : 0;
}

/* The structure is complete. */
static int end_view(struct import *im)
{
	const struct ow_view *v;
	const char *cs = ow_json_view_result(im->view, &v);

	if (v == NULL)
		return wrong(im, "\"data\" names no view");
	im->data = ow_buf_new_view(v, 0);
	if (im->data == NULL)
		return -ENOMEM;
	im->len = (long)ow_view_size(v);
	memcpy(im->data, cs, ow_view_size(v));
	ow_json_view_closep(&im->view);
	return 0;
}

static int take_data(struct import *im, const struct ow_json_event *ev)
{
	int r;

	if (im->type < 0)
		return wrong(im, "\"data\" stands before \"buftype\"");
	if (im->data != NULL)
		return wrong(im, "\"data\" stands there twice");
	switch (im->type) {
	case OW_BUF_UBF:
		return begin_ubf(im, ev);
	case OW_BUF_VIEW:
		r = ow_json_view_open(im->error, &im->view);
		return r == 0 ? ow_json_view_event(im->view, ev) : r;
	case OW_BUF_STRING:
		return take_text(im, ev);
	case OW_BUF_JSON:
		return begin_json(im, ev);
	case OW_BUF_CARRAY:
	case OW_BUF_XML:
	case OW_BUF_MBSTRING:
		return take_bytes(im, ev);
	default:
		return new_buffer(im, 0);
	}
}

static enum member member_of(const struct ow_json_event *ev)
{
	static const char *const names[] = {
		[BUFTYPE] = "buftype", [VERSION] = "version", [DATA] = "data"
	};
	enum member m;

	for (m = BUFTYPE; m <= DATA; m++)
		if (strlen(names[m]) == ev->len &&
		    memcmp(names[m], ev->text, ev->len) == 0)
			return m;
	return OTHER;
}

/* A value of the outer object. */
static int take_member(struct import *im, const struct ow_json_event *ev)
{
	switch (im->member) {
	case BUFTYPE:
		return take_type(im, ev);
	case VERSION:
		return take_version(im, ev);
	case DATA:
		return take_data(im, ev);
	default:
		return 0;
	}
}

/* Inside of `data`. */
static int handle_data(struct import *im, const struct ow_json_event *ev)
{
	int r;

	if (im->view != NULL) {
		r = ow_json_view_event(im->view, ev);
		return r == 1 ? end_view(im) : r == -ENXIO ? -EPROTOTYPE : r;
	}
	r = ow_json_reader_event(im->reader, ev);
	if (r == 1)
		ow_json_reader_closep(&im->reader);
	return r == 1 ? 0 : r;
}

static int handle(void *ctx, const struct ow_json_event *ev)
{
	struct import *im = ctx;
	int r = 0;

	if (im->reader != NULL || im->view != NULL)
		return handle_data(im, ev);
	if (im->raw_depth > 0)
		return handle_json(im, ev);
	if (im->depth == 0 && ev->kind != OW_JSON_OBJECT)
		return wrong(im, "no object with \"buftype\" and \"data\"");
	if (ev->kind == OW_JSON_OBJECT_END || ev->kind == OW_JSON_ARRAY_END) {
		im->depth--;
		return 0;
	}
	if (im->depth == 1 && ev->kind == OW_JSON_KEY)
		im->member = member_of(ev);
	else if (im->depth == 1)
		r = take_member(im, ev);
	if (r == 0 && im->reader == NULL && im->view == NULL &&
	    im->raw_depth == 0 && opens(ev))
		im->depth++;
	return r;
}

/* ---- what a field of a UBF buffer points to ---- */

static void pointee_close(void *reader)
{
	struct import *im = reader;

	free_import(im);
	free(im);
}

static int pointee_open(void *ctx, void **ret_reader)
{
	struct import *outer = ctx, *im;

	if (outer->level == OW_UBF_DEPTH_MAX)
		return wrong(outer, "too many buffers that point to each "
			     "other");
	im = calloc(1, sizeof(*im));
	if (im == NULL)
		return -ENOMEM;
	im->type = -1;
	im->size = outer->size;
	im->text = outer->text;
	im->error = outer->error;
	im->level = outer->level + 1;
	*ret_reader = im;
	return 0;
}

/* The pointee's object has ended: shrink the buffer to its contents. */
static int pointee_end(struct import *im, void **ret_pointer)
{
	if (im->data == NULL)
		return wrong(im, "a pointer to no \"data\"");
	if (im->type == OW_BUF_UBF)
		(void)ow_buf_resize(&im->data, ow_ubf_used(im->data));
	*ret_pointer = im->data;
	im->data = NULL;
	return 1;
}

static int pointee_event(void *reader, const struct ow_json_event *ev,
			 void **ret_pointer)
{
	struct import *im = reader;
	int r = handle(im, ev);

	if (r < 0 || im->depth > 0 || im->reader != NULL || im->view != NULL)
		return r;
	return pointee_end(im, ret_pointer);
}

static void pointee_drop(void *pointer)
{
	ow_buf_free_deep(pointer);
}

static const struct ow_json_pointers pointee_calls = {
	.open = pointee_open,
	.event = pointee_event,
	.close = pointee_close,
	.drop = pointee_drop,
};

static int reader_event(void *ctx, const struct ow_json_event *ev)
{
	int r = ow_json_reader_event(ctx, ev);

	return r > 0 ? 0 : r;
}

int ow_buf_ubf_from_json(UBFH *p_ub, const char *text, size_t len, char *error)
{
	OW_CLEANUP(ow_json_reader_closep) struct ow_json_reader *reader = NULL;
	struct import im = { .error = error, .text = text, .size = 2 * len };
	int r = ow_json_reader_open(p_ub, error, &reader);

	if (r < 0)
		return r;
	im.pointers = pointee_calls;
	im.pointers.ctx = &im;
	ow_json_reader_pointers(reader, &im.pointers);
	return ow_json_parse(text, len, reader_event, reader, error);
}

int ow_import(const char *text, size_t len, struct ow_imported *ret,
	      char *error)
{
	OW_CLEANUP(free_import) struct import im = { .error = error,
						       .text = text };
	size_t most = UBF_GROWTH * len + UBF_SPARE;
	int r = -ENOSPC;

	for (im.size = 2 * len; r == -ENOSPC && im.size <= most;
	     im.size *= 2) {
		free_import(&im);
		im.depth = im.raw_depth = 0;
		im.type = -1;
		im.has_version = false;
		r = ow_json_parse(text, len, handle, &im, error);
	}
	if (r == 0 && (im.data == NULL || !im.has_version))
		return wrong(&im, im.data == NULL ? "no \"data\""
						  : "no \"version\"");
	if (r < 0)
		return r;
	ret->type = (enum ow_buf_type)im.type;
	ret->data = im.data;
	ret->len = im.type == OW_BUF_UBF ? (long)ow_ubf_used(im.data) : im.len;
	im.data = NULL;
	return 0;
}
