/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.c - Nerror and its texts, for each thread
 */
#include "libatmi/base/nerror.h"

#include <stdarg.h>
#include <stdio.h>

#define DETAIL_SIZE 256

static __thread struct {
	int err;
	char detail[DETAIL_SIZE];
	char text[DETAIL_SIZE + 64];
} t_last;

static const char *const names[NMAXVAL + 1] = {
	[NMINVAL] = "NMINVAL",	 [NEINVALINI] = "NEINVALINI",
	[NEMALLOC] = "NEMALLOC", [NEUNIX] = "NEUNIX",
	[NEINVAL] = "NEINVAL",	 [NESYSTEM] = "NESYSTEM",
	[NEMANDATORY] = "NEMANDATORY", [NEFORMAT] = "NEFORMAT",
};

int *_Nget_Nerror_addr(void)
{
	return &t_last.err;
}

int ow_n_fail(int nerr, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t_last.detail, sizeof(t_last.detail), fmt, ap);
	va_end(ap);
	t_last.err = nerr;
	return -1;
}

char *Necodestr(int err)
{
	if (err < 0 || err > NMAXVAL)
		return (char *)"unknown";
	return (char *)names[err];
}

char *Nstrerror(int err)
{
	if (err != NMINVAL && err == t_last.err)
		snprintf(t_last.text, sizeof(t_last.text),
			 "%d:%s (last error %d: %s)", err, Necodestr(err), err,
			 t_last.detail);
	else
		snprintf(t_last.text, sizeof(t_last.text), "%d:%s", err,
			 Necodestr(err));
	return t_last.text;
}
