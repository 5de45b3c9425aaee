/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - a typed buffer as one of another type, by way of JSON
 */
#include "libatmi/buffer/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <ubf.h>

#include "libatmi/buffer/buf.h"
#include "libubf/base/apiflag.h"
#include "libubf/base/cleanup.h"
#include "libatmi/buffer/pointers.h"
#include "libubf/json/ubf.h"
#include "libubf/json/view.h"

/* A UBF buffer needs at most UBF_GROWTH bytes for each byte of its text, and
 * UBF_SPARE. */
#define UBF_GROWTH 32
#define UBF_SPARE  65536

int ow_buf_converts(enum ow_buf_type type)
{
	return type == OW_BUF_UBF || type == OW_BUF_VIEW ||
	       type == OW_BUF_JSON;
}

static int view_event(void *ctx, const struct ow_json_event *ev)
{
	int r = ow_json_view_event(ctx, ev);

	return r > 0 ? 0 : r;
}

/* A VIEW buffer with the structure that was read. */
static int view_buffer(const struct ow_json_view *reader, char **ret_data,
		       const struct ow_view **ret_view, char *error)
{
	const struct ow_view *v;
	const char *cs = ow_json_view_result(reader, &v);
	char *data;

	if (v == NULL) {
		snprintf(error, OW_JSON_ERROR_MAX, "the text names no view");
		return -EBADMSG;
	}
	data = ow_buf_new_view(v, 0);
	if (data == NULL)
		return -ENOMEM;
	memcpy(data, cs, ow_view_size(v));
	*ret_data = data;
	*ret_view = v;
	return 0;
}

int ow_buf_view_from_json(const char *text, size_t len, char **ret_data,
			  const struct ow_view **ret_view, char *error)
{
	OW_CLEANUP(ow_json_view_closep) struct ow_json_view *reader = NULL;
	int r = ow_json_view_open(error, &reader);

	if (r == 0)
		r = ow_json_parse(text, len, view_event, reader, error);
	return r < 0 ? r : view_buffer(reader, ret_data, ret_view, error);
}

/* A buffer that turns out too small is doubled, and the text is read again. */
static int ubf_from_json(const char *text, size_t len, char **ret_data,
			 char *error)
{
	size_t size, most = UBF_GROWTH * len + UBF_SPARE;
	char *data = NULL;
	int r = -ENOSPC;

	for (size = 2 * len; r == -ENOSPC && size <= most; size *= 2) {
		ow_buf_free_deep(data);
		data = ow_buf_new(OW_BUF_UBF, size);
		if (data == NULL)
			return -ENOMEM;
		r = ow_buf_ubf_from_json((UBFH *)data, text, len, error);
	}
	if (r < 0) {
		ow_buf_free_deep(data);
		return r == -ENOSPC ? -ENOMEM : r;
	}
	*ret_data = data;
	return 0;
}

static int json_buffer(const char *text, size_t len, char **ret_data)
{
	char *data = ow_buf_new(OW_BUF_JSON, len + 1);

	if (data == NULL)
		return -ENOMEM;
	memcpy(data, text, len);
	data[len] = '\0';
	*ret_data = data;
	return 0;
}

/* The contents as JSON text, which the caller frees. */
static int to_json(const char *data, const struct ow_buf_info *info,
		   struct ow_json_out *out, char *error)
{
	size_t n;

	out->escape = ow_apiflag("json_escape");
	switch (info->type) {
	case OW_BUF_UBF:
		return ow_buf_ubf_to_json(out, (const UBFH *)data, error);
	case OW_BUF_VIEW:
		return ow_json_from_view(out, info->view, data, 0, error);
	default:
		n = strnlen(data, info->size);
		return n > 0 ? ow_json_raw(out, data, n) : 0;
	}
}

static int from_json(const struct ow_json_out *out, enum ow_buf_type to,
		     char **ret_data, char *error)
{
	const char *text = out->text != NULL ? out->text : "";
	const struct ow_view *view;

	switch (to) {
	case OW_BUF_UBF:
		return ubf_from_json(text, out->len, ret_data, error);
	case OW_BUF_VIEW:
		return ow_buf_view_from_json(text, out->len, ret_data, &view,
					     error);
	default:
		return json_buffer(text, out->len, ret_data);
	}
}

int ow_buf_convert(const char *data, enum ow_buf_type to, char **ret_data,
		   char *error)
{
	struct ow_json_out out = { .grows = true };
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	struct ow_buf_info info;
	int r;

	error[0] = '\0';
	if (ow_buf_find(data, &info) != 0 || !ow_buf_converts(info.type) ||
	    !ow_buf_converts(to))
		return -EBADMSG;
	r = to_json(data, &info, &out, error);
	text = out.text;
	if (r == 0)
		r = from_json(&out, to, ret_data, error);
	return r == 0 || r == -ENOMEM ? r : -EBADMSG;
}
