/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print_ubf.c - a UBF buffer in the debug log, one line per field
 */
#include <stdio.h>
#include <string.h>
#include <ubfutil.h>
#include <xatmi.h>

#include "libatmi/base/plugins.h"
#include "libatmi/log/emit.h"
#include "libatmi/log/log.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/uncancelled.h"

/* A plugin may change the line, or leave it out. */
static void put_line(int fac, int lev, const char *line)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	const struct ow_plugins *p = ow_plugins();
	int do_write = 1;

	if (p->print_hook == NULL) {
		ow_log_emit(fac, lev, "", 0, "", line);
		return;
	}
	if (asprintf(&text, "%s\n", line) < 0) {
		text = NULL;
		return;
	}
	if (p->print_hook(&text, (long)strlen(text), NULL, &do_write, stderr,
			  0) != 0 ||
	    !do_write || text == NULL)
		return;
	text[strcspn(text, "\n")] = '\0';
	ow_log_emit(fac, lev, "", 0, "", text);
}

static void print_ubf(int fac, int lev, const char *title, UBFH *p_ub)
{
	OW_UNCANCELLED;
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	FILE *fp;
	char *pos, *line;
	size_t size = 0;

	if (!ow_ndebug_on(fac, lev))
		return;
	ow_log_emit(fac, lev, "", 0, "", title != NULL ? title : "buffer");
	if (p_ub == NULL)
		return;
	fp = open_memstream(&text, &size);
	if (fp == NULL)
		return;
	if (Bfprint(p_ub, fp) < 0)
		fprintf(fp, "not a UBF buffer: %s\n", Bstrerror(Berror));
	if (fclose(fp) != 0 || text == NULL)
		return;
	pos = text;
	while ((line = strsep(&pos, "\n")) != NULL)
		if (line[0] != '\0')
			put_line(fac, lev, line);
}

void tplogprintubf(int lev, char *title, UBFH *p_ub)
{
	print_ubf(OW_LOG_TP, lev, title, p_ub);
}

void ndrx_debug_dump_UBF(int lev, char *title, UBFH *p_ub)
{
	print_ubf(OW_LOG_NDRX, lev, title, p_ub);
}
