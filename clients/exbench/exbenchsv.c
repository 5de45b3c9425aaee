/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exbenchsv.c - exbenchsv: a server that answers each request with its data
 *
 * Services: EXBENCH, or with -N COUNT EXBENCH001 to EXBENCH<COUNT>; -s NAME
 * instead of EXBENCH. These options stand behind "--".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <atmi.h>
#include <userlog.h>

static void echo(TPSVCINFO *request)
{
	tpreturn(TPSUCCESS, 0, request->data, request->len, 0);
}

static int advertise(const char *name)
{
	if (tpadvertise((char *)name, echo) == 0)
		return 0;
	userlog("%s is not advertised: %s", name, tpstrerror(tperrno));
	return -1;
}

int tpsvrinit(int argc, char **argv)
{
	const char *base = "EXBENCH";
	char name[XATMI_SERVICE_NAME_LENGTH + 1];
	long i, count = 0;
	int c;

	while ((c = getopt(argc, argv, "s:N:")) != -1) {
		if (c == 's')
			base = optarg;
		else if (c == 'N')
			count = atol(optarg);
		else
			return -1;
	}
	if (count <= 0)
		return advertise(base);
	for (i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), "%s%03ld", base, i);
		if (advertise(name) != 0)
			return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
}
