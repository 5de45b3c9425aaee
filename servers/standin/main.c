/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a process under the name of a server whose work is done elsewhere
 *
 * Configurations of Enduro/X name cpmsrv, exsinglesv and others. Their work is
 * ndrxd's, tpevsrv's or tmsrv's here. This program runs under each of these names,
 * so that listings show it, scripts that wait for it go on, and it starts, stops
 * and restarts as any server. Under the name cconfsrv it answers @CCONF
 * (configuration.h). The options of the application are accepted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmisrv/own.h"
#include "servers/standin/configuration.h"

/* The service that the listings show. */
static const struct {
	const char *program, *service;
} names[] = {
	{ "cpmsrv", "@CPMSVC" },
	{ "tpbrdcstsv", "@TPBRDCST" },
	{ "tpcachesv", "@CACHEEV" },
	{ "tmrecoversv", "@TMRECOVER" },
	{ "exsinglesv", "@SGLOC" },
	{ "exsingleckl", "@SGLOC" },
	{ "exsingleckr", "@SGREM" },
};

/* Nobody calls these services here. */
static void refuse(TPSVCINFO *svc)
{
	(void)svc;
	tpreturn(TPFAIL, 0, NULL, 0, 0);
}

/* The service's name, with the node where others have it so. */
static void name_of(size_t i, char name[XATMI_SERVICE_NAME_LENGTH + 1])
{
	if (names[i].service[1] == 'C' && names[i].service[2] == 'P')
		snprintf(name, XATMI_SERVICE_NAME_LENGTH + 1, "%s",
			 names[i].service);
	else
		snprintf(name, XATMI_SERVICE_NAME_LENGTH + 1, "%s%03ld",
			 names[i].service, tpgetnodeid());
}

int tpsvrinit(int argc, char **argv)
{
	char name[XATMI_SERVICE_NAME_LENGTH + 1];

	(void)argc;
	(void)argv;
	if (strcmp(program_invocation_short_name, "cconfsrv") == 0)
		return ow_advertise_own("@CCONF", configuration_answer);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(program_invocation_short_name, names[i].program) !=
		    0)
			continue;
		name_of(i, name);
		return ow_advertise_own(name, refuse);
	}
	return 0;
}

void tpsvrdone(void)
{
}
