/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpexport.c - tpexport: a typed buffer as text, for files and other systems
 *
 *	{"buftype":"STRING","version":1,"data":"HELLO"}
 *
 * A VIEW has a `subtype`, too. `data` is an object for UBF and VIEW (without
 * its null members), a string for STRING, base64 for CARRAY and null for NULL.
 * A JSON object or array is `data` itself; other JSON is a string. A field that
 * points to a typed buffer becomes such an object in turn; of a CARRAY there,
 * all bytes are written, because a pointer does not tell how many count. Other
 * pointers are null, or addresses with ubf_ptrparse.
 */
#include <errno.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/pointers.h"
#include "libatmi/base/tperror.h"
#include "libubf/base/apiflag.h"
#include "libubf/base/base64.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/compatible.h"
#include "libubf/json/ubf.h"
#include "libubf/json/view.h"
#include "libubf/base/type.h"

static int put_text(struct ow_json_out *o, const char *data, size_t size,
		    char *error)
{
	size_t n = strnlen(data, size);

	if (n == size) {
		snprintf(error, OW_JSON_ERROR_MAX, "the text has no NUL");
		return -EINVAL;
	}
	snprintf(error, OW_JSON_ERROR_MAX, "the text is not UTF-8");
	return ow_json_string(o, data, n);
}

static int accept_event(void *ctx, const struct ow_json_event *ev)
{
	(void)ctx;
	(void)ev;
	return 0;
}

static int put_json(struct ow_json_out *o, const char *data, size_t size,
		    char *error)
{
	size_t n = strnlen(data, size), first = strspn(data, " \t\r\n");
	int r;

	if (n == size || (data[first] != '{' && data[first] != '['))
		return put_text(o, data, size, error);
	r = ow_json_parse(data, n, accept_event, NULL, error);
	return r == 0 ? ow_json_raw(o, data, n) : r;
}

static int put_buffer(struct ow_json_out *o, const char *data, long len,
		      const struct ow_buf_info *info, char *error);

/* The buffers between the exported one and the present one. */
struct chain {
	struct ow_json_pointers pointers;
	int depth;
};

static int put_pointee(void *ctx, struct ow_json_out *o, const void *p,
		       char *error)
{
	struct chain *c = ctx;
	struct ow_buf_info info;
	int r;

	if (p == NULL || ow_buf_find(p, &info) != 0)
		return 0;
	if (c->depth == OW_UBF_DEPTH_MAX) {
		snprintf(error, OW_JSON_ERROR_MAX, "buffers that point to "
			 "each other: more than %d", OW_UBF_DEPTH_MAX);
		return -EBADMSG;
	}
	c->depth++;
	r = put_buffer(o, p, (long)info.size, &info, error);
	c->depth--;
	return r < 0 ? r : 1;
}

static int put_data(struct ow_json_out *o, const char *data, long len,
		    const struct ow_buf_info *info, char *error)
{
	switch (info->type) {
	case OW_BUF_UBF:
		return ow_json_from_ubf(o, (const UBFH *)data, error);
	case OW_BUF_STRING:
		return put_text(o, data, info->size, error);
	case OW_BUF_JSON:
		return put_json(o, data, info->size, error);
	case OW_BUF_CARRAY:
	case OW_BUF_XML:
	case OW_BUF_MBSTRING:
		snprintf(error, OW_JSON_ERROR_MAX,
			 "length %ld: the %s has %zu bytes", len,
			 ow_buf_names[info->type], info->size);
		if (len < 0 || (size_t)len > info->size)
			return -EINVAL;
		return ow_json_base64(o, data, (size_t)len);
	case OW_BUF_VIEW:
		return ow_json_from_view(o, info->view, data, BVACCESS_NOTNULL,
					 error);
	case OW_BUF_NULL:
		return ow_json_text(o, "null");
	default:
		return -EPROTOTYPE;
	}
}

static int put_buffer(struct ow_json_out *o, const char *data, long len,
		      const struct ow_buf_info *info, char *error)
{
	bool sub = info->subtype[0] != '\0';
	char head[160];
	int r;

	snprintf(head, sizeof(head),
		 "{\"buftype\":\"%s\",\"version\":%d,%s%s%s\"data\":",
		 info->type_name, TPIMPEXP_VERSION_MAX,
		 sub ? "\"subtype\":\"" : "", info->subtype, sub ? "\"," : "");
	r = ow_json_text(o, head);
	if (r == 0)
		r = put_data(o, data, len, info, error);
	return r == 0 ? ow_json_text(o, "}") : r;
}

int ow_buf_ubf_to_json(struct ow_json_out *o, const UBFH *p_ub, char *error)
{
	struct chain chain = { .pointers = { .ctx = &chain,
					     .put = put_pointee } };
	int r;

	o->pointers = &chain.pointers;
	r = ow_json_from_ubf(o, p_ub, error);
	o->pointers = NULL;
	return r;
}

/* Copy the text to the caller, as it is or as base64; *olen becomes its size
 * with NUL. */
static int deliver(const struct ow_json_out *o, char *ostr, long *olen,
		   long flags)
{
	bool base64 = (flags & TPEX_STRING) != 0;
	size_t n = base64 ? ow_base64_size(o->len) : o->len;
	size_t room = *olen < 0 ? 0 : (size_t)*olen;

	*olen = (long)n + 1;
	if (n >= room)
		return ow_tp_fail(ow_compat_tuxedo() ? TPELIMIT : TPEOS,
				  "the text takes %ld bytes, there are %zu",
				  *olen, room);
	if (base64)
		ow_base64_encode(ostr, o->text, n == 0 ? 0 : o->len);
	else
		memcpy(ostr, o->text, n);
	ostr[n] = '\0';
	return 0;
}

int tpexport(char *ibuf, long ilen, char *ostr, long *olen, long flags)
{
	struct chain chain = { .pointers = { .ctx = &chain,
					     .put = put_pointee } };
	struct ow_json_out out = { .grows = true,
				   .pointers = &chain.pointers };
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	char error[OW_JSON_ERROR_MAX] = "";
	struct ow_buf_info info;
	int r;

	ow_tp_clear();
	if (ostr == NULL || olen == NULL || (flags & ~(long)TPEX_STRING) != 0)
		return ow_tp_fail(TPEINVAL, "tpexport: %s",
				  ostr == NULL	 ? "no memory for the text"
				  : olen == NULL ? "no size of that memory"
						 : "unknown flags");
	if (ibuf == NULL || ow_buf_find(ibuf, &info) != 0)
		return ow_tp_fail(TPEINVAL, "%p is not a buffer from "
				  "tpalloc(), or was freed", (void *)ibuf);
	out.escape = ow_apiflag("json_escape");
	r = put_buffer(&out, ibuf, ilen, &info, error);
	if (r == 0)
		r = ow_json_end(&out);
	text = out.text;
	if (r == -EPROTOTYPE)
		return ow_tp_fail(TPEOTYPE, "a buffer of type %s cannot be "
				  "exported", info.type_name);
	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "tpexport: out of memory");
	if (r < 0)
		return ow_tp_fail(TPEINVAL, "%s", error);
	return deliver(&out, ostr, olen, flags);
}
