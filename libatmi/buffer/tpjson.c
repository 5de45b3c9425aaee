/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpjson.c - tpubftojson, tpjsontoubf, tpviewtojson, tpjsontoview
 */
#include <errno.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/convert.h"
#include "libatmi/buffer/pointers.h"
#include "libatmi/base/tperror.h"
#include "libubf/base/apiflag.h"
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
	r = ow_buf_ubf_to_json(&out, p_ub, error);
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
	r = ow_buf_ubf_from_json(p_ub, buffer, strlen(buffer), error);
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

char *tpjsontoview(char *view, char *buffer)
{
	char error[OW_JSON_ERROR_MAX] = "";
	const struct ow_view *v;
	char *data = NULL;
	int r;

	ow_tp_clear();
	if (view == NULL || buffer == NULL) {
		ow_tp_fail(TPEINVAL, "tpjsontoview: no %s", view == NULL
			   ? "memory for the name of the view" : "text");
		return NULL;
	}
	r = ow_buf_view_from_json(buffer, strlen(buffer), &data, &v, error);
	if (r < 0) {
		(void)fail(r, error);
		return NULL;
	}
	strcpy(view, ow_view_name(v));
	return data;
}
