/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpcallinfo.c - attach a header to a message, read the header of a message
 */
#include <errno.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/callinfo.h"
#include "libubf/store/header.h"

int tpsetcallinfo(const char *msg, UBFH *cibuf, long flags)
{
	size_t len;
	int r;

	(void)flags;
	ow_tp_clear();
	if (msg == NULL || cibuf == NULL)
		return ow_tp_fail(TPEINVAL, msg == NULL ? "message is NULL"
							: "header is NULL");
	len = ow_ubf_used(cibuf);
	if (len == 0)
		return ow_tp_fail(TPEINVAL, "the header is no UBF buffer");
	r = ow_callinfo_attach((char *)msg, cibuf, len);
	if (r == -ENOENT)
		return ow_tp_fail(TPEINVAL, "message %p is not a buffer from "
				  "tpalloc(), or was freed", (const void *)msg);
	return r != 0 ? ow_tp_fail(TPEOS, "no memory for a header") : 0;
}

static int check_target(UBFH **cibuf)
{
	struct ow_buf_info info;

	if (cibuf == NULL)
		return ow_tp_fail(TPEINVAL, "cibuf is NULL");
	if (*cibuf != NULL && (ow_buf_find((char *)*cibuf, &info) != 0 ||
			       info.type != OW_BUF_UBF))
		return ow_tp_fail(TPEINVAL, "*cibuf %p is not a UBF buffer from "
				  "tpalloc()", (void *)*cibuf);
	return 0;
}

int tpgetcallinfo(const char *msg, UBFH **cibuf, long flags)
{
	int r;

	ow_tp_clear();
	if (msg == NULL)
		return ow_tp_fail(TPEINVAL, "message is NULL");
	if (check_target(cibuf) != 0)
		return -1;
	r = ow_callinfo_copy(msg, (char **)cibuf);
	if (r == -ENOENT)
		return ow_tp_fail(TPEINVAL, "message %p is not a buffer from "
				  "tpalloc(), or was freed", (const void *)msg);
	if (r == -ENODATA && (flags & TPCI_NOEOFERR))
		return 0;
	if (r == -ENODATA)
		return ow_tp_fail(TPESYSTEM, "the message has no header");
	if (r != 0)
		return ow_tp_fail(TPEOS, "no memory for a header");
	return flags & TPCI_NOEOFERR ? 1 : 0;
}
