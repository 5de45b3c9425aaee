/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simpserv.c - simpapp, a server: TOUPPER answers a string in upper case
 *
 *	buildserver -o simpserv -f simpserv.c -s TOUPPER
 */
#include <ctype.h>
#include <stdio.h>
#include <atmi.h>
#include <userlog.h>

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	userlog("The simple server is ready");
	return 0;
}

void TOUPPER(TPSVCINFO *request)
{
	char *p;

	for (p = request->data; p != NULL && *p != '\0'; p++)
		*p = (char)toupper((unsigned char)*p);
	tpreturn(TPSUCCESS, 0, request->data, 0L, 0);
}
