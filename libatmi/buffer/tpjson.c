/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpjson.c - tpubftojson, tpjsontoubf, tpviewtojson, tpjsontoview
 */
#include <errno.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/base/tperror.h"
#include "libubf/base/apiflag.h"
#include "libubf/base/cleanup.h"
#include "libubf/json/ubf.h"
#include "libubf/json/view.h"

/* Set tperrno after an error of libubf's JSON functions. */
static int fail(int r, const char *error)
{
	switch (r) {
	case -ENOSPC:
		return ow_tp_fail(TPEOS, "no space left in the buffer");
	case -ENOMEM:
		return ow_tp_fail(TPEOS, "out of memory");
	case -ENXIO:
		return ow_tp_fail(TPEOTYPE, "%s", error);
	case -EIO:
		return ow_tp_fail(TPESYSTEM, "field tables: %s", error);
	default:
		return ow_tp_fail(TPEINVAL, "%s", error);
	}
}

int tpubftojson(UBFH *p_ub, char *buffer, int bufsize)
{
	struct ow_json_out out = { .text = buffer };
	char error[OW_JSON_ERROR_MAX];
	int r;

	ow_tp_clear();
	if (p_ub == NULL || buffer == NULL || bufsize <= 0)
		return ow_tp_fail(TPEINVAL, "tpubftojson: no %s",
				  p_ub == NULL	   ? "UBF buffer"
				  : buffer == NULL ? "memory for the text"
						   : "size of that memory");
	out.cap = (size_t)bufsize;
	out.escape = ow_apiflag("json_escape");
	r = ow_json_from_ubf(&out, p_ub, error);
	if (r == 0)
		r = ow_json_end(&out);
	return r < 0 ? fail(r, error) : 0;
}

int tpjsontoubf(UBFH *p_ub, char *buffer)
{
	char error[OW_JSON_ERROR_MAX];
	int r;

	ow_tp_clear();
	if (p_ub == NULL || buffer == NULL)
		return ow_tp_fail(TPEINVAL, "tpjsontoubf: no %s",
				  p_ub == NULL ? "UBF buffer" : "text");
	r = ow_json_to_ubf(p_ub, buffer, strlen(buffer), error);
	return r < 0 ? fail(r, error) : 0;
}

int tpviewtojson(char *cstruct, char *view, char *buffer, int bufsize,
		 long flags)
{
	struct ow_json_out out = { .text = buffer };
	char error[OW_JSON_ERROR_MAX];
	const struct ow_view *v;
	int r;

	ow_tp_clear();
	if (cstruct == NULL || view == NULL || buffer == NULL || bufsize <= 0)
		return ow_tp_fail(TPEINVAL, "tpviewtojson: no structure, view "
				  "or memory for the text");
	r = ow_view_find(view, &v);
	if (r < 0)
		return ow_tp_fail(r == -ENOMEM ? TPEOS : TPEOTYPE,
				  "view %.33s: %s", view, ow_view_error());
	out.cap = (size_t)bufsize;
	out.escape = ow_apiflag("json_escape");
	r = ow_json_from_view(&out, v, cstruct, flags, error);
	if (r == 0)
		r = ow_json_end(&out);
	return r < 0 ? fail(r, error) : 0;
}

static int view_event(void *ctx, const struct ow_json_event *ev)
{
	int r = ow_json_view_event(ctx, ev);

	return r > 0 ? 0 : r;
}

/* A VIEW buffer with the structure that was read, and its name. */
static char *view_buffer(const struct ow_json_view *reader, char *name)
{
	const struct ow_view *v;
	const char *cs = ow_json_view_result(reader, &v);
	char *data;

	if (v == NULL) {
		ow_tp_fail(TPEINVAL, "tpjsontoview: the text names no view");
		return NULL;
	}
	data = ow_buf_new_view(v, 0);
	if (data == NULL) {
		ow_tp_fail(TPEOS, "tpjsontoview: out of memory");
		return NULL;
	}
	memcpy(data, cs, ow_view_size(v));
	strcpy(name, ow_view_name(v));
	return data;
}

char *tpjsontoview(char *view, char *buffer)
{
	OW_CLEANUP(ow_json_view_closep) struct ow_json_view *reader = NULL;
	char error[OW_JSON_ERROR_MAX] = "";
	int r;

	ow_tp_clear();
	if (view == NULL || buffer == NULL) {
		ow_tp_fail(TPEINVAL, "tpjsontoview: no %s", view == NULL
			   ? "memory for the name of the view" : "text");
		return NULL;
	}
	r = ow_json_view_open(error, &reader);
	if (r == 0)
		r = ow_json_parse(buffer, strlen(buffer), view_event, reader,
				  error);
	if (r < 0) {
		(void)fail(r, error);
		return NULL;
	}
	return view_buffer(reader, view);
}
