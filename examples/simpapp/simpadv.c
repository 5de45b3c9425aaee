/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simpadv.c - simpapp, the server without a table: it advertises itself
 *
 *	buildserver -o simpadv -f simpadv.c
 */
#include <ctype.h>
#include <atmi.h>
#include <userlog.h>

static void upper(TPSVCINFO *request)
{
	char *p;

	for (p = request->data; p != NULL && *p != '\0'; p++)
		*p = (char)toupper((unsigned char)*p);
	tpreturn(TPSUCCESS, 0, request->data, 0L, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("TOUPPER", upper) == -1) {
		userlog("TOUPPER is not advertised: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}
