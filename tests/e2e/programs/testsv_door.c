/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_door.c - services of the test server about who calls
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "testsv.h"

/* LETIN: the service of <security authsvc=>: whoever gives the number 7 as data
 * comes in, with the length of the name as application key. */
void svc_letin(TPSVCINFO *s)
{
	TPINIT init;
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];

	if (s->len != (long)sizeof(init) ||
	    tptypes(s->data, type, sub) < 0 || strcmp(type, "CARRAY") != 0)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	memcpy(&init, s->data, sizeof(init));
	if (strcmp(init.usrname, "slow") == 0)
		sleep(3);
	tpreturn(init.data == 7 ? TPSUCCESS : TPFAIL,
		 (long)strlen(init.usrname), NULL, 0, 0);
}

/* APPKEY: the application key of the caller. */
void svc_appkey(TPSVCINFO *s)
{
	answer_number(s->appkey);
}
