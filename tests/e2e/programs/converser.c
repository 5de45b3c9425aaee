/* SPDX-License-Identifier: Apache-2.0 */
/*
 * converser.c - a client that has some conversations at once, and checks them
 *
 *	converser AT_ONCE MESSAGES DEADLINE_MS
 *
 * Again and again until the file `stop` is there: so many conversations with
 * AUDIT, so many messages each way, in turn. Both ends check that each message
 * is the next one of their conversation and count in the ledger
 * (conversation.h).
 *
 * With CONV_FAULT in its environment it treats each 50th message as a library
 * that has this fault would, and the audit has to see it: `lost`; `other`, that
 * of another conversation; `twice`, the one before; `torn`, a byte of it has
 * changed; `late`; `error`, one that no death explains.
 */
#include <stdlib.h>
#include <time.h>

#include "conversation.h"

#define AT_ONCE_MAX 16

struct conv {
	int cd; /* -1: it has ended */
	long key;
	char last[CONV_MAX]; /* message, of a library with a fault */
};

static struct conv_ledger *ledger;
static long deadline_ms;

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* A function has taken since `begin`. Twice the time-out is too long on any
 * machine. */
static void judge(long begin)
{
	if (now_ms() - begin > 2 * deadline_ms)
		atomic_fetch_add(&ledger->hung, 1);
}

/* A function failed with tperrno: is it what a death looks like? */
static void note_end(struct conv *t, long event)
{
	bool death = tperrno == TPEEVENT &&
		     (event == TPEV_SVCERR || event == TPEV_DISCONIMM);

	if (tperrno == TPESVCERR || tperrno == TPENOENT)
		death = true; /* of tpconnect() */
	if (tperrno == TPETIME) /* no server is free, or none came back */
		death = true;
	atomic_fetch_add(death ? &ledger->cut : &ledger->other, 1);
	if (!death)
		fprintf(stderr, "%s, event %s\n", tpstrerror(tperrno),
			conv_event(event));
	if (t->cd >= 0)
		tpdiscon(t->cd);
	t->cd = -1;
}

static void begin(struct conv *t, long messages)
{
	char *p = tpalloc("STRING", NULL, 64);
	long at = now_ms();

	t->key = atomic_fetch_add(&ledger->keys, 1) + 1;
	snprintf(p, 64, "%ld %ld", t->key, messages);
	t->cd = tpconnect("AUDIT", p, 0, TPSENDONLY);
	if (t->cd == -1)
		note_end(t, 0);
	judge(at);
	tpfree(p);
}

static void send_one(struct conv *t, long i, bool last)
{
	char *p = tpalloc("STRING", NULL, CONV_MAX);
	long event = 0, at = now_ms();

	conv_write(p, t->key, i);
	if (tpsend(t->cd, p, 0, last ? TPRECVONLY : 0, &event) == -1)
		note_end(t, event);
	judge(at);
	tpfree(p);
}

/* Is it this fault's turn? `n` counts messages. */
static bool is_due(const char *fault, long n)
{
	const char *has = getenv("CONV_FAULT");

	return has != NULL && strcmp(has, fault) == 0 && n % 50 == 49;
}

/* The message that a faulty library would hand over; `p` is the right one. */
static const char *spoil(struct conv *t, const char *p, long n)
{
	static char last[CONV_MAX]; /* mostly another conversation's */
	const char *was = p;

	if (is_due("lost", n))
		return NULL;
	if (is_due("other", n))
		return last;
	if (is_due("twice", n))
		return t->last;
	if (getenv("CONV_FAULT") == NULL)
		return p;
	snprintf(last, sizeof(last), "%s", p);
	snprintf(t->last, sizeof(t->last), "%s", p);
	if (is_due("torn", n)) {
		last[strlen(last) / 2] ^= 1;
		was = last;
	}
	return was;
}

/* The answer ends with the key. */
static void receive_one(struct conv *t, long i, long messages)
{
	static long n;
	char *p = NULL;
	long len = 0, event = 0, at = now_ms();
	int r = tprecv(is_due("error", ++n) ? -1 : t->cd, &p, &len, 0, &event);

	if (is_due("late", n))
		usleep((useconds_t)(3000 * deadline_ms));
	judge(at);
	if (r == 0) {
		conv_check(ledger, spoil(t, p, n), t->key, i);
	} else if (tperrno == TPEEVENT && event == TPEV_SVCSUCC) {
		atomic_fetch_add(i == messages && tpurcode == t->key
				     ? &ledger->whole
				     : &ledger->wrong, 1);
		t->cd = -1;
	} else {
		note_end(t, event);
	}
	if (p != NULL)
		tpfree(p);
}

static void round_of(struct conv *t, int n, long messages)
{
	long i;
	int k;

	for (k = 0; k < n; k++)
		begin(&t[k], messages);
	for (i = 0; i < messages; i++)
		for (k = 0; k < n; k++)
			if (t[k].cd >= 0)
				send_one(&t[k], i, i == messages - 1);
	for (i = 0; i <= messages; i++)
		for (k = 0; k < n; k++)
			if (t[k].cd >= 0)
				receive_one(&t[k], i, messages);
}

int main(int argc, char **argv)
{
	struct conv t[AT_ONCE_MAX];
	int n = argc > 3 ? atoi(argv[1]) : 0;

	ledger = conv_ledger();
	if (ledger == NULL || n < 1 || n > AT_ONCE_MAX)
		return 2;
	deadline_ms = atol(argv[3]);
	while (access("stop", F_OK) != 0)
		round_of(t, n, atol(argv[2]));
	return tpterm();
}
