/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - the one place where Berror is set
 *
 * The numbers that every call touches lie in initial-exec thread storage, one
 * instruction away; the detail text, large and rarely used, does not
 * (threadmem.h).
 */
#include "libubf/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libubf/base/threadmem.h"

__thread struct ow_ubf_err ow_ubf_err
	__attribute__((tls_model("initial-exec")));
static __thread void *t_detail;

int *ndrx_Bget_Ferror_addr(void)
{
	return &ow_ubf_err.code;
}

char *ow_ubf_err_detail(void)
{
	return ow_thread_memory(&t_detail, OW_UBF_DETAIL_MAX);
}

static void set(int code, const char *fmt, va_list ap)
{
	int keep = errno;

	ow_ubf_err.code = code;
	ow_ubf_err.lazy = 0;
	vsnprintf(ow_ubf_err_detail(), OW_UBF_DETAIL_MAX, fmt, ap);
	errno = keep;
}

int ow_ubf_fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(code, fmt, ap);
	va_end(ap);
	return -1;
}

void *ow_ubf_fail_null(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(code, fmt, ap);
	va_end(ap);
	return NULL;
}

int ow_ubf_fail_errno(int r, const char *what)
{
	switch (-r) {
	case ENOSPC:
		return ow_ubf_fail(BNOSPACE, "%s: no room in the buffer", what);
	case ENOMEM:
		return ow_ubf_fail(BMALLOC, "%s: out of memory", what);
	case EINVAL:
		return ow_ubf_fail(BEINVAL, "%s: invalid argument", what);
	case EOPNOTSUPP:
		return ow_ubf_fail(BEBADOP, "%s: no such conversion", what);
	case EPROTOTYPE:
		return ow_ubf_fail(BTYPERR, "%s: not a field type", what);
	case EBADMSG:
		return ow_ubf_fail(BNOTFLD, "%s: not a UBF buffer", what);
	case ENXIO:
		return ow_ubf_fail(BBADVIEW, "%s: no such view, or a value "
				   "that does not agree with it", what);
	default:
		return ow_ubf_fail(BEUNIX, "%s: %s", what, strerror(-r));
	}
}
