/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledgercl.c - a client of the audit: calls of many kinds, each with an entry
 *
 *	ledgercl -c NUMBER [-t THREADS] [-T MS] [-1]
 *
 * Runs until the ledger is full, or SIGTERM. -T: all calls have this time-out,
 * which NDRX_TOUT has set; else 1 to 10 seconds each. -1: one call, then exit.
 * Threads differ: one makes calls, one fans out up to 40 calls at once, one
 * leaves the domain after each call, one sends requests without reply.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <atmi.h>

#include "bench/ledger.h"

#define THREADS_MAX 64
#define FAN_MAX	    40
#define GET_S	 2    /* time-out of tpgetrply() */
#define SAMPLE_MS 50  /* how often a thread notes how long it waited */
#define LATE_MS	 100  /* after a deadline: note it */

struct client {
	uint32_t number;
	uint32_t tout_ms; /* of all calls; 0: each its own */
	bool once;
	struct ow_ledger ledger;
};

/* A caller: one thread, one context. */
struct caller {
	struct client *cl;
	pthread_t thread;
	uint64_t seed;
	char *reply; /* NULL after a reply without data */
	int schedstat;	     /* its file in /proc */
	uint32_t sampled_ms; /* when it was read */
	uint64_t waited_ns;  /* for a CPU, since the thread began, by then */
};

static volatile sig_atomic_t over, failed;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

/* The audit counts clients that fail. */
static void fail(const char *what)
{
	fprintf(stderr, "ledgercl: %s: %s\n", what, tpstrerror(tperrno));
	failed = 1;
}

static uint32_t pick(struct caller *c, uint32_t n)
{
	c->seed ^= c->seed << 13;
	c->seed ^= c->seed >> 7;
	c->seed ^= c->seed << 17;
	return (uint32_t)(c->seed >> 20) % n;
}

/* Bytes of a payload: most are small, one in 500 has 2 MB. */
static uint32_t pick_len(struct caller *c)
{
	uint32_t least = sizeof(struct ow_ledger_ticket), r = pick(c, 1000);

	if (r < 2)
		return 2 << 20;
	if (r < 50)
		return least + pick(c, 60000);
	if (r < 250)
		return least + pick(c, 5000);
	return least + pick(c, 200);
}

static const char *pick_service(struct caller *c)
{
	static const char *const names[] = {
		"LEDGER", "LEDGER", "LEDGER", "LEDGER", "PASS", "PASS", "ASK",
		"FLICKER",
	};

	return names[pick(c, sizeof(names) / sizeof(names[0]))];
}

/* The time-out of the next call: *ret_ms (0: none), and its flags. */
static long set_timeout(struct caller *c, uint32_t *ret_ms)
{
	*ret_ms = c->cl->tout_ms;
	if (*ret_ms != 0)
		return 0;
	if (pick(c, 20) == 0)
		return TPNOTIME;
	*ret_ms = 1000 * (1 + pick(c, 10));
	tpsblktime((int)(*ret_ms / 1000), TPBLK_NEXT);
	return 0;
}

/* ---- waits for a CPU ---- */

/* For how long this thread was ready to run and did not, so far. */
static uint64_t read_waited(const struct caller *c)
{
	char text[80] = "";
	unsigned long long ran = 0, waited = 0;

	if (pread(c->schedstat, text, sizeof(text) - 1, 0) > 0)
		sscanf(text, "%llu %llu", &ran, &waited);
	return waited;
}

/* Before something that may be late. */
static void sample(struct caller *c)
{
	uint32_t now = ow_ledger_ms(&c->cl->ledger);

	if (now - c->sampled_ms < SAMPLE_MS)
		return;
	c->sampled_ms = now;
	c->waited_ns = read_waited(c);
}

/* A request of `len` bytes; *ret: its buffer. NULL: the ledger is full. */
static struct ow_ledger_entry *begin(struct caller *c, uint32_t len,
				     uint32_t ms, char **ret)
{
	struct ow_ledger_entry *e = NULL;

	sample(c);
	*ret = tpalloc((char *)"CARRAY", NULL, len);
	if (*ret == NULL)
		fail("tpalloc");
	else
		e = ow_ledger_begin(&c->cl->ledger, *ret, len, ms,
				    pick(c, OW_LEDGER_REPLIES));
	if (e == NULL) {
		tpfree(*ret);
		over = 1;
	}
	return e;
}

/* The client was told. It should have been by `until_ms` (0: at any time). */
static void end(struct caller *c, struct ow_ledger_entry *e,
		enum ow_told told, uint32_t until_ms)
{
	struct ow_ledger *l = &c->cl->ledger;
	uint32_t cont = atomic_load(&l->head->continued_ms[c->cl->number]);

	e->told_ms = ow_ledger_ms(l);
	e->until_ms = until_ms;
	if (until_ms != 0 && e->told_ms > until_ms + LATE_MS)
		e->waited_ms = (uint32_t)((read_waited(c) - c->waited_ns) /
					  1000000);
	if (cont + 50 >= e->begin_ms)
		atomic_store(&e->flags, OW_LEDGER_DISTURBED);
	atomic_store(&e->told, told);
}

/* What the result of a call with a reply tells. */
static enum ow_told judge(struct caller *c, struct ow_ledger_entry *e, int r,
			  long len)
{
	const struct ow_ledger_entry *got;

	if (r == 0) {
		if (len == 0)
			return OW_TOLD_RIGHT;
		got = ow_ledger_find(&c->cl->ledger, c->reply, (uint64_t)len);
		if (got != e)
			ow_ledger_explain(c->reply, len);
		return got == e ? OW_TOLD_RIGHT : OW_TOLD_WRONG;
	}
	e->error = (uint8_t)tperrno;
	switch (tperrno) {
	case TPETIME: return OW_TOLD_TIMEOUT;
	case TPESVCERR: return OW_TOLD_REFUSED;
	case TPENOENT: return OW_TOLD_ABSENT;
	default: return OW_TOLD_ERROR;
	}
}

static void call_once(struct caller *c)
{
	struct ow_ledger_entry *e;
	uint32_t ms, len = pick_len(c);
	long flags = set_timeout(c, &ms), rlen = 0;
	char *data;
	int r;

	e = begin(c, len, ms, &data);
	if (e == NULL)
		return;
	r = tpcall((char *)pick_service(c), data, (long)len, &c->reply, &rlen,
		   flags);
	end(c, e, judge(c, e, r, rlen), e->due_ms);
	tpfree(data);
}

/* TOGGLE has no entry: it says nothing about itself. */
static void toggle(struct caller *c)
{
	long len = 0;

	tpcall((char *)"TOGGLE", NULL, 0, &c->reply, &len, 0);
}

static void send_oneway(struct caller *c)
{
	struct ow_ledger_entry *e;
	uint32_t ms, len = pick_len(c);
	long flags = set_timeout(c, &ms) | TPNOREPLY;
	char *data;
	int r;

	e = begin(c, len, ms, &data);
	if (e == NULL)
		return;
	r = tpacall((char *)pick_service(c), data, (long)len, flags);
	end(c, e, r == 0 ? OW_TOLD_ONEWAY
		  : tperrno == TPETIME ? OW_TOLD_UNSENT
				       : judge(c, e, -1, 0), e->due_ms);
	tpfree(data);
}

/* ---- a fan-out ---- */

struct fan {
	int n;
	int cd[FAN_MAX]; /* 0: ended */
	struct ow_ledger_entry *e[FAN_MAX];
};

static void fan_send(struct caller *c, struct fan *f, const char *svc)
{
	struct ow_ledger_entry *e;
	uint32_t ms, len = sizeof(struct ow_ledger_ticket) + pick(c, 300);
	long flags = set_timeout(c, &ms);
	char *data;
	int cd;

	e = begin(c, len, ms, &data);
	if (e == NULL)
		return;
	cd = tpacall((char *)svc, data, (long)len, flags);
	if (cd > 0) {
		f->e[f->n] = e;
		f->cd[f->n++] = cd;
	} else {
		end(c, e, tperrno == TPETIME ? OW_TOLD_UNSENT
					     : judge(c, e, -1, 0),
		    e->due_ms);
	}
	tpfree(data);
}

static void fan_cancel(struct caller *c, struct fan *f)
{
	int i;

	for (i = 0; i < f->n; i++)
		if (pick(c, 3) == 0 && tpcancel(f->cd[i]) == 0) {
			end(c, f->e[i], OW_TOLD_CANCELLED, 0);
			f->cd[i] = 0;
		}
}

/* Wait for one reply, `*cd` or any (0): the result of tpgetrply(). It has a
 * time-out of its own. */
static int fan_get(struct caller *c, int *cd, long *len, uint32_t *ret_until)
{
	uint32_t ms = c->cl->tout_ms;

	sample(c);
	if (ms == 0) {
		ms = GET_S * 1000;
		tpsblktime(GET_S, TPBLK_NEXT);
	}
	*ret_until = ow_ledger_ms(&c->cl->ledger) + ms;
	return tpgetrply(cd, &c->reply, len, *cd == 0 ? TPGETANY : 0);
}

/* Replies in any order, until one is missing. */
static void fan_get_any(struct caller *c, struct fan *f)
{
	uint32_t until;
	int i, cd, r;
	long len = 0;

	for (;;) {
		cd = 0;
		r = fan_get(c, &cd, &len, &until);
		for (i = 0; i < f->n && (cd == 0 || f->cd[i] != cd); i++)
			;
		if (i == f->n)
			return;
		end(c, f->e[i], judge(c, f->e[i], r, len), until);
		f->cd[i] = 0;
	}
}

static void fan_get_each(struct caller *c, struct fan *f)
{
	uint32_t until;
	long len = 0;
	int i, r, cd;

	for (i = 0; i < f->n; i++) {
		cd = f->cd[i];
		if (cd == 0)
			continue;
		r = fan_get(c, &cd, &len, &until);
		end(c, f->e[i], judge(c, f->e[i], r, len), until);
		if (f->e[i]->told == OW_TOLD_TIMEOUT)
			tpcancel(f->cd[i]);
	}
}

static void fan_out(struct caller *c)
{
	const char *svc = pick_service(c);
	int i, n = 1 + (int)pick(c, FAN_MAX);
	struct fan f = { .n = 0 };

	for (i = 0; i < n && !over; i++)
		fan_send(c, &f, svc);
	if (pick(c, 4) == 0)
		fan_cancel(c, &f);
	if (pick(c, 2) == 0)
		fan_get_any(c, &f);
	fan_get_each(c, &f);
}

/* ---- threads ---- */

static void act(struct caller *c, int role)
{
	switch (role) {
	case 0:
		call_once(c);
		break;
	case 1:
		fan_out(c);
		if (pick(c, 4) == 0)
			toggle(c);
		break;
	case 2:
		call_once(c);
		tpterm();
		atomic_fetch_add(&c->cl->ledger.head->joins, 1);
		break;
	default:
		send_oneway(c);
		call_once(c); /* its own pace would flood the queues */
	}
}

static void *run(void *arg)
{
	struct caller *c = arg;
	int role = (int)(c->seed % 4);

	c->schedstat = open("/proc/thread-self/schedstat",
			    O_RDONLY | O_CLOEXEC);
	while (!over) {
		act(c, role);
		if (c->cl->once)
			break;
	}
	if (c->reply != NULL)
		tpfree(c->reply);
	tpterm();
	close(c->schedstat);
	return NULL;
}

static void usage(void)
{
	fprintf(stderr, "usage: ledgercl -c NUMBER [-t THREADS] [-T MS] "
			"[-1]\n"
			"OW_LEDGER names the ledger.\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static struct client cl;
	static struct caller callers[THREADS_MAX];
	struct sigaction sa = { .sa_handler = on_term,
				.sa_flags = SA_RESTART };
	const char *path = getenv("OW_LEDGER");
	sigset_t term;
	int opt, i, threads = 4;

	while ((opt = getopt(argc, argv, "c:t:T:1")) != -1)
		switch (opt) {
		case 'c': cl.number = (uint32_t)atoi(optarg); break;
		case 't': threads = atoi(optarg); break;
		case 'T': cl.tout_ms = (uint32_t)atoi(optarg); break;
		case '1': cl.once = true; break;
		default: usage();
		}
	if (path == NULL || ow_ledger_open(&cl.ledger, path, 0) != 0 ||
	    threads < 1 || threads > THREADS_MAX ||
	    cl.number >= OW_LEDGER_CLIENTS)
		usage();
	sigaction(SIGTERM, &sa, NULL);
	/* For this thread alone: in a caller's it would end a call with
	 * TPGOTSIG. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	for (i = 0; i < threads; i++) {
		callers[i].cl = &cl;
		callers[i].seed = (uint64_t)getpid() << 20 | (uint64_t)i;
		if (pthread_create(&callers[i].thread, NULL, run,
				   &callers[i]) != 0)
			return 1;
	}
	pthread_sigmask(SIG_UNBLOCK, &term, NULL);
	for (i = 0; i < threads; i++)
		pthread_join(callers[i].thread, NULL);
	return failed;
}
