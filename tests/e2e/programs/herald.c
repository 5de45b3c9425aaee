/* SPDX-License-Identifier: Apache-2.0 */
/*
 * herald.c - a client that sends and gets messages and posts, and checks them
 *
 *	herald PLACE DEADLINE_MS
 *
 * Until the file `stop` is there: unsolicited messages to all heralds, events
 * for all (NEWS) and events for a service (JOB). A message says for whom it is,
 * in this life, and who sends it as his how many-eth for that one: so who
 * gets it sees whether it is another's, one that it has had, or not the next
 * one. Of NEWS some may be missed, none comes twice or in another order. All
 * count in the ledger (news.h). After `stop`: a last message to each, then it
 * takes what comes until the file `done` is there and nothing comes any more.
 *
 * With NEWS_FAULT in its environment it treats each 50th message as a library
 * that has this fault would, and the audit has to see it: `lost`, `twice`;
 * `other`, another one; `torn`, a byte of it has changed; `late`; `error`, one
 * that no death explains.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "news.h"

#define LIVES 65536

static struct news_ledger *ledger;
static long me, deadline_ms;
static long had[LIVES], had_news[LIVES]; /* of each sender */
static long sent[LIVES], posted;	 /* to each reader */

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void judge(long begin)
{
	if (now_ms() - begin > 2 * deadline_ms)
		atomic_fetch_add(&ledger->hung, 1);
}

/* Is the failure one that a death, or a full inbox, can cause? */
static void note_failure(const char *what)
{
	switch (tperrno) {
	case TPENOENT:
	case TPESVCERR:
	case TPETIME:
	case TPEBLOCK:
		return;
	default:
		atomic_fetch_add(&ledger->other, 1);
		fprintf(stderr, "%s: %s\n", what, tpstrerror(tperrno));
	}
}

/* ---- what comes ---- */

static bool take_message(const char *p)
{
	long to = 0, from = 0, n = 0;

	if (sscanf(p, "M %ld %ld %ld", &to, &from, &n) != 3 || to != me ||
	    from <= 0 || from >= LIVES || n != had[from] + 1)
		return false;
	had[from] = n;
	atomic_fetch_add(&ledger->right, 1);
	return true;
}

static bool take_news(const char *p)
{
	long from = 0, n = 0;

	if (sscanf(p, "N %ld %ld", &from, &n) != 2 || from <= 0 ||
	    from >= LIVES || n <= had_news[from])
		return false;
	had_news[from] = n;
	atomic_fetch_add(&ledger->news, 1);
	return true;
}

#define TAIL 3000u /* of z, which some have */

/* Both kinds end with a point, or with so many z. */
static bool is_whole(const char *p)
{
	size_t len = strlen(p);

	return len > TAIL ? strspn(p + len - TAIL, "z") == TAIL
			  : len > 0 && len < 200 && p[len - 1] == '.';
}

static void handle(char *data, long len, long flags)
{
	(void)len;
	(void)flags;
	if (data != NULL && is_whole(data) &&
	    (data[0] == 'M' ? take_message(data) : take_news(data)))
		return;
	/* Nobody reads more of it than a pipe holds. */
	if (atomic_fetch_add(&ledger->wrong, 1) >= 50)
		return;
	fprintf(stderr, "herald %ld got \"%.60s\"\n", me,
		data != NULL ? data : "(nothing)");
}

/* Is it this fault's turn? `n` counts. */
static bool is_due(const char *fault, long n)
{
	const char *has = getenv("NEWS_FAULT");

	return has != NULL && strcmp(has, fault) == 0 && n % 50 == 49;
}

static void handle_badly(char *data, long len, long flags)
{
	static char last[4096] = "M 0 0 0 .";
	static long n;

	n++;
	if (is_due("lost", n))
		return;
	if (is_due("torn", n))
		data[strlen(data) * 2 / 3] ^= 1;
	handle(is_due("other", n) ? last : data, len, flags);
	if (is_due("twice", n))
		handle(data, len, flags);
	snprintf(last, sizeof(last), "%s", data);
}

/* ---- what is sent ---- */

/* Some texts need a block. */
static char *make_text(const char *head, long n)
{
	char *p = tpalloc("STRING", NULL, 4096);
	size_t len = strlen(head);

	memcpy(p, head, len + 1);
	if (n % 7 == 6)
		memset(p + len, 'z', TAIL);
	strcpy(p + (n % 7 == 6 ? len + TAIL : len), n % 7 == 6 ? "" : ".");
	return p;
}

/* The reader at `place`, in its present life: its number, or 0. */
static long find_reader(int place, CLIENTID *ret)
{
	struct news_reader *r = &ledger->reader[place];
	long number = atomic_load(&r->number);

	memcpy(ret->clientdata, r->cltid, sizeof(r->cltid));
	return atomic_load(&r->number) == number ? number : 0;
}

static void notify(int place)
{
	CLIENTID id;
	long to = find_reader(place, &id), at = now_ms();
	char head[80], *p;

	if (to <= 0 || to >= LIVES)
		return;
	snprintf(head, sizeof(head), "M %ld %ld %ld ", to, me, sent[to] + 1);
	p = make_text(head, sent[to]);
	if (tpnotify(&id, p, 0, 0) == 0)
		sent[to]++;
	else
		note_failure("tpnotify");
	judge(at);
	tpfree(p);
}

static void post_news(void)
{
	char head[80], *p;
	long at = now_ms();

	posted++;
	snprintf(head, sizeof(head), "N %ld %ld ", me, posted);
	p = make_text(head, posted);
	if (tppost(is_due("error", posted) ? NULL : (char *)"NEWS", p, 0, 0) < 0)
		note_failure("tppost NEWS");
	if (is_due("late", posted))
		usleep((useconds_t)(3000 * deadline_ms));
	judge(at);
	tpfree(p);
}

static void post_job(void)
{
	long n = atomic_fetch_add(&ledger->jobs, 1), at = now_ms();
	char *p = tpalloc("STRING", NULL, 64);
	int r;

	if (n >= NEWS_JOBS)
		return;
	snprintf(p, 64, "%ld", n);
	atomic_fetch_or(&ledger->job[n], 1);
	r = tppost("JOB", p, 0, 0);
	if (r == 1)
		atomic_fetch_or(&ledger->job[n], 2);
	if (r < 0)
		note_failure("tppost JOB");
	atomic_fetch_add(r == 1 ? &ledger->told : &ledger->untold, 1);
	judge(at);
	tpfree(p);
}

/* ---- a life ---- */

/* Have a number, and be found by the others. */
static int enter(int place)
{
	struct news_reader *r = &ledger->reader[place];
	char *p = NULL;
	long len = 0, begin = now_ms();

	if (tpsetunsol(getenv("NEWS_FAULT") != NULL ? handle_badly : handle) ==
	    TPUNSOLERR)
		return -1;
	/* For a moment there may be no server. */
	while (tpcall("WHOAMI", NULL, 0, &p, &len, 0) != 0) {
		note_failure("tpcall");
		if (now_ms() - begin > 60000)
			return -1;
		usleep(5000);
	}
	if (len != (long)sizeof(r->cltid))
		return -1;
	atomic_store(&r->number, 0);
	memcpy(r->cltid, p, sizeof(r->cltid));
	me = atomic_fetch_add(&ledger->numbers, 1) + 1;
	atomic_store(&r->number, me);
	tpfree(p);
	if (tpsubscribe("^NEWS$", NULL, NULL, 0) < 0)
		note_failure("tpsubscribe");
	return 0;
}

static void take_all(bool *ret_any)
{
	int n = tpchkunsol();

	if (n < 0)
		note_failure("tpchkunsol");
	*ret_any = n > 0;
}

static void send_something(void)
{
	int i, dice = rand() % 10;

	if (dice == 0)
		post_news();
	else if (dice == 1)
		post_job();
	else
		for (i = 0; i < NEWS_READERS; i++)
			notify(i);
}

int main(int argc, char **argv)
{
	int i, place = argc > 2 ? atoi(argv[1]) : -1;
	bool any;

	ledger = news_ledger();
	if (ledger == NULL || place < 0 || place >= NEWS_READERS)
		return 2;
	deadline_ms = atol(argv[2]);
	srand((unsigned int)getpid());
	if (enter(place) != 0) {
		fprintf(stderr, "enter: %s\n", tpstrerror(tperrno));
		return 3;
	}
	while (access("stop", F_OK) != 0) {
		send_something();
		take_all(&any);
	}
	for (i = 0; i < NEWS_READERS; i++)
		notify(i);
	atomic_fetch_add(&ledger->ended, 1);
	do {
		usleep(1000);
		take_all(&any);
	} while (any || access("done", F_OK) != 0);
	return tpterm();
}
