/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.c - start a server with callbacks and tables as arguments
 *
 * For programs with a main() of their own, and for those that buildserver
 * makes. ndrx_main.c starts a server whose callbacks have their standard
 * names.
 */
#include <stddef.h>
#include <tpbind.h>
#include <userlog.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/xa/driver.h"
#include "libatmisrv/life.h"
#include "libatmisrv/server.h"

static struct tmsvrargs_t *svrargs;

#pragma GCC visibility push(default)

int (*G_tpsvrinit__)(int, char **);
void (*G_tpsvrdone__)(void);

#pragma GCC visibility pop

int ndrx_main_integra(int argc, char **argv,
		      int (*in_tpsvrinit)(int, char **),
		      void (*in_tpsvrdone)(void), long flags)
{
	struct ow_program p = { .init = in_tpsvrinit,
				.done = in_tpsvrdone,
				.thrinit = tpsvrthrinit,
				.thrdone = tpsvrthrdone,
				.no_longjmp =
				    (flags & ATMI_SRVLIB_NOLONGJUMP) != 0 };

	return ow_server_run(argc, argv, &p);
}

int tprunserver(int argc, char **argv, const struct tpserver *server)
{
	struct ow_program p = { .with = server };

	ow_tp_clear();
	if (server == NULL || argc < 1 || argv == NULL)
		return ow_tp_fail(TPEINVAL, server == NULL
						? "server is NULL"
						: "there is no command line");
	p.no_longjmp = (server->flags & TPSERVER_LONGJMP) == 0;
	if (server->flags & TPSERVER_THREADS)
		_tmbuilt_with_thread_option = 1;
	return ow_server_run(argc, argv, &p);
}

int _tmstartserver(int argc, char **argv, struct tmsvrargs_t *args)
{
	struct ow_program p = { 0 };

	ow_tp_clear();
	if (args == NULL)
		return ow_tp_fail(TPEINVAL, "tmsvrargs is NULL");
	svrargs = args;
	if (args->xa_switch != NULL)
		ow_xa_provide(args->xa_switch);
	p.init = args->p_tpsvrinit != NULL ? args->p_tpsvrinit
		 : G_tpsvrinit__ != NULL   ? G_tpsvrinit__
					   : args->p_tpsvrthrinit;
	p.done = args->p_tpsvrdone != NULL ? args->p_tpsvrdone
		 : G_tpsvrdone__ != NULL   ? G_tpsvrdone__
					   : args->p_tpsvrthrdone;
	p.thrinit = args->p_tpsvrthrinit;
	p.thrdone = args->p_tpsvrthrdone;
	p.builtin = args->svctab;
	p.no_longjmp = (args->flags & ATMI_SRVLIB_NOLONGJUMP) != 0;
	return ow_server_run(argc, argv, &p);
}

int _tmrunserver(int flags)
{
	(void)flags; /* the loop runs inside _tmstartserver() */
	return 0;
}

int tprminit(char *rmname, void *arg)
{
	(void)rmname; /* the resource manager is opened by tpopen() */
	(void)arg;
	return 0;
}

struct tmsvrargs_t *_tmgetsvrargs(void)
{
	return svrargs;
}

/* ---- what a program leaves out ---- */

/* As documented: tpopen(). A program without a resource manager, or with one that
 * is not configured, starts all the same. */
__attribute__((weak)) int tpsvrthrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpopen() == 0 || tperrno != TPERMERR) {
		ow_tp_clear();
		return 0;
	}
	userlog((char *)"tpsvrthrinit(): tpopen(): %s", tpstrerror(tperrno));
	return -1;
}

__attribute__((weak)) void tpsvrthrdone(void)
{
}
