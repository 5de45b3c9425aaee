/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nerror.c - Nerror and its texts, for each thread
 */
#include "libatmi/base/nerror.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/tls.h"
#include "libubf/base/threadmem.h"

struct texts {
	char detail[OW_N_DETAIL];
	char text[OW_N_DETAIL + 64];
};

static OW_TLS_FAST int t_err;
static __thread void *t_texts;

static struct texts *texts(void)
{
	return ow_thread_memory(&t_texts, sizeof(struct texts));
}

static const char *const names[NMAXVAL + 1] = {
	[NMINVAL] = "NMINVAL",	 [NEINVALINI] = "NEINVALINI",
	[NEMALLOC] = "NEMALLOC", [NEUNIX] = "NEUNIX",
	[NEINVAL] = "NEINVAL",	 [NESYSTEM] = "NESYSTEM",
	[NEMANDATORY] = "NEMANDATORY", [NEFORMAT] = "NEFORMAT",
	[NETOUT] = "NETOUT",	 [NENOCONN] = "NENOCONN",
	[NELIMIT] = "NELIMIT", [NEPLUGIN] = "NEPLUGIN",
	[NENOSPACE] = "NENOSPACE", [NEINVALKEY] = "NEINVALKEY",
	[NENOENT] = "NENOENT", [NEWRITE] = "NEWRITE",
	[NEEXEC] = "NEEXEC", [NESUPPORT] = "NESUPPORT",
	[NEEXISTS] = "NEEXISTS", [NEVERSION] = "NEVERSION",
};

int *_Nget_Nerror_addr(void)
{
	return &t_err;
}

int ow_n_fail(int nerr, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(texts()->detail, OW_N_DETAIL, fmt, ap);
	va_end(ap);
	t_err = nerr;
	return -1;
}

void ow_n_state_take(struct ow_n_state *s)
{
	s->err = t_err;
	if (s->err != NMINVAL)
		memcpy(s->detail, texts()->detail, sizeof(s->detail));
	t_err = NMINVAL;
}

void ow_n_state_put(const struct ow_n_state *s)
{
	t_err = s->err;
	if (s->err != NMINVAL)
		memcpy(texts()->detail, s->detail, sizeof(s->detail));
}

char *Necodestr(int err)
{
	if (err < 0 || err > NMAXVAL)
		return (char *)"unknown";
	return (char *)names[err];
}

char *Nstrerror(int err)
{
	struct texts *t = texts();

	if (err != NMINVAL && err == t_err)
		snprintf(t->text, sizeof(t->text), "%d:%s (last error %d: %s)",
			 err, Necodestr(err), err, t->detail);
	else
		snprintf(t->text, sizeof(t->text), "%d:%s", err,
			 Necodestr(err));
	return t->text;
}
