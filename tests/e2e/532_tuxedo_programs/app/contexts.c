/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contexts.c - tpinit() with TPMULTICONTEXTS makes another context each time
 */
#include "tell.h"

static void echo(void)
{
	char *p = tpalloc((char *)"STRING", NULL, 20);
	long len;

	strcpy(p, "text");
	IS(tpcall((char *)"ECHO", p, 0, &p, &len, 0) == 0);
	IS(strcmp(p, "text") == 0);
	tpfree(p);
}

int main(void)
{
	TPINIT *info = (TPINIT *)tpalloc((char *)"TPINIT", NULL,
					 TPINITNEED(0));
	TPCONTEXT_T first = 0, second = 0, here = 0;
	int cd;

	info->flags = TPMULTICONTEXTS;
	IS(tpgetctxt(&here, 0) != -1 && here == TPNULLCONTEXT);
	IS(tpinit(info) == 0 && tpgetctxt(&first, 0) != -1);
	cd = tpacall((char *)"ECHO", NULL, 0, 0);
	IS(cd > 0);
	IS(tpinit(info) == 0 && tpgetctxt(&second, 0) != -1);
	IS(first != TPNULLCONTEXT && second != TPNULLCONTEXT);
	IS(first != second);
	echo();
	/* Without the flag nobody joins any more. */
	IS(tpinit(NULL) == -1 && tperrno == TPEPROTO);
	IS(tpsetctxt(TPNULLCONTEXT, 0) == 0);
	IS(tpinit(NULL) == -1 && tperrno == TPEPROTO);
	IS(tpsetctxt(second, 0) == 0);
	echo();
	IS(tpsetctxt(first, 0) == 0);
	IS(tpcancel(cd) == 0); /* it is this context's */
	IS(tpcancel(cd) == -1 && tperrno == TPEBADDESC);
	echo();
	IS(tpterm() == 0);
	IS(tpgetctxt(&here, 0) != -1 && here == TPNULLCONTEXT);
	IS(tpsetctxt(first, 0) == -1 && tperrno == TPENOENT);
	IS(tpsetctxt(second, 0) == 0);
	echo();
	IS(tpterm() == 0);
	/* Without the flag a second tpinit() changes nothing. */
	info->flags = 0;
	IS(tpinit(info) == 0 && tpgetctxt(&first, 0) != -1);
	IS(tpinit(info) == 0 && tpgetctxt(&second, 0) != -1);
	IS(first == second);
	tpterm();
	tpfree((char *)info);
	return wrong;
}
