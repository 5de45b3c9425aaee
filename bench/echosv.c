/* SPDX-License-Identifier: Apache-2.0 */
/*
 * echosv.c - a server without work: ECHO returns its data, SINK is for
 * one-way requests
 */
#include <atmi.h>
#include <userlog.h>

void ECHO(TPSVCINFO *svc);
void SINK(TPSVCINFO *svc);

void ECHO(TPSVCINFO *svc)
{
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

void SINK(TPSVCINFO *svc)
{
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("ECHO", ECHO) == -1 ||
	    tpadvertise("SINK", SINK) == -1) {
		userlog("echosv: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
}
