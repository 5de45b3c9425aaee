/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_logs.c - services of the test server that log
 */
#include <ndebug.h>

#include "common.h"
#include "testsv.h"

/* Log the text and return. */
void svc_say(TPSVCINFO *s)
{
	TP_LOG(log_info, "%s", text(s));
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

/* Log the text as a UBF buffer. */
void svc_print(TPSVCINFO *s)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);

	Bchg(p, Bmkfldid(BFLD_STRING, 10003), 0, s->data, 0);
	tplogprintubf(log_info, "printed", p);
	tpfree((char *)p);
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
}

/* Log to the file that the request names. */
void svc_logreq(TPSVCINFO *s)
{
	char *p = s->data;

	if (tplogsetreqfile(&p, NULL, NULL) != 0)
		tpreturn(TPFAIL, tperrno, p, 0, 0);
	TP_LOG(log_info, "server %d in the request", tpgetsrvid());
	tplogclosereqfile();
	TP_LOG(log_info, "server %d outside", tpgetsrvid());
	tpreturn(TPSUCCESS, 0, p, 0, 0);
}

/* Name a file for the request: "named.req". */
void svc_namefile(TPSVCINFO *s)
{
	char *p = s->data;

	tplogsetreqfile(&p, "named.req", NULL);
	tplogclosereqfile();
	tpreturn(TPSUCCESS, 0, p, 0, 0);
}
