/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errtext.c - Berror as text: Bstrerror, Becodestr, B_error
 *
 * The text of "not present" names the field, so this file lies above the field
 * tables and not beside error.c.
 */
#include "libubf/tables/errtext.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libubf/base/error.h"
#include "libubf/tables/fldtext.h"
#include "libubf/base/uncancelled.h"
#include "libubf/base/threadmem.h"

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

static const char *detail_text(void)
{
	char *detail = ow_ubf_err_detail();

	if (ow_ubf_err.lazy) {
		snprintf(detail, OW_UBF_DETAIL_MAX, "field %s occurrence %d is "
			 "not present", ow_fldtext(ow_ubf_err.id).s,
			 ow_ubf_err.occ);
		ow_ubf_err.lazy = 0;
	}
	return detail;
}

int ow_ubf_fail_in(const char *format, ...)
{
	char was[OW_UBF_DETAIL_MAX], *detail = ow_ubf_err_detail();
	va_list ap;
	size_t n;

	snprintf(was, sizeof(was), "%s", detail_text());
	va_start(ap, format);
	vsnprintf(detail, OW_UBF_DETAIL_MAX / 2, format, ap);
	va_end(ap);
	n = strlen(detail);
	snprintf(detail + n, OW_UBF_DETAIL_MAX - n, "%s", was);
	return -1;
}

int ow_ubf_fail_at(unsigned int line)
{
	return ow_ubf_fail_in("line %u: ", line);
}

char *Becodestr(int err)
{
	if (err < BMINVAL || err > BMAXVAL)
		return (char *)"unknown error";
	return (char *)names[err];
}

char *Bstrerror(int err)
{
	static __thread void *t_text;
	const size_t size = OW_UBF_DETAIL_MAX + 64;
	char *text = ow_thread_memory(&t_text, size);

	if (err == ow_ubf_err.code && err != BMINVAL)
		snprintf(text, size, "%d:%s (last error %d: %s)", err,
			 Becodestr(err), err, detail_text());
	else
		snprintf(text, size, "%d:%s", err, Becodestr(err));
	return text;
}

void B_error(char *str)
{
	OW_UNCANCELLED;

	fprintf(stderr, "%s: %s\n", str != NULL ? str : "",
		Bstrerror(ow_ubf_err.code));
}
