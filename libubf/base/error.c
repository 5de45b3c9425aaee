/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - Berror, its texts, and the functions that show them
 *
 * The numbers that every call touches lie in initial-exec thread storage, as
 * one instruction reaches it; the texts, which are large and rarely used, in
 * the ordinary one.
 */
#include "libubf/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libubf/tables/fldtext.h"

#define DETAIL_MAX 512

__thread struct ow_ubf_err ow_ubf_err
	__attribute__((tls_model("initial-exec")));
static __thread char detail[DETAIL_MAX];

static const char *const names[BMAXVAL + 1] = {
	[BMINVAL] = "BMINVAL",	   [BERFU0] = "BERFU0",
	[BALIGNERR] = "BALIGNERR", [BNOTFLD] = "BNOTFLD",
	[BNOSPACE] = "BNOSPACE",   [BNOTPRES] = "BNOTPRES",
	[BBADFLD] = "BBADFLD",	   [BTYPERR] = "BTYPERR",
	[BEUNIX] = "BEUNIX",	   [BBADNAME] = "BBADNAME",
	[BMALLOC] = "BMALLOC",	   [BSYNTAX] = "BSYNTAX",
	[BFTOPEN] = "BFTOPEN",	   [BFTSYNTAX] = "BFTSYNTAX",
	[BEINVAL] = "BEINVAL",	   [BERFU1] = "BERFU1",
	[BBADTBL] = "BBADTBL",	   [BBADVIEW] = "BBADVIEW",
	[BVFSYNTAX] = "BVFSYNTAX", [BVFOPEN] = "BVFOPEN",
	[BBADACM] = "BBADACM",	   [BNOCNAME] = "BNOCNAME",
	[BEBADOP] = "BEBADOP",
};

int *ndrx_Bget_Ferror_addr(void)
{
	return &ow_ubf_err.code;
}

static void set(int code, const char *fmt, va_list ap)
{
	int keep = errno;

	ow_ubf_err.code = code;
	ow_ubf_err.lazy = 0;
	vsnprintf(detail, sizeof(detail), fmt, ap);
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
	case EDESTADDRREQ:
		return ow_ubf_fail(BNOTFLD, "%s: a buffer goes into a UBF "
				   "buffer, or to memory whose length is given",
				   what);
	case ENXIO:
		return ow_ubf_fail(BBADVIEW, "%s: no such view, or a value "
				   "that does not agree with it", what);
	default:
		return ow_ubf_fail(BEUNIX, "%s: %s", what, strerror(-r));
	}
}

static const char *detail_text(void)
{
	if (ow_ubf_err.lazy) {
		snprintf(detail, sizeof(detail), "field %s occurrence %d is "
			 "not present", ow_fldtext(ow_ubf_err.id).s,
			 ow_ubf_err.occ);
		ow_ubf_err.lazy = 0;
	}
	return detail;
}

int ow_ubf_fail_at(unsigned int line)
{
	char was[DETAIL_MAX];

	snprintf(was, sizeof(was), "%s", detail_text());
	snprintf(detail, sizeof(detail), "line %u: %.480s", line, was);
	return -1;
}

char *Becodestr(int err)
{
	if (err < BMINVAL || err > BMAXVAL)
		return (char *)"unknown error";
	return (char *)names[err];
}

char *Bstrerror(int err)
{
	static __thread char text[DETAIL_MAX + 64];

	if (err == ow_ubf_err.code && err != BMINVAL)
		snprintf(text, sizeof(text), "%d:%s (last error %d: %s)", err,
			 Becodestr(err), err, detail_text());
	else
		snprintf(text, sizeof(text), "%d:%s", err, Becodestr(err));
	return text;
}

void B_error(char *str)
{
	fprintf(stderr, "%s: %s\n", str != NULL ? str : "",
		Bstrerror(ow_ubf_err.code));
}
