/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv_door.c - services of the test server about who calls
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
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
