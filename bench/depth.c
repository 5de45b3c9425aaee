/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth.c - cost of a send and a receive on an empty and on a full queue
 *
 *	depth [-k mqueue|queue] [-d DEPTH] [-n OPERATIONS]
 *
 * One process; no process waits on the queue. The queue holds no message, then
 * all but a few of DEPTH; in both states a handful is sent and received
 * repeatedly, both timed. The best round counts: the rest is noise of the
 * machine. Priorities stay the same, rise, fall, or are random (1..100). -k
 * selects a bare POSIX queue, or a queue of the project (NDRX_TRANSPORT).
 * Where limits forbid DEPTH, the largest possible depth is used and reported.
 * One JSON object per line and pattern.
 */
#include <errno.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/lone.h"
#include "libatmi/base/clock.h"
#include "libatmi/transport/transport.h"

#define MSGSIZE	  256
#define PAYLOAD	  64
#define PRIO_MAX  100
#define HANDFUL	  64 /* messages sent in a row */
#define ROUNDS	  7
#define DEPTH_MAX 10000000

struct job {
	const char *kind;
	uint32_t depth; /* wanted */
	unsigned long operations;
};

struct target {
	mqd_t mq;
	struct ow_domain *d;
	struct ow_queue *q; /* NULL: mq */
	uint32_t depth;
};

struct pattern {
	const char *name;
	unsigned int (*prio)(unsigned long n);
};

struct cost {
	double send_ns, recv_ns;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "depth: %s: %s\n", what, strerror(errno));
	exit(2);
}

static unsigned int constant(unsigned long n)
{
	return PRIO_MAX / 2;
}

static unsigned int rising(unsigned long n)
{
	return 1 + (unsigned int)(n % PRIO_MAX);
}

static unsigned int falling(unsigned long n)
{
	return PRIO_MAX - (unsigned int)(n % PRIO_MAX);
}

static unsigned int scattered(unsigned long n)
{
	return 1 + (unsigned int)((n * UINT64_C(0x9e3779b97f4a7c15) >> 33) %
				  PRIO_MAX);
}

static const struct pattern patterns[] = {
	{ .name = "constant", .prio = constant },
	{ .name = "rising", .prio = rising },
	{ .name = "falling", .prio = falling },
	{ .name = "random", .prio = scattered },
};

/* ---- the two kinds of queue ---- */

static mqd_t make_mq(uint32_t depth)
{
	struct mq_attr shape = { .mq_maxmsg = depth, .mq_msgsize = MSGSIZE };
	char name[64];
	mqd_t q;

	snprintf(name, sizeof(name), "/owdepth%d", (int)getpid());
	q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &shape);
	if (q >= 0)
		mq_unlink(name);
	return q;
}

static void open_mq(struct target *t)
{
	for (; t->depth > 0; t->depth -= t->depth > 64 ? t->depth / 8 : 1) {
		t->mq = make_mq(t->depth);
		if (t->mq >= 0)
			return;
		if (errno != EMFILE && errno != EINVAL)
			break;
	}
	die("queue");
}

static void open_target(struct target *t, bool bare)
{
	if (bare) {
		open_mq(t);
		return;
	}
	t->d = ow_lone_open();
	t->q = ow_lone_queue(t->d, t->depth, MSGSIZE, &t->depth);
}

static void close_target(struct target *t)
{
	if (t->q != NULL)
		ow_lone_close(t->d, t->q);
	else
		mq_close(t->mq);
}

static void put(struct target *t, const char *msg, unsigned int prio)
{
	if (t->q != NULL ? ow_lone_send(t->d, t->q, msg, PAYLOAD, prio,
					OW_DEADLINE_NOW) != 0
			 : mq_send(t->mq, msg, PAYLOAD, prio) != 0)
		die("send");
}

static void take(struct target *t, char *buf)
{
	if (t->q != NULL ? ow_lone_recv(t->d, t->q, buf, MSGSIZE,
					OW_DEADLINE_NOW) != 0
			 : mq_receive(t->mq, buf, MSGSIZE, NULL) < 0)
		die("receive");
}

/* ---- measuring ---- */

static double better(double best, uint64_t ns, double n)
{
	double one = (double)ns / n;

	return best == 0 || one < best ? one : best;
}

/* One round of handfuls on the queue in its present state. */
static void run_round(struct target *t, const struct pattern *p,
		      unsigned long operations, struct cost *best)
{
	char msg[MSGSIZE] = "depth";
	uint32_t handful = t->depth / 2 < HANDFUL ? t->depth / 2 : HANDFUL, i;
	uint64_t sends = 0, receives = 0, t0, t1;
	unsigned long n = 0;

	if (handful == 0)
		handful = 1;
	while (n < operations) {
		t0 = ow_clock_mono_ns();
		for (i = 0; i < handful; i++)
			put(t, msg, p->prio(n + i));
		t1 = ow_clock_mono_ns();
		for (i = 0; i < handful; i++)
			take(t, msg);
		sends += t1 - t0;
		receives += ow_clock_mono_ns() - t1;
		n += handful;
	}
	best->send_ns = better(best->send_ns, sends, (double)n);
	best->recv_ns = better(best->recv_ns, receives, (double)n);
}

static void measure(struct target *t, const struct pattern *p,
		    unsigned long operations, struct cost *empty,
		    struct cost *full)
{
	uint32_t fill = t->depth > 2 * HANDFUL ? t->depth - HANDFUL
					       : t->depth / 2, i;
	char msg[MSGSIZE] = "depth";
	int round;

	for (round = 0; round < ROUNDS; round++)
		run_round(t, p, operations, empty);
	for (i = 0; i < fill; i++)
		put(t, msg, p->prio(i));
	for (round = 0; round < ROUNDS; round++)
		run_round(t, p, operations, full);
	for (i = 0; i < fill; i++)
		take(t, msg);
}

static void print_row(const struct job *j, const struct target *t,
		      const struct pattern *p, const struct cost *empty,
		      const struct cost *full)
{
	printf("{\"kind\":\"%s\",\"priorities\":\"%s\","
	       "\"wanted_depth\":%u,\"depth\":%u,"
	       "\"send_empty_ns\":%.1f,\"send_full_ns\":%.1f,"
	       "\"recv_empty_ns\":%.1f,\"recv_full_ns\":%.1f,"
	       "\"ratio\":%.3f}\n", j->kind, p->name, j->depth, t->depth,
	       empty->send_ns, full->send_ns, empty->recv_ns, full->recv_ns,
	       (full->send_ns + full->recv_ns) /
		       (empty->send_ns + empty->recv_ns));
}

static void usage(void)
{
	fprintf(stderr, "usage: depth [-k mqueue|queue] [-d DEPTH] "
			"[-n OPERATIONS]\n");
	exit(2);
}

static void parse(int argc, char **argv, struct job *j)
{
	long depth = 65528, operations = 20000;
	int c;

	j->kind = "queue";
	while ((c = getopt(argc, argv, "k:d:n:")) != -1) {
		switch (c) {
		case 'k': j->kind = optarg; break;
		case 'd': depth = atol(optarg); break;
		case 'n': operations = atol(optarg); break;
		default: usage();
		}
	}
	if (optind < argc || depth < 1 || depth > DEPTH_MAX ||
	    operations < 1 || (strcmp(j->kind, "queue") != 0 &&
			       strcmp(j->kind, "mqueue") != 0))
		usage();
	j->depth = (uint32_t)depth;
	j->operations = (unsigned long)operations;
}

int main(int argc, char **argv)
{
	struct target t = { .mq = (mqd_t)-1 };
	struct cost empty, full;
	struct job j;
	size_t i;

	parse(argc, argv, &j);
	t.depth = j.depth;
	open_target(&t, strcmp(j.kind, "mqueue") == 0);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		empty = full = (struct cost){ .send_ns = 0 };
		measure(&t, &patterns[i], j.operations, &empty, &full);
		print_row(&j, &t, &patterns[i], &empty, &full);
	}
	close_target(&t);
	return 0;
}
