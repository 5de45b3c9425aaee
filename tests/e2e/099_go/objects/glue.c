/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glue.c - what a binding of the object API has in C
 *
 * Ondrx_main() runs the callbacks in G_tpsvrinit__ and G_tpsvrdone__. A service
 * takes the context off its thread, and hands the handle to Go.
 */
#include <limits.h>
#include <oatmisrv_integra.h>
#include <ondebug.h>
#include <stdio.h>

#include "_cgo_export.h"

static int init(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return goInit();
}

static void done(void)
{
	goDone();
}

int run_server(TPCONTEXT_T *ctx, int argc, char **argv)
{
	G_tpsvrinit__ = init;
	G_tpsvrdone__ = done;
	return Ondrx_main(ctx, argc, argv);
}

void service_entry(TPSVCINFO *info)
{
	TPCONTEXT_T ctx = TPNULLCONTEXT;

	if (tpgetctxt(&ctx, 0) == -1 || tpsetctxt(TPNULLCONTEXT, 0) == -1)
		userlog("no context: %s", tpstrerror(tperrno));
	ONDRX_LOG(&ctx, log_debug, "thread's pointer %p", (void *)G_atmi_tls);
	goDispatch((GoUintptr)ctx, info);
	tpsetctxt(ctx, 0);
}

long sizes(int which)
{
	const long all[] = { NDRX_MSGSIZEMAX, ndrx_msgsizemax(),
			     EX_SIZEOF_LONG,  PATH_MAX,
			     EXSUCCEED,	      EXFAIL,
			     EXTRUE,	      EXFALSE };

	return all[which];
}
