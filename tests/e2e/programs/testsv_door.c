/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_door.c - services of the test server about who calls
 */
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <tpbind.h>
#include <unistd.h>

#include "common.h"
#include "testsv.h"

/* LETIN: the service of <security authsvc=>: whoever gives the number 7 as data
 * comes in, with the length of the name as application key; whoever gives a text as
 * data that begins with "sesame", with the length of that, if all of it is there. */
void svc_letin(TPSVCINFO *s)
{
	TPINIT init;
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];
	const char *text = s->data + offsetof(TPINIT, data);

	if (s->len < (long)sizeof(init) ||
	    tptypes(s->data, type, sub) < 0 || strcmp(type, "CARRAY") != 0)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	memcpy(&init, s->data, sizeof(init));
	if (strncmp(text, "sesame", 6) == 0)
		tpreturn(s->len - (long)offsetof(TPINIT, data) == init.datalen ||
				 init.datalen <= 8
			     ? TPSUCCESS : TPFAIL, init.datalen, NULL, 0, 0);
	if (s->len != (long)sizeof(init))
		tpreturn(TPFAIL, 0, NULL, 0, 0);
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

struct aside {
	const char *service;
	int err;
};

static void *call_aside(void *arg)
{
	struct aside *a = arg;
	char *b = tpalloc((char *)"STRING", NULL, 8);
	long len;

	strcpy(b, "x");
	a->err = tpcall((char *)a->service, b, 0, &b, &len, 0) == 0 ? 0
								    : tperrno;
	tpfree(b);
	tpterm();
	return NULL;
}

/* ASIDE SERVICE: a thread of this server calls it; its error. */
void svc_aside(TPSVCINFO *s)
{
	struct aside a = { .service = s->data };
	pthread_t t;

	pthread_create(&t, NULL, call_aside, &a);
	pthread_join(t, NULL);
	answer_number(a.err);
}

/* ANYOF ONE OTHER TEXT: call ONE with the name of this service, and OTHER with
 * the text; return with the first reply. */
void svc_anyof(TPSVCINFO *s)
{
	char one[32] = "", other[32] = "", rest[32] = "";
	char *b = tpalloc((char *)"STRING", NULL, 64);
	int cd;
	long len;

	sscanf(s->data, "%31s %31s %31s", one, other, rest);
	snprintf(b, 64, "%s x", s->name);
	tpacall(one, b, 0, 0);
	strcpy(b, rest);
	tpacall(other, b, 0, 0);
	tpreturn(tpgetrply(&cd, &b, &len, TPGETANY) == 0 ? TPSUCCESS : TPFAIL,
		 0, b, 0, 0);
}

/* CHILDCALL SERVICE: a forked child of this server calls it; its error. */
void svc_childcall(TPSVCINFO *s)
{
	struct aside a = { .service = s->data };
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		call_aside(&a);
		_exit(a.err);
	}
	waitpid(child, &status, 0);
	answer_number(WEXITSTATUS(status));
}

/* CALLFOR NAME SERVICE: a context of its own calls it for NAME ("-": for the
 * server itself, "~": for nobody), one way first; the reply, or the number of the error. */
void svc_callfor(TPSVCINFO *s)
{
	TPCONTEXT_T mine = NULL, other = tpnewctxt(0, 0);
	char name[32], svc[32], *b = tpalloc((char *)"STRING", NULL, 64);
	long len;
	int err = 0;

	sscanf(s->data, "%31s %31s", name, svc);
	tpgetctxt(&mine, 0);
	tpsetctxt(other, 0);
	strcpy(b, "x");
	if (strcmp(name, "~") == 0)
		err = tpsetcaller("", 0) == 0 ? 0 : tperrno;
	else if (strcmp(name, "-") != 0 && tpsetcaller(name, 42) != 0)
		err = tperrno;
	if (err == 0 && tpcall(svc, b, 0, &b, &len, 0) != 0)
		err = tperrno;
	tpterm();
	tpsetctxt(mine, 0);
	tpfreectxt(other);
	tpreturn(err == 0 ? TPSUCCESS : TPFAIL, err, b, 0, 0);
}

/* WHOCALLS: the name as which its caller has logged in. */
void svc_whocalls(TPSVCINFO *s)
{
	char *b = tpalloc((char *)"STRING", NULL, 64);
	char name[32] = "";
	int r = tpgetcaller(name, sizeof(name));

	snprintf(b, 64, "%s %d %ld", name, r, s->appkey);
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

/* TIMELEFT: how long its caller still waits; -1: without limit. */
void svc_timeleft(TPSVCINFO *s)
{
	long ms = tptimeleft();

	(void)s;
	answer_number(ms == LONG_MAX ? -1 : ms);
}
