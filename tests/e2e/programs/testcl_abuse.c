/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_abuse.c - wrong arguments, forks and signals of careless programs
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "testcl.h"

static void tell(const char *what, long ret)
{
	static int n;

	printf("%s\"%s\":[%ld,\"%s\"]", n++ ? "," : "", what, ret,
	       error_name(tperrno));
}

static void abuse_calls(char *good, char *stale, char *foreign)
{
	char *out = NULL;
	long olen = 0;
	int cd = 0;

	tell("tpcall name NULL", tpcall(NULL, good, 0, &out, &olen, 0));
	tell("tpcall name empty", tpcall("", good, 0, &out, &olen, 0));
	tell("tpcall odata NULL", tpcall("ECHO", good, 0, NULL, &olen, 0));
	tell("tpcall olen NULL", tpcall("ECHO", good, 0, &out, NULL, 0));
	tell("tpcall stale", tpcall("ECHO", stale, 0, &out, &olen, 0));
	tell("tpcall foreign", tpcall("ECHO", foreign, 0, &out, &olen, 0));
	out = foreign;
	tell("tpcall foreign odata", tpcall("ECHO", good, 0, &out, &olen, 0));
	out = stale;
	tell("tpcall stale odata", tpcall("ECHO", good, 0, &out, &olen, 0));
	out = NULL;
	tell("tpcall TPNOREPLY",
	     tpcall("ECHO", good, 0, &out, &olen, TPNOREPLY));
	tell("tpacall name NULL", tpacall(NULL, good, 0, 0));
	tell("tpacall stale", tpacall("ECHO", stale, 0, 0));
	tell("tpacall foreign", tpacall("ECHO", foreign, 0, 0));
	tell("tpgetrply cd NULL", tpgetrply(NULL, &out, &olen, 0));
	cd = 1;
	tell("tpgetrply data NULL", tpgetrply(&cd, NULL, &olen, 0));
	tell("tpgetrply len NULL", tpgetrply(&cd, &out, NULL, 0));
	tell("tpgetrply not issued", tpgetrply(&cd, &out, &olen, 0));
	cd = 0;
	tell("tpgetrply 0", tpgetrply(&cd, &out, &olen, 0));
	cd = 16384;
	tell("tpgetrply 16384", tpgetrply(&cd, &out, &olen, 0));
	tell("tpcancel never given", tpcancel(16000));
}

static void abuse_buffers(char *stale, char *foreign)
{
	char type[16], sub[64];
	char *carray = tpalloc("CARRAY", NULL, 100), *out = NULL;
	long olen = 0;

	tell("tpalloc NULL", tpalloc(NULL, NULL, 10) != NULL);
	tell("tpalloc unknown", tpalloc("NOSUCH", NULL, 10) != NULL);
	tell("tpalloc negative", tpalloc("STRING", NULL, -1) != NULL);
	tell("tpalloc VIEW NULL", tpalloc("VIEW", NULL, 10) != NULL);
	tell("tprealloc NULL", tprealloc(NULL, 10) != NULL);
	tell("tprealloc stale", tprealloc(stale, 10) != NULL);
	tell("tprealloc foreign", tprealloc(foreign, 10) != NULL);
	tell("tptypes NULL", tptypes(NULL, type, sub));
	tell("tptypes foreign", tptypes(foreign, type, sub));
	tell("CARRAY too long",
	     tpcall("ECHO", carray, 100000, &out, &olen, 0));
	tell("CARRAY negative", tpcall("ECHO", carray, -1, &out, &olen, 0));
	memset(carray, 'x', 100);
	tpfree(carray);
	tpfree(NULL);
	tpfree(foreign);
	tpfree(stale);
	tell("tpfree of anything", 0);
}

/* abuse: {"what":[return value, "tperrno"],...} */
void do_abuse(const struct words *w)
{
	static char foreign[64] = "not from tpalloc";
	char *good = tpalloc("STRING", NULL, 10);
	char *stale = tpalloc("STRING", NULL, 100000);

	(void)w;
	strcpy(good, "good");
	tpfree(stale);
	putchar('{');
	abuse_calls(good, stale, foreign);
	abuse_buffers(stale, foreign);
	printf("}\n");
	tpfree(good);
}

/* tperrno of a call with a given text; 100: wrong reply. */
static int small_call(const char *svc, const char *text)
{
	char *data = tpalloc("STRING", NULL, 100), *out = NULL;
	long olen = 0;
	int r;

	strcpy(data, text);
	r = tpcall((char *)svc, data, 0, &out, &olen, 0);
	r = r < 0 ? tperrno : strcmp(out, text) == 0 ? 0 : 100;
	tpfree(data);
	if (out != NULL)
		tpfree(out);
	return r;
}

/* fork SVC: the parent has called, the child calls and exits, the parent
 * calls again */
void do_fork(const struct words *w)
{
	const char *svc = word(w, 1, "ECHO");
	int before = small_call(svc, "before"), status = 0;
	pid_t pid = fork();

	if (pid == 0)
		exit(small_call(svc, "child"));
	waitpid(pid, &status, 0);
	answer_text("{\"before\":%d,\"child\":%d,\"after\":%d}", before,
		    WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		    small_call(svc, "after"));
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* alarm MS INTERVAL: SIGALRM after so long, without SA_RESTART */
void do_alarm(const struct words *w)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = {
		.it_value.tv_usec = number(w, 1, 10) * 1000,
		.it_interval.tv_usec = number(w, 2, 0) * 1000,
	};

	sigaction(SIGALRM, &sa, NULL);
	answer_text("{\"ret\":%d}", setitimer(ITIMER_REAL, &it, NULL));
}

/* ---- short: processes of one call each ---- */

struct life {
	int err; /* of small_call() */
	double ms;
};

static void live_shortly(const char *svc, int to, bool killed)
{
	double t = now_ms();
	struct life l = { .err = small_call(svc, "short") };

	l.ms = now_ms() - t;
	if (write(to, &l, sizeof(l)) != sizeof(l))
		abort();
	if (killed)
		raise(SIGKILL);
	exit(0);
}

struct lives {
	long good, bad;
	int err; /* of the last bad one; -1: it said nothing */
	double max_ms;
};

/* A process has ended. */
static void note_life(struct lives *all, int from)
{
	struct life l = { .err = -1 };

	wait(NULL);
	if (read(from, &l, sizeof(l)) != sizeof(l))
		l.err = -1;
	all->good += l.err == 0;
	all->bad += l.err != 0;
	if (l.err != 0)
		all->err = l.err;
	if (l.ms > all->max_ms)
		all->max_ms = l.ms;
}

/* short SVC N ATONCE exit|kill: N processes, a few at once; each calls once,
 * then exits or is killed. This process itself must not have called. */
void do_short(const struct words *w)
{
	long n = number(w, 2, 100), at_once = number(w, 3, 2), i;
	bool killed = strcmp(word(w, 4, "exit"), "kill") == 0;
	struct lives all = { 0 };
	int ends[2];

	/* Who dies too early leaves no result to wait for. */
	if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
		abort();
	for (i = 0; i < n + at_once; i++) {
		if (i >= at_once)
			note_life(&all, ends[0]);
		if (i < n && fork() == 0)
			live_shortly(word(w, 1, "ECHO"), ends[1], killed);
	}
	close(ends[0]);
	close(ends[1]);
	answer_text("{\"good\":%ld,\"bad\":%ld,\"err\":\"%s\","
		    "\"max_ms\":%.1f}", all.good, all.bad,
		    all.err > 0 ? error_name(all.err) : all.err < 0 ? "died"
								    : "OK",
		    all.max_ms);
}
