/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - a server whose services are functions of Go
 *
 * Services return (no longjmp() goes through frames of Go), and may run in
 * dispatch threads: the library starts as many as it is told.
 */
#include "bridge.h"

#include <atmi.h>
#include <ndebug.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "_cgo_export.h"

static int init(int argc, char **argv, void *data)
{
	(void)argc;
	(void)argv;
	(void)data;
	return goServerInit();
}

static void done(void *data)
{
	(void)data;
	goServerDone();
}

static int tick(void *data)
{
	(void)data;
	goServerTick();
	return 0;
}

int gow_period(int seconds)
{
	return tpext_addperiod_cb(seconds, tick, NULL);
}

static void serve(TPSVCINFO *info, void *number)
{
	goServe((uintptr_t)number, info);
}

/* Go's runtime has handlers for all signals; the library wants to stop in good
 * order on these two, and catches them if nobody has. */
int gow_serve(int argc, char **argv)
{
	struct tpserver server = { .init = init,
				   .done = done,
				   .flags = TPSERVER_THREADS };

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	return tprunserver(argc, argv, &server);
}

int gow_advertise(const char *svc, uintptr_t number, char text[GOW_TEXT])
{
	/* A number, not a pointer: Go's memory may move. */
	if (tpadvertise_cb((char *)svc, serve, (void *)number) == 0)
		return 0;
	tplasterror(text, GOW_TEXT, NULL);
	return -1;
}

int gow_answer(TPSVCINFO *info, struct gow_in in, int fails,
	       long urcode, long flags, const char *forward,
	       char text[GOW_TEXT])
{
	char *data = NULL;

	if ((in.kind == GOW_UBF || in.kind == GOW_UBF_OF_JSON) &&
	    info->data != NULL && gow_is_ubf(info->data))
		data = info->data;
	if (gow_make(&data, in, text) != 0)
		return -1;
	if (forward != NULL)
		tpforward((char *)forward, data, in.len, 0);
	else
		tpreturn(fails ? TPFAIL : TPSUCCESS, urcode, data, in.len,
			 flags);
	return 0;
}

void gow_log(int level, const char *text)
{
	tplog(level, (char *)text);
}
