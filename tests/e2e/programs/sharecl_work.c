/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharecl_work.c - commands of sharecl: transactions and conversations of many threads
 */
#include "sharecl.h"

/* ---- tran SVC TEXT: threads work in one transaction, one commits ---- */

static void *works(void *arg)
{
	char *data = text_of(argv_[3]), *out = NULL;
	long len = 0;

	enter();
	IS(tpgetlev() == 1);
	IS(tpcall(argv_[2], data, 0, &out, &len, 0) == 0);
	tpfree(out);
	tpfree(data);
	return arg;
}

static void *commits(void *arg)
{
	enter();
	IS(tpcommit(0) == 0);
	return arg;
}

static void *begins(void *arg)
{
	enter();
	if (tpbegin(20, 0) == 0)
		atomic_fetch_add(&over, 1);
	else
		IS(tperrno == TPEPROTO);
	return arg;
}

void tran(void)
{
	IS(tpopen() == 0 && tpbegin(20, 0) == 0);
	run(works);
	pthread_join(start(commits, 0), NULL);
	IS(tpgetlev() == 0);
	IS(tpcommit(0) == -1 && tperrno == TPEPROTO);
}

/* ---- begin: of threads that begin one at once, one does ---- */

static void *opens_and_begins(void *arg)
{
	tpopen();
	return begins(arg);
}

void begin(void)
{
	IS(tpopen() == 0);
	run(opens_and_begins);
	IS(over == 1);
	IS(tpabort(0) == 0);
}

/* ---- early SVC TEXT: commit while a call of another thread is out ---- */

static void *is_late(void *arg)
{
	char *data = text_of(argv_[3]), *out = NULL;
	long len = 0;

	enter();
	IS(tpcall(argv_[2], data, 0, &out, &len, 0) == -1);
	IS(tperrno == TPETRAN);
	tpfree(data);
	return arg;
}

void early(void)
{
	pthread_t t;

	IS(tpopen() == 0 && tpbegin(20, 0) == 0);
	t = start(is_late, 0);
	await(&begun, 1);
	usleep(300000);
	IS(tpcommit(0) == -1 && tperrno == TPEABORT);
	pthread_join(t, NULL);
	IS(call("ECHO", "x") == 0);
}

/* ---- conv: a conversation for each thread ---- */

static void *converses(void *arg)
{
	char *data = text_of("all give:a all give:b all return:bye");
	char *out = NULL;
	long i, len = 0, event = 0;
	int cd;

	enter();
	cd = tpconnect("CONV", data, 0, TPSENDONLY);
	IS(cd >= 0);
	for (i = 0; i < 3; i++) {
		IS(tpsend(cd, data, 0, TPRECVONLY, &event) == 0);
		IS(tprecv(cd, &out, &len, 0, &event) == -1);
		IS(tperrno == TPEEVENT);
		IS(event == (i < 2 ? TPEV_SENDONLY : TPEV_SVCSUCC));
		IS(out != NULL && strncmp(out, &"a\0b\0bye"[2 * i], 3) == 0);
	}
	/* Before that its number may be another thread's, which connects. */
	atomic_fetch_add(&over, 1);
	await(&over, THREADS);
	IS(tpdiscon(cd) == -1 && tperrno == TPEBADDESC);
	tpfree(data);
	tpfree(out);
	return arg;
}

/* Two threads in one conversation. */
static int in_it;

static void *waits_in_it(void *arg)
{
	char *out = NULL;
	long len = 0, event = 0;

	enter();
	IS(tprecv(in_it, &out, &len, 0, &event) == -1);
	IS(tperrno == TPEEVENT && event == TPEV_SVCSUCC);
	atomic_store(&over, 1);
	return arg;
}

void conv(void)
{
	char *data = text_of("sleep:600 return:bye"), *out = NULL;
	long len = 0, event = 0;
	pthread_t t;

	run(converses);
	atomic_store(&begun, 0);
	atomic_store(&over, 0);
	in_it = tpconnect("CONV", data, 0, TPRECVONLY);
	t = start(waits_in_it, 0);
	await(&begun, 1);
	usleep(100000);
	IS(tprecv(in_it, &out, &len, 0, &event) == -1 && tperrno == TPEPROTO);
	IS(tpdiscon(in_it) == -1 && tperrno == TPEPROTO);
	IS(call("ECHO", "x") == 0 && over == 0);
	pthread_join(t, NULL);
	tpfree(data);
}
