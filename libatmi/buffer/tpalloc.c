/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpalloc.c - tpalloc, tprealloc, tpfree, tptypes, tpisautobuf
 */
#include <errno.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/base/tperror.h"
#include "libubf/base/compatible.h"

/* A VIEW; its subtype is the name of the view. */
static char *alloc_view(const char *subtype, long size)
{
	const struct ow_view *view;
	char *data = NULL;
	int r;

	if (subtype == NULL || *subtype == '\0') {
		ow_tp_fail(TPEINVAL, "VIEW needs a subtype");
		return NULL;
	}
	r = ow_view_find(subtype, &view);
	if (r == 0)
		data = ow_buf_new_view(view, (size_t)size);
	if (r == -ENOMEM || (r == 0 && data == NULL))
		ow_tp_fail(TPEOS, "no memory for view %.33s", subtype);
	else if (r != 0)
		ow_tp_fail(TPENOENT, "view %.33s: %s", subtype,
			   ow_view_error());
	return data;
}

char *tpalloc(char *type, char *subtype, long size)
{
	int code;
	char *data;

	ow_tp_clear();
	if (type == NULL || size < 0) {
		ow_tp_fail(TPEINVAL, type == NULL ? "type is NULL"
						  : "size is negative");
		return NULL;
	}
	code = ow_buf_type_find(type);
	if (code < 0) {
		ow_tp_fail(ow_compat_tuxedo() ? TPENOENT : TPEOTYPE,
			   "no buffer type \"%.40s\": give UBF, VIEW, STRING, "
			   "CARRAY, JSON, XML, MBSTRING, NULL or TPINIT", type);
		return NULL;
	}
	if (code == OW_BUF_VIEW)
		return alloc_view(subtype, size);
	data = ow_buf_new((enum ow_buf_type)code, (size_t)size);
	if (data == NULL)
		ow_tp_fail(TPEOS, "no memory for %ld bytes", size);
	return data;
}

char *tprealloc(char *ptr, long size)
{
	int r;

	ow_tp_clear();
	r = ptr == NULL || size < 0 ? -ENOENT
				    : ow_buf_resize(&ptr, (size_t)size);
	if (r == 0)
		return ptr;
	if (r == -ENOENT)
		ow_tp_fail(TPEINVAL, "%p, size %ld: not a buffer from "
			   "tpalloc(), or a negative size", (void *)ptr, size);
	else if (r == OW_BUF_SMALL)
		ow_tp_fail(TPEINVAL, "%ld bytes are less than the buffer "
			   "holds; it is unchanged", size);
	else
		ow_tp_fail(TPEOS, "no memory for %ld bytes", size);
	return NULL;
}

void tpfree(char *ptr)
{
	ow_tp_clear();
	ow_buf_free_deep(ptr);
}

long tptypes(char *ptr, char *type, char *subtype)
{
	struct ow_buf_info info;
	size_t len;

	ow_tp_clear();
	if (ptr == NULL || ow_buf_find(ptr, &info) != 0)
		return ow_tp_fail(TPEINVAL, "%p is not a buffer from "
				  "tpalloc(), or was freed", (void *)ptr);
	if (type != NULL) /* 8 bytes as in XATMI, not always with a NUL */
		strncpy(type, info.type == OW_BUF_UBF && ow_compat_tuxedo()
				  ? "FML32" : info.type_name,
			XATMI_TYPE_LEN);
	if (subtype != NULL) {
		len = strnlen(info.subtype, XATMI_SUBTYPE_LEN - 1);
		memcpy(subtype, info.subtype, len);
		subtype[len] = '\0';
	}
	return (long)info.size;
}

int tpisautobuf(char *buf)
{
	struct ow_buf_info info;

	ow_tp_clear();
	if (buf == NULL || ow_buf_find(buf, &info) != 0)
		return ow_tp_fail(TPEINVAL, "%p is not a buffer from "
				  "tpalloc(), or was freed", (void *)buf);
	return info.is_auto ? 1 : 0;
}
