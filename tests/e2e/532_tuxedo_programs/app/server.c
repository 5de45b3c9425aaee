/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - services that answer in the ways that programs have to know
 */
#include <stdio.h>
#include <string.h>
#include "atmi.h"
#include "userlog.h"

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

void tpsvrdone(void)
{
}

void ECHO(TPSVCINFO *rqst)
{
	tpreturn(TPSUCCESS, 0, rqst->data, rqst->len, 0);
}

void NODATA(TPSVCINFO *rqst)
{
	(void)rqst;
	tpreturn(TPSUCCESS, 5, NULL, 0L, 0);
}

void NOLUCK(TPSVCINFO *rqst)
{
	(void)rqst;
	tpreturn(TPFAIL, 6, NULL, 0L, 0);
}

void CONV(TPSVCINFO *rqst)
{
	long event;

	if (rqst->flags & TPSENDONLY)
		tpsend(rqst->cd, NULL, 0L, 0, &event);
	tpreturn(TPSUCCESS, 7, NULL, 0L, 0);
}
