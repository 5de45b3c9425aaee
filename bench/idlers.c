/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idlers.c - clients that call once and stay connected
 *
 *	idlers [-s SERVICE] [-n CLIENTS] [-r RESERVE | -p]
 *
 * CLIENTS contexts, a thread each (-p: a process each), call SERVICE with a
 * CARRAY (so that all resources of a call are open; any answer of the service
 * will do) and wait until standard input ends. If a limit is reached first
 * (each client of the posix transport has a queue), the last RESERVE contexts
 * leave again, so that other clients can join. One JSON object on standard
 * output reports how many there are, and why not more.
 */
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atmi.h>

#define CLIENTS_MAX 60000
#define STACK_SIZE  (256 * 1024)

struct plan {
	const char *service;
	long wanted, reserve;
	bool processes; /* leave[1] closed: they leave */
	int leave[2];
};

struct idler {
	const char *service;
	pthread_t thread;
	pid_t pid;
	bool connected;
	char why[200];
	sem_t settled, leave;
};

static bool call_once(struct idler *c)
{
	char *buf = tpalloc("CARRAY", NULL, 16);
	bool good = false;
	long len = 0;

	if (buf != NULL) {
		memset(buf, 0, 16);
		good = tpcall((char *)c->service, buf, 16, &buf, &len, 0) !=
			       -1 ||
		       tperrno == TPESVCFAIL;
	}
	if (!good)
		snprintf(c->why, sizeof(c->why), "%s", tpstrerror(tperrno));
	tpfree(buf);
	return good;
}

static void *idle(void *arg)
{
	struct idler *c = arg;

	c->connected = call_once(c);
	sem_post(&c->settled);
	if (c->connected)
		sem_wait(&c->leave);
	tpterm();
	return NULL;
}

/* A process: it calls, answers "+" or the reason, and leaves when the pipe that
 * all of them read ends. */
static void be_process(struct idler *c, int answer, int leave)
{
	char byte;

	c->connected = call_once(c);
	if (c->connected)
		snprintf(c->why, sizeof(c->why), "+");
	if (write(answer, c->why, sizeof(c->why)) == sizeof(c->why) &&
	    c->connected)
		while (read(leave, &byte, 1) < 0)
			continue;
	tpterm();
	_exit(0);
}

/* False: no process; `c->why` says why. */
static bool start_process(struct idler *c, const struct plan *p)
{
	int answer[2];

	c->service = p->service;
	snprintf(c->why, sizeof(c->why), "no process");
	if (pipe(answer) < 0)
		return false;
	c->pid = fork();
	if (c->pid == 0) {
		close(p->leave[1]);
		close(answer[0]);
		be_process(c, answer[1], p->leave[0]);
	}
	close(answer[1]);
	c->connected = c->pid > 0 &&
		       read(answer[0], c->why, sizeof(c->why)) > 0 &&
		       c->why[0] == '+';
	close(answer[0]);
	return c->connected;
}

/* False: no thread; `c->why` says why. */
static bool start_thread(struct idler *c, const struct plan *p)
{
	pthread_attr_t attr;
	int r;

	c->service = p->service;
	sem_init(&c->settled, 0, 0);
	sem_init(&c->leave, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	r = pthread_create(&c->thread, &attr, idle, c);
	pthread_attr_destroy(&attr);
	if (r != 0) {
		snprintf(c->why, sizeof(c->why), "thread: %s", strerror(r));
		return false;
	}
	sem_wait(&c->settled);
	if (!c->connected)
		pthread_join(c->thread, NULL);
	return c->connected;
}

static void stop(struct idler *c, const struct plan *p)
{
	if (p->processes) {
		close(p->leave[1]);
		waitpid(c->pid, NULL, 0);
		return;
	}
	sem_post(&c->leave);
	pthread_join(c->thread, NULL);
}

/* As a JSON string; the messages have no quotes. */
static void make_plain(char *s)
{
	for (; *s != '\0'; s++)
		if (*s == '"' || *s == '\\' || (unsigned char)*s < ' ')
			*s = '\'';
}

static void usage(void)
{
	fprintf(stderr, "usage: idlers [-s SERVICE] [-n CLIENTS] "
			"[-r RESERVE | -p]\n");
	exit(2);
}

static void parse(int argc, char **argv, struct plan *p)
{
	int c;

	while ((c = getopt(argc, argv, "s:n:r:p")) != -1) {
		switch (c) {
		case 's': p->service = optarg; break;
		case 'n': p->wanted = atol(optarg); break;
		case 'r': p->reserve = atol(optarg); break;
		case 'p': p->processes = true; break;
		default: usage();
		}
	}
	if (optind < argc || p->wanted < 1 || p->wanted > CLIENTS_MAX ||
	    p->reserve < 0 || (p->processes && p->reserve > 0) ||
	    pipe(p->leave) < 0)
		usage();
}

static bool start(struct idler *c, const struct plan *p)
{
	return p->processes ? start_process(c, p) : start_thread(c, p);
}

int main(int argc, char **argv)
{
	struct plan p = { .service = "ECHO", .wanted = 100 };
	const char *why = "";
	struct idler *all;
	long n = 0;

	parse(argc, argv, &p);
	all = calloc((size_t)p.wanted, sizeof(*all));
	if (all == NULL)
		return 2;
	while (n < p.wanted && start(&all[n], &p))
		n++;
	if (n < p.wanted) {
		make_plain(all[n].why);
		why = all[n].why;
		for (; n > 0 && p.reserve > 0; p.reserve--)
			stop(&all[--n], &p);
	}
	printf("{\"wanted\":%ld,\"clients\":%ld,\"why\":\"%s\"}\n", p.wanted,
	       n, why);
	fflush(stdout);
	while (getchar() != EOF)
		;
	while (n > 0)
		stop(&all[--n], &p);
	free(all);
	return 0;
}
