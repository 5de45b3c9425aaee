/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a process under the name of a server whose work is done elsewhere
 *
 * Configurations of Enduro/X name cpmsrv, exsinglesv and others. Their work is
 * ndrxd's, tpevsrv's or tmsrv's here. This program runs under each of these names,
 * so that listings show it, scripts that wait for it go on, and it starts, stops
 * and restarts as any server; the userlog says once who does the work, and
 * which options have no effect. Under the name cconfsrv it answers @CCONF
 * (configuration.h).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>
#include <xatmi.h>

#include "libatmisrv/own.h"
#include "servers/standin/configuration.h"

/* The service that the listings show, and whose work it is. */
static const struct standin {
	const char *program, *service, *instead;
} names[] = {
	{ "cpmsrv", "@CPMSVC", "ndrxd starts and watches the clients of "
			       "<clients>" },
	{ "tpbrdcstsv", "@TPBRDCST", "bridges deliver tpnotify() and "
				     "tpbroadcast() of other nodes" },
	{ "tpcachesv", "@CACHEEV", "cache=\"...\" of a <service> keeps answers, "
				   "ndrxd and bridges drop them" },
	{ "tmrecoversv", "@TMRECOVER", "each tmsrv rolls back orphaned branches "
				       "of its resource manager, every 2 s or "
				       "as its -s says" },
	{ "exsinglesv", "@SGLOC", "ndrxd holds the lock files of process "
				  "groups" },
	{ "exsingleckl", "@SGLOC", "ndrxd checks the lock files of process "
				   "groups" },
	{ "exsingleckr", "@SGREM", "bridges tell which node has the lock of a "
				   "process group" },
};

/* Nobody calls these services here. */
static void refuse(TPSVCINFO *svc)
{
	(void)svc;
	tpreturn(TPFAIL, 0, NULL, 0, 0);
}

/* The service's name, with the node where others have it so. */
static void name_of(const struct standin *of,
		    char name[XATMI_SERVICE_NAME_LENGTH + 1])
{
	if (strcmp(of->program, "cpmsrv") == 0)
		snprintf(name, XATMI_SERVICE_NAME_LENGTH + 1, "%s",
			 of->service);
	else
		snprintf(name, XATMI_SERVICE_NAME_LENGTH + 1, "%s%03ld",
			 of->service, tpgetnodeid());
}

/* What the options of the application were to change is not there. */
static void say(const struct standin *of, int argc, char **argv)
{
	char options[256] = "";
	size_t n = 0;

	for (int i = optind; i < argc && n < sizeof(options); i++)
		n += (size_t)snprintf(options + n, sizeof(options) - n, " %s",
				      argv[i]);
	userlog("%s: %s; this process stands for it in listings%s%s", of->program,
		of->instead, n > 0 ? "; without effect:" : "", options);
}

int tpsvrinit(int argc, char **argv)
{
	char name[XATMI_SERVICE_NAME_LENGTH + 1];

	if (strcmp(program_invocation_short_name, "cconfsrv") == 0)
		return ow_advertise_own("@CCONF", configuration_answer);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(program_invocation_short_name, names[i].program) !=
		    0)
			continue;
		say(&names[i], argc, argv);
		name_of(&names[i], name);
		return ow_advertise_own(name, refuse);
	}
	return 0;
}

void tpsvrdone(void)
{
}
