/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testsv.c - a server with services for tests, chosen by arguments
 *
 * After `--`: services to offer, as FUNC or NAME=FUNC; many=N offers MANY0 to
 * MANY<N-1> (all ECHO); init=fail, init=crash, init=sleep:MS,
 * init=failif:FILE and init=sleepif:FILE (if the file exists) choose the course
 * of tpsvrinit(); init=dieif:FILE ends the server when it is ready; init=fork, init=forklater and
 * init=daemon fork there, or in the loop; ext=FIFO has the loop poll a pipe and call back (see SEEN).
 * Arguments of a service are the text of a STRING buffer.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "testsv.h"

static char history[4096];
static long served;

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

void answer(int rval, long rcode, const char *s)
{
	char *b = tpalloc("STRING", NULL, (long)strlen(s) + 1);

	if (b != NULL)
		strcpy(b, s);
	tpreturn(rval, rcode, b, 0, 0);
}

void answer_number(long n)
{
	char s[32];

	snprintf(s, sizeof(s), "%ld", n);
	answer(TPSUCCESS, n, s);
}

/* ---- the program's own descriptors and callbacks in the loop ---- */

static const char *ext_path;
static long ext_seen, ext_periods, ext_fd = -1;

static int on_pipe(int fd, uint32_t events, void *ptr1)
{
	char c;

	(void)events;
	while (read(fd, &c, 1) == 1) {
		ext_seen++;
		if (c == 'q')
			return -1; /* the server stops */
		if (c == 'd')
			return tpext_delpollerfd(fd);
	}
	return ptr1 == &ext_seen ? 0 : -1;
}

static int on_period(void)
{
	ext_periods++;
	return 0;
}

static int before_wait(void)
{
	ext_fd = open(ext_path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (ext_fd < 0 || tpext_delb4pollcb() != 0 ||
	    tpext_addperiodcb(1, on_period) != 0)
		return -1;
	return tpext_addpollerfd((int)ext_fd, 0, &ext_seen, on_pipe);
}

static int watch_pipe(const char *path)
{
	ext_path = path;
	if (tpext_addpollerfd(0, 0, NULL, on_pipe) == 0 ||
	    tperrno != TPEPROTO)
		return -1; /* not yet */
	return tpext_addb4pollcb(before_wait);
}

/* ---- services ---- */

static void svc_seen(TPSVCINFO *s)
{
	(void)s;
	tpreturn(TPSUCCESS, ext_seen * 1000 + ext_periods, NULL, 0, 0);
}

static void svc_echo(TPSVCINFO *s)
{
	size_t len;
	const char *p = test_bytes(s->data, s->len, &len);

	served++;
	tpreturn(TPSUCCESS, test_sum(p, len), s->data, s->len, 0);
}

/* "MS", or "/PATH": until this file is there. */
static void svc_sleep(TPSVCINFO *s)
{
	if (text(s)[0] != '/')
		pass_ms(atol(text(s)));
	else
		while (access(text(s), F_OK) != 0)
			pass_ms(2);
	served++;
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

/* An echo that takes 5 ms. */
static void svc_nap(TPSVCINFO *s)
{
	pass_ms(5);
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

/* After 2 ms, append the text to the file $TALLY. */
static void svc_tally(TPSVCINFO *s)
{
	int fd = open(getenv("TALLY"), O_WRONLY | O_APPEND | O_CREAT, 0644);
	char line[64];
	int n = snprintf(line, sizeof(line), "%s\n", text(s));

	pass_ms(2);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	close(fd);
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

static void svc_crash(TPSVCINFO *s)
{
	(void)s;
	kill(getpid(), SIGKILL);
}

static void svc_hang(TPSVCINFO *s)
{
	(void)s;
	for (;;)
		pause();
}

static void svc_fail(TPSVCINFO *s)
{
	tpreturn(TPFAIL, 77, s->data, s->len, 0);
}

static void svc_softerr(TPSVCINFO *s)
{
	tpreturn(TPFAIL, atol(text(s)), NULL, 0, TPSOFTERR);
}

static void svc_softtime(TPSVCINFO *s)
{
	(void)s;
	tpreturn(TPFAIL, 0, NULL, 0, TPSOFTTIMEOUT);
}

static void svc_notreturn(TPSVCINFO *s)
{
	(void)s;
}

static void svc_remote_caller(TPSVCINFO *s)
{
	static char memory[64] = "not from tpalloc";

	(void)s;
	tpreturn(TPSUCCESS, 0, memory, sizeof(memory), 0);
}

static void svc_fwdforeign(TPSVCINFO *s)
{
	static char memory[64] = "not from tpalloc";

	(void)s;
	tpforward("ECHO", memory, sizeof(memory), 0);
}

/* "SVC TEXT": forward TEXT to SVC. */
static void svc_forward(TPSVCINFO *s)
{
	char svc[64] = "", *rest = strchr(s->data, ' ');

	snprintf(svc, sizeof(svc), "%.*s",
		 rest != NULL ? (int)(rest - s->data) : 63, s->data);
	if (rest != NULL)
		memmove(s->data, rest + 1, strlen(rest + 1) + 1);
	tpforward(svc, s->data, 0, 0);
}

/* "SVC TEXT": call SVC and return its reply. */
static void svc_callon(TPSVCINFO *s)
{
	char svc[64] = "", *rest = strchr(s->data, ' ');

	snprintf(svc, sizeof(svc), "%.*s",
		 rest != NULL ? (int)(rest - s->data) : 63, s->data);
	if (rest != NULL)
		memmove(s->data, rest + 1, strlen(rest + 1) + 1);
	if (tpcall(svc, s->data, 0, &s->data, &s->len, 0) < 0)
		answer(TPFAIL, tperrno, tpstrerror(tperrno));
	tpreturn(TPSUCCESS, tpurcode, s->data, s->len, 0);
}

static void svc_exit(TPSVCINFO *s)
{
	tpreturn(TPEXIT, 5, s->data, s->len, 0);
}

static void svc_tpexit(TPSVCINFO *s)
{
	tpexit();
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

static void svc_name(TPSVCINFO *svc)
{
	answer(TPSUCCESS, 0, svc->name);
}

static void svc_count(TPSVCINFO *s)
{
	(void)s;
	answer_number(served);
}

/* Remember the text; GETLOG returns the texts in the order of their arrival. */
static void svc_log(TPSVCINFO *s)
{
	size_t n = strlen(history);

	snprintf(history + n, sizeof(history) - n, "%s ", text(s));
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

static void svc_getlog(TPSVCINFO *s)
{
	char all[sizeof(history)];

	(void)s;
	memcpy(all, history, sizeof(all));
	history[0] = '\0';
	answer(TPSUCCESS, 0, all);
}

static void svc_fwdecho(TPSVCINFO *s)
{
	tpforward("ECHO", s->data, s->len, 0);
}

static void svc_cltid(TPSVCINFO *s)
{
	answer(TPSUCCESS, 0, s->cltid.clientdata);
}

/* "N": advertise and withdraw N names, one after the other; how many tries
 * failed. */
static void svc_advmany(TPSVCINFO *s)
{
	long i, n = atol(text(s)), bad = 0;
	char name[31];

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "DYN%ld", i);
		bad += tpadvertise(name, svc_echo) != 0 ||
		       tpunadvertise(name) != 0;
	}
	answer_number(bad);
}

/* "GROUP FLAGS": the error, and result * 1000 + flags of the group. */
static void svc_locked(TPSVCINFO *s)
{
	int group = 0;
	long flags = 0, got = 0, r;

	sscanf(text(s), "%d %ld", &group, &flags);
	r = tpsgislocked(group, flags, &got);
	answer(TPSUCCESS, r * 1000 + got, r < 0 ? tpecodestr(tperrno) : "OK");
}

static void svc_adv(TPSVCINFO *s);
static void svc_unadv(TPSVCINFO *s);

static const struct {
	const char *name;
	void (*fn)(TPSVCINFO *);
} services[] = {
	{ "ECHO", svc_echo },
	{ "UPPER", svc_upper },
	{ "SLEEP", svc_sleep },
	{ "CRASH", svc_crash },
	{ "HANG", svc_hang },
	{ "FAIL", svc_fail },
	{ "SOFTERR", svc_softerr },
	{ "SOFTTIME", svc_softtime },
	{ "NOTRETURN", svc_notreturn },
	{ "FOREIGN", svc_remote_caller },
	{ "FWDFOREIGN", svc_fwdforeign },
	{ "FORWARD", svc_forward },
	{ "CALLON", svc_callon },
	{ "EXIT", svc_exit },
	{ "TPEXIT", svc_tpexit },
	{ "PID", svc_pid },
	{ "NAME", svc_name },
	{ "SRVID", svc_srvid },
	{ "COUNT", svc_count },
	{ "LOG", svc_log },
	{ "GETLOG", svc_getlog },
	{ "LETIN", svc_letin },
	{ "CALLFOR", svc_callfor },
	{ "WHOCALLS", svc_whocalls },
	{ "TIMELEFT", svc_timeleft },
	{ "APPKEY", svc_appkey },
	{ "ASIDE", svc_aside },
	{ "ANYOF", svc_anyof },
	{ "CHILDCALL", svc_childcall },
	{ "INFO", svc_info },
	{ "FDS", svc_fds },
	{ "ENV", svc_env },
	{ "FORK", svc_fork },
	{ "NAP", svc_nap },
	{ "BIG", svc_big },
	{ "ADV", svc_adv },
	{ "UNADV", svc_unadv },
	{ "SEEN", svc_seen },
	{ "VIEW", svc_view },
	{ "SAY", svc_say },
	{ "POINTS", svc_points },
	{ "FWDPOINTS", svc_fwdpoints },
	{ "EXECFDS", svc_execfds },
	{ "FWDECHO", svc_fwdecho },
	{ "UBFOF", svc_ubfof },
	{ "ANSWER", svc_answer },
	{ "CLTID", svc_cltid },
	{ "INFOOF", svc_infoof },
	{ "SETINFO", svc_setinfo },
	{ "LOCKED", svc_locked },
	{ "PRINT", svc_print },
	{ "ENCRYPT", svc_encrypt },
	{ "DECRYPT", svc_decrypt },
	{ "LOGREQ", svc_logreq },
	{ "NAMEFILE", svc_namefile },
	{ "FORKRETURN", svc_forkreturn },
	{ "FORKSTAY", svc_forkstay },
	{ "ADVMANY", svc_advmany },
	{ "NOTIFY", svc_notify },
	{ "LISTEN", svc_listen },
	{ "KEEPID", svc_keepid },
	{ "TELL", svc_tell },
	{ "TALLY", svc_tally },
	{ "SUBSCRIBE", svc_subscribe },
	{ "UNSUBSCRIBE", svc_unsubscribe },
};

/* "NAME=FUNC" or "FUNC". */
static int offer(const char *what)
{
	const char *func = strchr(what, '=');
	char name[256];
	size_t i;

	snprintf(name, sizeof(name), "%.*s",
		 (int)(func != NULL ? (size_t)(func - what) : strlen(what)),
		 what);
	func = func != NULL ? func + 1 : what;
	for (i = 0; i < sizeof(services) / sizeof(services[0]); i++)
		if (strcmp(services[i].name, func) == 0)
			return tpadvertise_full(name, services[i].fn,
						(char *)services[i].name);
	fprintf(stderr, "testsv: no function %s\n", func);
	return -1;
}

static void svc_adv(TPSVCINFO *s)
{
	int r = offer(text(s));

	answer(r == 0 ? TPSUCCESS : TPFAIL, r == 0 ? 0 : tperrno,
	       r == 0 ? "" : tpstrerror(tperrno));
}

static void svc_unadv(TPSVCINFO *s)
{
	int r = tpunadvertise(s->data);

	answer(r == 0 ? TPSUCCESS : TPFAIL, r == 0 ? 0 : tperrno, "");
}

/* ---- start and end ---- */

static int offer_many(int n)
{
	char name[64];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "MANY%d=ECHO", i);
		if (offer(name) != 0)
			return -1;
	}
	return 0;
}

static int die(void)
{
	_exit(4);
}

static void end_with_7(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	_exit(7);
}

static int own_handler(void)
{
	struct sigaction sa = { .sa_sigaction = end_with_7,
				.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

	return sigaction(SIGTERM, &sa, NULL);
}

/* The child goes on, once. */
static int fork_once(void)
{
	static int done;

	return done++ == 0 && fork() < 0 ? -1 : 0;
}

static int init_goes(const char *how)
{
	if (strcmp(how, "fork") == 0)
		return fork_once();
	if (strcmp(how, "forklater") == 0)
		return tpext_addb4pollcb(fork_once);
	if (strcmp(how, "daemon") == 0)
		return daemon(1, 1);
	if (strcmp(how, "handler") == 0)
		return own_handler();
	if (strncmp(how, "sleep:", 6) == 0) {
		pass_ms(atol(how + 6));
		return 0;
	}
	if (strncmp(how, "sleepif:", 8) == 0) {
		if (access(how + 8, F_OK) == 0)
			pass_ms(60000);
		return 0;
	}
	if (strcmp(how, "crash") == 0)
		abort();
	if (strncmp(how, "dieif:", 6) == 0)
		return access(how + 6, F_OK) == 0 ? tpext_addb4pollcb(die) : 0;
	if (strncmp(how, "failif:", 7) == 0)
		return access(how + 7, F_OK) == 0 ? -1 : 0;
	return -1;
}

int tpsvrinit(int argc, char **argv)
{
	int i, r = 0;

	for (i = 1; i < argc && r == 0; i++) {
		if (strncmp(argv[i], "many=", 5) == 0)
			r = offer_many(atoi(argv[i] + 5));
		else if (strncmp(argv[i], "init=", 5) == 0)
			r = init_goes(argv[i] + 5);
		else if (strncmp(argv[i], "ext=", 4) == 0)
			r = watch_pipe(argv[i] + 4);
		else
			r = offer(argv[i]);
	}
	return r;
}

void tpsvrdone(void)
{
	printf("tpsvrdone\n");
}
