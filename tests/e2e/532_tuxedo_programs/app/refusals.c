/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusals.c - numbers of errors as the manual pages of Tuxedo have them
 */
#include "tell.h"

static void directions(void)
{
	IS(tpconnect((char *)"CONV", NULL, 0, 0) == -1);
	IS(tperrno == TPEINVAL);
	IS(tpconnect((char *)"CONV", NULL, 0, TPSENDONLY | TPRECVONLY) == -1);
	IS(tperrno == TPEINVAL);
}

static void texts(void)
{
	char *p = tpalloc((char *)"STRING", NULL, 20), text[200], *back;
	long n = 3;

	strcpy(p, "text");
	IS(tpexport(p, 0, text, &n, TPEX_STRING) == -1);
	IS(tperrno == TPELIMIT);
	IS(n > 3 && n < (long)sizeof(text));
	IS(tpexport(p, 0, text, &n, TPEX_STRING) == 0);
	/* Without a length it is a string, whatever the flags. */
	back = tpalloc((char *)"CARRAY", NULL, 20);
	IS(tpimport(text, 0, &back, NULL, 0) == 0);
	IS(strcmp(back, "text") == 0);
	IS(tpimport((char *)"?!", 0, &back, NULL, 0) == -1);
	IS(tperrno == TPEPROTO);
	IS(strcmp(back, "text") == 0);
}

int main(void)
{
	directions();
	texts();
	tpterm();
	return wrong;
}
