/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer.c - lines of text on their way out
 */
#include "libubf/io/printer.h"

#include "libubf/base/error.h"
#include "libubf/base/uncancelled.h"

int ow_printer_flush(struct ow_printer *p)
{
	OW_UNCANCELLED;
	size_t n = fwrite(p->text, 1, p->len, p->file);

	if (n != p->len)
		return -EIO;
	p->len = 0;
	return 0;
}

/* Without field tables, ids are printed instead of names. */
int ow_printer_run(const struct ow_printer_job *job)
{
	struct ow_printer p = { .file = job->file,
				.line = job->line,
				.arg = job->arg };
	char error[OW_TABFILE_ERROR_MAX];
	int r;

	p.cap = 2 * OW_PRINTER_PIECE;
	p.text = malloc(p.cap);
	if (p.text == NULL)
		return ow_ubf_fail(BMALLOC, "Bfprint: out of memory");
	if (ow_fldtbl_get(&p.names, error) < 0)
		p.names = NULL;
	r = job->level(&p, job->what);
	if (r == 0 && job->line == NULL)
		r = ow_printer_flush(&p);
	free(p.text);
	if (r == -ECANCELED)
		return ow_ubf_fail(BEINVAL, "Bfprintcb: the function failed");
	if (r == -EIO)
		return ow_ubf_fail(BEUNIX, "Bfprint: cannot write: %s",
				   strerror(errno));
	return r < 0 ? ow_ubf_fail_errno(r, "Bfprint") : 0;
}
