/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpimport.c - tpimport: a typed buffer from the text of tpexport()
 *
 * The new buffer is made apart and replaces the caller's when all is well.
 */
#include <errno.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/import.h"
#include "libubf/base/base64.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/compatible.h"
#include "libubf/json/ubf.h"

static int fail(int r, const char *error)
{
	if (r == -EPROTOTYPE)
		return ow_tp_fail(TPEOTYPE, "%s", error);
	if (r == -ENOMEM || r == -ENOSPC)
		return ow_tp_fail(TPEOS, "tpimport: out of memory");
	if (r == -EIO)
		return ow_tp_fail(TPESYSTEM, "field tables: %s", error);
	return ow_tp_fail(ow_compat_tuxedo() ? TPEPROTO : TPEINVAL, "%s",
			  error);
}

/* Decode base64 if the flags say so: the text is in *ret_copy then, which the
 * caller frees. */
static int decode(const char **text, size_t *len, long flags,
		  char **ret_copy)
{
	ssize_t n;

	if (!(flags & TPEX_STRING))
		return 0;
	*ret_copy = malloc(*len + 1);
	if (*ret_copy == NULL)
		return ow_tp_fail(TPEOS, "tpimport: out of memory");
	n = ow_base64_decode(*ret_copy, *text, *len);
	if (n < 0)
		return fail(-EBADMSG, "the text is not base64");
	*text = *ret_copy;
	*len = (size_t)n;
	return 0;
}

static int check(const char *istr, long ilen, char *const *obuf, long flags,
		 struct ow_buf_info *ret_old)
{
	if (istr == NULL || obuf == NULL || ilen < 0 ||
	    (flags & ~(long)(TPEX_STRING | TPEX_NOCHANGE)) != 0)
		return ow_tp_fail(TPEINVAL, "tpimport: %s",
				  istr == NULL	 ? "no text"
				  : obuf == NULL ? "no place for the buffer"
				  : ilen < 0	 ? "negative length"
						 : "unknown flags");
	if (*obuf != NULL && ow_buf_find(*obuf, ret_old) != 0)
		return ow_tp_fail(TPEINVAL, "%p is not a buffer from "
				  "tpalloc(), or was freed", (void *)*obuf);
	return 0;
}

int tpimport(char *istr, long ilen, char **obuf, long *olen, long flags)
{
	OW_CLEANUP(ow_cleanup_freep) char *copy = NULL;
	char error[OW_JSON_ERROR_MAX] = "";
	struct ow_imported new;
	struct ow_buf_info old;
	const char *text = istr;
	size_t len;
	int r;

	ow_tp_clear();
	if (check(istr, ilen, obuf, flags, &old) < 0)
		return -1;
	if (ilen == 0 && ow_compat_tuxedo())
		flags |= TPEX_STRING;
	len = ilen == 0 ? strlen(istr) : strnlen(istr, (size_t)ilen);
	if (decode(&text, &len, flags, &copy) < 0)
		return -1;
	r = ow_import(text, len, &new, error);
	if (r < 0)
		return fail(r, error);
	if ((flags & TPEX_NOCHANGE) && *obuf != NULL && old.type != new.type) {
		ow_buf_free_deep(new.data);
		return ow_tp_fail(TPEOTYPE, "the text has another type than "
				  "the buffer, which is %s", old.type_name);
	}
	ow_buf_free(*obuf);
	*obuf = new.data;
	if (olen != NULL)
		*olen = new.len;
	return 0;
}
