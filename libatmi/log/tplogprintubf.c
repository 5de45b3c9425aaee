/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogprintubf.c - a UBF buffer in the debug log, one line per field
 */
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/log/emit.h"
#include "libatmi/log/log.h"
#include "libubf/base/cleanup.h"

static void emit(int lev, const char *text)
{
	ow_log_emit(OW_LOG_TP, lev, "", 0, "", text);
}

void tplogprintubf(int lev, char *title, UBFH *p_ub)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	FILE *fp;
	char *pos, *line;
	size_t size = 0;

	if (!ow_ndebug_on(OW_LOG_TP, lev))
		return;
	emit(lev, title != NULL ? title : "buffer");
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
			emit(lev, line);
}
