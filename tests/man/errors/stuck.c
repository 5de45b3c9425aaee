/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stuck.c - errors of functions that wait for a stopped server, or for room
 *
 * This program stops the server of STUCK, tpevsrv and tmqueue, each for a
 * while: their queues fill, and nobody answers.
 */
#include "tests/man/errors/errors.h"

#include <tpbind.h>

#include <signal.h>
#include <sys/time.h>

static char *data, *reply;
static long len;

static void on_alarm(int sig)
{
	(void)sig;
}

/* Signals again and again, so that one comes while a function waits. */
static void signals(bool on)
{
	struct sigaction act = { .sa_handler = on ? on_alarm : SIG_IGN };
	struct itimerval every = { { 0, 20000 }, { 0, 20000 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, on ? &every : &never, NULL);
}

static void short_time_out(void)
{
	EXPECT(tpsblktime(1, TPBLK_NEXT) == 0);
}

/* The pid that a variable holds. */
static pid_t pid_of(const char *variable)
{
	const char *s = getenv(variable);

	EXPECT(s != NULL && atoi(s) > 1);
	return (pid_t)atoi(s);
}

static void calls(void)
{
	int cd = tpacall("STUCK", data, 0, 0);

	EXPECT(cd >= 0);
	FAILS(TPEBLOCK, tpgetrply(&cd, &reply, &len, TPNOBLOCK));
	signals(true);
	FAILS(TPGOTSIG, tpreplywait(1000000));
	FAILS(TPGOTSIG, tpgetrply(&cd, &reply, &len, 0));
	FAILS(TPGOTSIG, tpcall("STUCK", data, 0, &reply, &len, 0));
	signals(false);
	short_time_out();
	cd = tpacall("STUCK", data, 0, 0);
	FAILS(TPETIME, tpgetrply(&cd, &reply, &len, 0));
	short_time_out();
	FAILS(TPETIME, tpcall("STUCK", data, 0, &reply, &len, 0));
}

static void conversations(void)
{
	signals(true);
	FAILS(TPGOTSIG, tpconnect("STUCKTALK", NULL, 0, TPSENDONLY));
	signals(false);
	while (tpacall("STUCKTALK", data, 0, TPNOREPLY | TPNOBLOCK) == 0)
		;
	FAILS(TPEBLOCK, tpconnect("STUCKTALK", NULL, 0,
				  TPSENDONLY | TPNOBLOCK));
	short_time_out();
	FAILS(TPETIME, tpconnect("STUCKTALK", NULL, 0, TPSENDONLY));
}

static void full_queue(void)
{
	while (tpacall("STUCK", data, 0, TPNOREPLY | TPNOBLOCK) == 0)
		;
	FAILS(TPEBLOCK, tpacall("STUCK", data, 0, TPNOREPLY | TPNOBLOCK));
	FAILS(TPEBLOCK, tpcall("STUCK", data, 0, &reply, &len, TPNOBLOCK));
}

static void on_message(char *message, long n, long flags)
{
	(void)message;
	(void)n;
	(void)flags;
}

/* A client with a handler that it never calls; its id goes to `fd`. */
static void be_deaf(int fd)
{
	char *p = text("");

	EXPECT(tpsetunsol(on_message) != TPUNSOLERR);
	EXPECT(tpcall("CLTID", NULL, 0, &p, &len, 0) == 0);
	EXPECT(write(fd, p, strlen(p)) == (ssize_t)strlen(p));
	for (;;)
		pause();
}

static void messages(void)
{
	CLIENTID to = { { 0 } };
	int fds[2];
	pid_t pid;

	EXPECT(pipe(fds) == 0);
	pid = fork();
	if (pid == 0)
		be_deaf(fds[1]);
	EXPECT(read(fds[0], &to, sizeof(to) - 1) > 0);
	while (tpnotify(&to, data, 0, TPNOBLOCK) == 0)
		;
	FAILS(TPEBLOCK, tpnotify(&to, data, 0, TPNOBLOCK));
	signals(true);
	FAILS(TPGOTSIG, tpnotify(&to, data, 0, 0));
	signals(false);
	short_time_out();
	FAILS(TPETIME, tpnotify(&to, data, 0, 0));
	kill(pid, SIGKILL);
	EXPECT(waitpid(pid, NULL, 0) == pid);
	FAILS(TPENOENT, tpnotify(&to, data, 0, 0));
}

static void events(void)
{
	EXPECT(tpsetunsol(on_message) != TPUNSOLERR);
	EXPECT(tpsubscribe("NEWS", NULL, NULL, 0) >= 0);
	EXPECT(kill(pid_of("TPEVSRV_PID"), SIGSTOP) == 0);
	signals(true);
	FAILS(TPGOTSIG, tppost("NEWS", data, 0, 0));
	signals(false);
	short_time_out();
	FAILS(TPETIME, tppost("NEWS", data, 0, 0));
	while (tppost("NEWS", data, 0, TPNOREPLY | TPNOBLOCK) == 0)
		;
	FAILS(TPEBLOCK, tppost("NEWS", data, 0, TPNOREPLY | TPNOBLOCK));
}

static void durable(void)
{
	TPQCTL ctl = { .flags = TPQWAIT };

	signals(true);
	FAILS(TPGOTSIG, tpdequeue("ORDERS", "EMPTY", &ctl, &reply, &len,
				  TPNOTRAN));
	signals(false);
	ctl = (TPQCTL){ .flags = TPQWAIT };
	short_time_out();
	FAILS(TPETIME, tpdequeue("ORDERS", "EMPTY", &ctl, &reply, &len,
				 TPNOTRAN));
}

/* tmqueue refuses these messages later. */
static void full_queue_space(void)
{
	TPQCTL ctl = { .flags = 0 };

	while (tpacall("@QSPORDERS", data, 0, TPNOREPLY | TPNOBLOCK) == 0)
		;
	FAILS(TPEBLOCK, tpenqueue("ORDERS", "NEW", &ctl, data, 0,
				  TPNOTRAN | TPNOBLOCK));
}

int main(void)
{
	pid_t stuck = pid_of("STUCK_PID");

	data = text("hello");
	reply = text("");
	with("NDRX_TOUT=5", durable);
	with("NDRX_TOUT=5", messages);
	EXPECT(kill(stuck, SIGSTOP) == 0);
	with("NDRX_TOUT=5", calls);
	with("NDRX_TOUT=5", conversations);
	with("NDRX_TOUT=5", full_queue);
	EXPECT(kill(stuck, SIGCONT) == 0);
	with("NDRX_TOUT=5", events);
	EXPECT(kill(pid_of("TPEVSRV_PID"), SIGCONT) == 0);
	EXPECT(kill(pid_of("TMQUEUE_PID"), SIGSTOP) == 0);
	with("NDRX_TOUT=5", full_queue_space);
	EXPECT(kill(pid_of("TMQUEUE_PID"), SIGCONT) == 0);
	return wrong;
}
