/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_threads.c - threads that are cancelled, and forks beside them
 */
#include <ndebug.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <userlog.h>

#include "common.h"
#include "testcl.h"

static const char *service;

/* tperrno of a call with a given text; 100: wrong reply. */
static int small_call(const char *text)
{
	char *data = tpalloc("STRING", NULL, 100), *out = NULL;
	long olen = 0;
	int r;

	strcpy(data, text);
	r = tpcall((char *)service, data, 0, &out, &olen, 0);
	r = r < 0 ? tperrno : strcmp(out, text) == 0 ? 0 : 100;
	tpfree(data);
	if (out != NULL)
		tpfree(out);
	return r;
}

/* ---- cancelself: no function is a cancellation point ---- */

static void act_join(void)
{
	tpinit(NULL);
}

static void act_term(void)
{
	tpinit(NULL);
	tpterm();
}

static void act_call(void)
{
	small_call("cancelled");
}

static void act_acall(void)
{
	char *data = tpalloc("CARRAY", NULL, 200000);

	tpacall((char *)service, data, 200000, TPNOREPLY);
	tpfree(data);
}

static void act_enoent(void)
{
	char *out = NULL;
	long olen = 0;

	tpcall("NOSUCHSERVICE", NULL, 0, &out, &olen, 0);
}

static void act_conv(void)
{
	char *out = NULL;
	long len = 0, event = 0;
	int cd = tpconnect((char *)service, NULL, 0, TPRECVONLY);

	if (tprecv(cd, &out, &len, 0, &event) == -1 && event == 0)
		tpdiscon(cd);
	tpfree(out);
}

static void act_log(void)
{
	tplogconfig(LOG_FACILITY_TP, 5, NULL, "TEST", "cancel.log");
	tplog(5, "a line of a cancelled thread");
	userlog("a line of a cancelled thread");
	tplogsetreqfile_direct("cancel.req");
	tplog(5, "a line of its request");
	tplogclosereqfile();
}

static void act_print(void)
{
	char *u = tpalloc("UBF", NULL, 1024);
	FILE *f = fopen("cancel.ubf", "w+ce");

	Badd((UBFH *)u, TEST_FIELD, "text", 0);
	Bfprint((UBFH *)u, f);
	Bwrite((UBFH *)u, f);
	Bfname(TEST_FIELD);
	Bfldid("T_STRING_FLD");
	rewind(f);
	Bextread((UBFH *)u, f);
	tpfree(u);
	fclose(f);
}

static const struct act {
	const char *name;
	void (*fn)(void);
} acts[] = {
	{ "tpinit", act_join },	    { "tpterm", act_term },
	{ "tpcall", act_call },	    { "tpacall", act_acall },
	{ "TPENOENT", act_enoent }, { "log", act_log },
	{ "print", act_print },	    { "tpconnect", act_conv },
};

static atomic_bool returned;

static void *act_thread(void *arg)
{
	const struct act *a = arg;

	pthread_cancel(pthread_self()); /* takes effect at the next point */
	a->fn();
	atomic_store(&returned, true);
	pthread_testcancel();
	return NULL;
}

/* cancelself SVC: functions that a cancellation went through */
void do_cancelself(const struct words *w)
{
	char list[200] = "";
	void *result = NULL;
	pthread_t t;
	size_t i;

	service = word(w, 1, "ECHO");
	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		atomic_store(&returned, false);
		pthread_create(&t, NULL, act_thread, (void *)&acts[i]);
		pthread_join(t, &result);
		if (!atomic_load(&returned) || result != PTHREAD_CANCELED) {
			strcat(list, acts[i].name);
			strcat(list, " ");
		}
	}
	answer_text("{\"cut\":\"%s\",\"after\":%d}", list,
		    small_call("after"));
}

/* ---- cancelstorm: threads in tpcall(), cancelled at any moment ---- */

static atomic_bool stop;
static atomic_long calls, errors;

static void *victim(void *arg)
{
	char *out = NULL;
	long olen = 0;

	(void)arg;
	for (;;) {
		tpcall((char *)service, NULL, 0, &out, &olen, TPNOTIME);
		userlog("a line of a thread");
		pthread_testcancel();
	}
	return NULL;
}

static void *bystander(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop)) {
		if (small_call("bystander") != 0)
			atomic_fetch_add(&errors, 1);
		atomic_fetch_add(&calls, 1);
	}
	tpterm();
	return NULL;
}

/* cancelstorm SVC N: N threads, 8 at a time */
void do_cancelstorm(const struct words *w)
{
	long n = number(w, 2, 1000), i, k, cancelled = 0;
	unsigned int seed = 5;
	pthread_t t[8], by[2];
	void *result;
	double worst = 0, at;

	service = word(w, 1, "ECHO");
	for (k = 0; k < 2; k++)
		pthread_create(&by[k], NULL, bystander, NULL);
	for (i = 0; i < n; i += 8) {
		for (k = 0; k < 8; k++)
			pthread_create(&t[k], NULL, victim, NULL);
		for (k = 0; k < 8; k++) {
			usleep((useconds_t)(rand_r(&seed) % 1500));
			pthread_cancel(t[k]);
		}
		at = now_ms();
		for (k = 0; k < 8; k++) {
			pthread_join(t[k], &result);
			cancelled += result == PTHREAD_CANCELED;
		}
		if (now_ms() - at > worst)
			worst = now_ms() - at;
	}
	atomic_store(&stop, true);
	for (k = 0; k < 2; k++)
		pthread_join(by[k], NULL);
	answer_text("{\"cancelled\":%ld,\"calls\":%ld,\"errors\":%ld,"
		    "\"worst_ms\":%.0f}", cancelled, calls, errors, worst);
}

static void *waiter(void *arg)
{
	char *data = tpalloc("STRING", NULL, 10), *out = NULL;
	long olen = 0;

	strcpy(data, "3000");
	tpcall((char *)service, data, 0, &out, &olen, TPNOTIME);
	return arg;
}

static void *listener(void *arg)
{
	char *data = tpalloc("STRING", NULL, 100);
	long len = 0, event = 0;
	int cd;

	strcpy(data, "trace:cancelled recv");
	cd = tpconnect((char *)service, data, 0, 0);
	tprecv(cd, &data, &len, TPNOTIME, &event);
	return arg;
}

/* How long until the thread has ended. */
static void cancel_after_ms(void *(*thread)(void *), long ms)
{
	void *result = NULL;
	pthread_t t;
	double at;

	pthread_create(&t, NULL, thread, NULL);
	usleep((useconds_t)ms * 1000);
	at = now_ms();
	pthread_cancel(t);
	pthread_join(t, &result);
	answer_text("{\"cancelled\":%d,\"ms\":%.0f}",
		    result == PTHREAD_CANCELED, now_ms() - at);
}

/* cancelwait SVC MS: one thread waits for a reply that takes long */
void do_cancelwait(const struct words *w)
{
	service = word(w, 1, "HANG");
	cancel_after_ms(waiter, number(w, 2, 300));
}

/* canceltalk SVC MS: the same in a conversation in which nobody speaks */
void do_canceltalk(const struct words *w)
{
	service = word(w, 1, "CONV");
	cancel_after_ms(listener, number(w, 2, 300));
}

/* ---- forkstorm: forks while other threads log and call ---- */

static void *logger(void *arg)
{
	char *data;
	long i;

	(void)arg;
	for (i = 0; !atomic_load(&stop); i++) {
		tplog(2, "a line of a thread beside a fork");
		tplogconfig(LOG_FACILITY_TP, 4, i % 2 ? "tp=4" : "tp=5", "TEST",
			    i % 2 ? "beside.1.log" : "beside.2.log");
		data = tpalloc("CARRAY", NULL, 5000 << i % 6);
		if (data != NULL)
			tpfree(data);
		if (i % 10 == 0)
			tpterm();
		if (small_call("beside") != 0)
			atomic_fetch_add(&errors, 1);
	}
	tpterm();
	return NULL;
}

/* What a forked child does; its exit status. */
static int child(void)
{
	char *data = tpalloc("CARRAY", NULL, 70000);
	int r;

	alarm(20); /* a lock that is held for ever */
	tplog(2, "a line of a child");
	tplogconfig(LOG_FACILITY_TP, 4, NULL, "CHLD", "child.log");
	r = small_call("child");
	if (data != NULL)
		tpfree(data);
	tpterm();
	return data == NULL ? 99 : r;
}

/* forkstorm SVC N */
void do_forkstorm(const struct words *w)
{
	long n = number(w, 2, 100), i, k, good = 0;
	int status, bad = 0;
	pthread_t t[3];
	pid_t pid;

	service = word(w, 1, "ECHO");
	for (k = 0; k < 3; k++)
		pthread_create(&t[k], NULL, logger, NULL);
	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid == 0)
			_exit(child());
		status = -1;
		waitpid(pid, &status, 0);
		good += status == 0;
		if (status != 0)
			bad = status;
	}
	atomic_store(&stop, true);
	for (k = 0; k < 3; k++)
		pthread_join(t[k], NULL);
	answer_text("{\"good\":%ld,\"status\":%d,\"errors\":%ld}", good, bad,
		    errors);
}

/* ---- descriptors of programs that are started ---- */

/* execfds SVC: the descriptors of a program that this client starts */
void do_execfds(const struct words *w)
{
	char text[2000] = "", line[200];
	FILE *p;

	service = word(w, 1, "ECHO");
	small_call("x");
	tplog(2, "opens the log");
	fflush(stdout);
	p = popen("for f in /proc/self/fd/*; do readlink $f; done", "r");
	while (fgets(line, sizeof(line), p) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strlen(text) + strlen(line) + 2 < sizeof(text)) {
			strcat(text, line);
			strcat(text, " ");
		}
	}
	pclose(p);
	answer_text("{\"fds\":\"%s\"}", text);
}
