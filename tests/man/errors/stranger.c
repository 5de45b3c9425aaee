/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stranger.c - errors of a client that has not logged in
 *
 * domain: guarded
 */
#include "tests/man/errors/errors.h"

#include <signal.h>
#include <tpbind.h>

static TPINIT *anna(const char *password)
{
	TPINIT *p = (TPINIT *)tpalloc("TPINIT", NULL, TPINITNEED(0));

	EXPECT(p != NULL);
	strcpy(p->usrname, "anna");
	strcpy(p->passwd, password);
	return p;
}

/* The gate, which checks logins, is stopped. */
static void without_an_answer(void)
{
	TPINIT *p = anna("secret");
	pid_t gate = (pid_t)atoi(getenv("GATE_PID"));

	EXPECT(gate > 1 && kill(gate, SIGSTOP) == 0);
	FAILS(TPETIME, tpinit(p));
	EXPECT(kill(gate, SIGCONT) == 0);
	EXPECT(tpinit(p) == 0);
}

int main(void)
{
	char *data = text("hello"), *reply = NULL;
	long len;

	FAILS(TPEPERM, tpcall("ECHO", data, 0, &reply, &len, 0));
	FAILS(TPEPERM, tpacall("ECHO", data, 0, 0));
	FAILS(TPEPERM, tpreplyfd());
	FAILS(TPEPERM, tpconnect("ECHO", NULL, 0, TPSENDONLY));
	FAILS(TPEPERM, tppost("NEWS", data, 0, 0));
	FAILS(TPEPERM, tpbroadcast(NULL, NULL, NULL, data, 0, 0));
	FAILS(TPEPERM, tpinit(NULL));
	FAILS(TPEPERM, tpinit(anna("wrong"))); /* the gate listens by now */
	with("NDRX_TOUT=1", without_an_answer);
	return wrong;
}
