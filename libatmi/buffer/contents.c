/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contents.c - the contents of one typed buffer, as a message carries them
 *
 * A VIEW travels behind its subtype: name, NUL, checksum.
 */
#include "libatmi/buffer/contents.h"

#include <errno.h>
#include <ubf.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/memory.h"
#include "libatmi/buffer/release.h"
#include "libubf/base/compatible.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/store/pointers.h"

_Static_assert(NDRX_VIEW_NAME_LEN + 1 + sizeof(uint32_t) <=
		       OW_BUF_SUBTYPE_MAX,
	       "a subtype fits");

static size_t subtype_len(const struct ow_view *view)
{
	return strlen(ow_view_name(view)) + 1 + sizeof(uint32_t);
}

size_t ow_buf_put_subtype(const struct ow_view *view, void *to)
{
	uint32_t cksum = ow_view_cksum(view);
	char *end = stpcpy(to, ow_view_name(view)) + 1;

	memcpy(end, &cksum, sizeof(cksum));
	return subtype_len(view);
}

bool ow_buf_is_view(const void *payload, size_t sub_len,
		    const struct ow_view *view)
{
	uint32_t cksum = ow_view_cksum(view);
	size_t n = subtype_len(view);

	return sub_len == n &&
	       memcmp(payload, ow_view_name(view), n - sizeof(cksum)) == 0 &&
	       memcmp((const char *)payload + n - sizeof(cksum), &cksum,
		      sizeof(cksum)) == 0;
}

int ow_buf_wire_len(const char *data, const struct ow_buf_info *info,
		    long len, size_t *ret_len)
{
	switch (info->type) {
	case OW_BUF_UBF:
		return ow_buf_ubf_wire_len(data, info, ret_len);
	case OW_BUF_STRING:
	case OW_BUF_JSON:
		*ret_len = strnlen(data, info->size);
		if (*ret_len == info->size)
			return -EINVAL; /* not terminated */
		(*ret_len)++;
		return 0;
	case OW_BUF_CARRAY:
	case OW_BUF_XML:
	case OW_BUF_MBSTRING:
		if (len < 0 || (size_t)len > info->size)
			return -EINVAL;
		*ret_len = (size_t)len;
		return 0;
	case OW_BUF_NULL:
		*ret_len = 0;
		return 0;
	case OW_BUF_VIEW:
		if (info->view == NULL || ow_view_size(info->view) > info->size)
			return -EINVAL;
		*ret_len = subtype_len(info->view) + ow_view_size(info->view);
		return 0;
	default:
		return -EINVAL; /* TPINIT does not travel */
	}
}

int ow_contents_check(enum ow_buf_type type, const void *payload, size_t len)
{
	switch (type) {
	case OW_BUF_UBF:
		return ow_ubf_check(payload, len);
	case OW_BUF_STRING:
	case OW_BUF_JSON:
		if (len == 0 || memchr(payload, '\0', len) !=
				    (const char *)payload + len - 1)
			return -EBADMSG;
		return 0;
	case OW_BUF_CARRAY:
	case OW_BUF_XML:
	case OW_BUF_MBSTRING:
		return 0;
	case OW_BUF_NULL:
		return len == 0 ? 0 : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

/* One lookup is enough for type and size; a lookup can need a lock. */
int ow_contents_reserve(enum ow_buf_type type, size_t len, char **data,
		     size_t *ret_size)
{
	struct ow_buf *old, *fresh;

	old = *data != NULL ? ow_reg_find_stripped(*data) : NULL;
	if (old != NULL && old->type == type) {
		*ret_size = old->size;
		if (old->size < len) {
			if (ow_buf_resize(data, len) != 0)
				return -ENOMEM;
			*ret_size = len; /* growing is not rounded up */
		}
		if (type == OW_BUF_UBF &&
		    ow_ubf_points((const UBFH *)(const void *)*data))
			ow_release_pointees(*data);
		return 0;
	}
	fresh = ow_mem_new(type, len);
	if (fresh == NULL)
		return -ENOMEM;
	if (*data != NULL)
		ow_release_replaced(*data);
	*data = fresh->key;
	*ret_size = fresh->size;
	return 0;
}

/* No data is no buffer; strict-tuxedo leaves the buffer as it is. */
static int take_nothing(char **data, long *ret_len)
{
	*ret_len = 0;
	if (*data == NULL || ow_compat_tuxedo())
		return 0;
	ow_release_replaced(*data);
	*data = NULL;
	return 0;
}

int ow_contents_take(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len)
{
	size_t size = 0;
	int r = ow_contents_check(type, payload, len);

	if (r == 0 && type == OW_BUF_NULL)
		return take_nothing(data, ret_len);
	if (r == 0)
		r = ow_contents_reserve(type, len, data, &size);
	if (r != 0)
		return r;
	if (len > 0)
		memcpy(*data, payload, len);
	else if (size > 0)
		(*data)[0] = '\0'; /* as tpalloc() leaves it */
	*ret_len = (long)len;
	if (type == OW_BUF_UBF)
		(void)ow_ubf_adopt(*data, len, size);
	return 0;
}

/* The view that a payload names: 0, -EBADMSG or -EPROTOTYPE. */
static int find_view(const char *payload, size_t len, size_t sub_len,
		     const struct ow_view **ret_view)
{
	const struct ow_view *view;

	if (sub_len <= 1 + sizeof(uint32_t) || sub_len > len ||
	    strnlen(payload, sub_len) != sub_len - 1 - sizeof(uint32_t))
		return -EBADMSG;
	if (ow_view_find(payload, &view) != 0 ||
	    !ow_buf_is_view(payload, sub_len, view))
		return -EPROTOTYPE;
	if (len - sub_len != ow_view_size(view))
		return -EBADMSG;
	*ret_view = view;
	return 0;
}

int ow_buf_from_view(const void *payload, size_t len, size_t sub_len,
		     char **data, long *ret_len)
{
	const struct ow_view *view;
	struct ow_buf *old;
	char *fresh;
	int r = find_view(payload, len, sub_len, &view);

	if (r != 0)
		return r;
	old = *data != NULL ? ow_reg_find_stripped(*data) : NULL;
	if (old == NULL || old->view != view) {
		fresh = ow_buf_new_view(view, 0);
		if (fresh == NULL)
			return -ENOMEM;
		ow_release_replaced(*data);
		*data = fresh;
	}
	memcpy(*data, (const char *)payload + sub_len, len - sub_len);
	*ret_len = (long)(len - sub_len);
	return 0;
}
