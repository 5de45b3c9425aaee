/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_unsol.c - services of the test server about unsolicited messages and
 * events
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testsv.h"

/* Send the caller the numbers from 1 to the one it has sent. */
void svc_notify(TPSVCINFO *s)
{
	char *b = tpalloc("STRING", NULL, 32);
	long i, n = atol(text(s));

	for (i = 1; i <= n; i++) {
		snprintf(b, 32, "%ld", i);
		if (tpnotify(&s->cltid, b, 0, 0) != 0)
			tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	}
	tpfree(b);
	answer_number(n);
}

static CLIENTID kept;

/* Keep the caller's id. */
void svc_keepid(TPSVCINFO *s)
{
	kept = s->cltid;
	answer(TPSUCCESS, 0, kept.clientdata);
}

/* Send the request to the client whose id was kept; tperrno of that. */
void svc_tell(TPSVCINFO *s)
{
	int r = tpnotify(&kept, s->data, s->len, TPNOBLOCK);

	answer_number(r == 0 ? 0 : tperrno);
}

/* "EXPR FILTER SERVICE FLAGS"; "-": NULL. The id, or tperrno. */
void svc_subscribe(TPSVCINFO *s)
{
	char expr[300] = "", filter[300] = "", svc[64] = "";
	TPEVCTL ctl = { .flags = 0 };
	long id;

	sscanf(text(s), "%299s %299s %63s %ld", expr, filter, svc, &ctl.flags);
	snprintf(ctl.name1, sizeof(ctl.name1), "%.30s", svc);
	id = tpsubscribe(expr, strcmp(filter, "-") == 0 ? NULL : filter,
			 strcmp(svc, "-") == 0 ? NULL : &ctl, 0);
	if (id < 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	answer_number(id);
}

void svc_unsubscribe(TPSVCINFO *s)
{
	int n = tpunsubscribe(atol(text(s)), 0);

	if (n < 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	answer_number(n);
}

/* What a server gets from tpsetunsol() and tpchkunsol(): 0, both refuse. */
void svc_listen(TPSVCINFO *s)
{
	bool refused = tpsetunsol(NULL) == TPUNSOLERR && tperrno == TPEPROTO;
	int came = tpchkunsol();

	(void)s;
	refused = refused && came == -1 && tperrno == TPEPROTO;
	answer_number(!refused && came == 0);
}
