/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stranger.c - errors of a client that has not logged in
 *
 * domain: guarded
 */
#include "tests/man/errors/errors.h"

int main(void)
{
	char *data = text("hello"), *reply = NULL;
	long len;

	FAILS(TPEPERM, tpcall("ECHO", data, 0, &reply, &len, 0));
	FAILS(TPEPERM, tpacall("ECHO", data, 0, 0));
	FAILS(TPEPERM, tpconnect("ECHO", NULL, 0, TPSENDONLY));
	FAILS(TPEPERM, tppost("NEWS", data, 0, 0));
	FAILS(TPEPERM, tpbroadcast(NULL, NULL, NULL, data, 0, 0));
	FAILS(TPEPERM, tpinit(NULL));
	return wrong;
}
