/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.c - make a ledger, kill and stop servers, compare what was told
 *
 *	ledger make FILE ENTRIES
 *	ledger strike SERVERS MS	every MS: SIGKILL or SIGSTOP a server,
 *					until SIGTERM
 *	ledger stop FILE CLIENT PID MS	stop a client for so long
 *	ledger watch FILE		note when the machine stands still,
 *					until SIGTERM
 *	ledger named			how many one-way requests the domain has
 *					named as lost
 *	ledger judge FILE SLACK NAMED	one JSON object; exit status 1: a
 *					column that must be 0 is not
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/hitter.h"
#include "bench/ledger.h"
#include "bench/ledger_waits.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"

#define EARLY_MS  200u	/* answered so long before the deadline */
#define ENOUGH_MS 2500u /* and SLACK: a request that waits so long was lost */
#define SHOWN	  20
#define NAP_MS	  20
#define PAUSE_MS  30u /* slept so much too long: the machine stood still */

/* Columns that must be 0, and what they count. */
enum column {
	TWICE,	  /* executed more than once */
	UNEARNED, /* told a success without an execution */
	WRONG,	  /* told another call's answer, or damaged data */
	LOST,	  /* answered in time, told a time-out */
	VANISHED, /* neither executed nor refused, though others did not wait */
	UNDONE,	  /* told that it was refused or never sent, then executed */
	LATE,	  /* told long after the deadline */
	ERROR,	  /* told an error that nothing explains */
	UNNAMED,  /* one-way, accepted, not executed, and not named as lost */
	COLUMNS,
};

static const char *const names[COLUMNS] = {
	[TWICE] = "twice",	 [UNEARNED] = "unearned",
	[WRONG] = "wrong",	 [LOST] = "lost",
	[VANISHED] = "vanished", [UNDONE] = "undone",
	[LATE] = "late",	 [ERROR] = "error",
	[UNNAMED] = "unnamed",
};

struct verdict {
	uint64_t bad[COLUMNS];
	struct ow_ledger_waits waits;
	uint64_t overdue; /* timed out among others that waited as long */
	uint64_t requests, executed, right, oneway, cancelled, timeouts;
	uint64_t refused, absent, untold;
	uint64_t missing; /* one-way, accepted, not executed */
	int shown;
};

static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

/* ---- judge ---- */

static void count(struct verdict *v, const struct ow_ledger_entry *e)
{
	v->requests++;
	v->executed += atomic_load(&e->executed) > 0;
	switch (atomic_load(&e->told)) {
	case 0: v->untold++; break;
	case OW_TOLD_RIGHT: v->right++; break;
	case OW_TOLD_ONEWAY:
		v->oneway++;
		v->missing += atomic_load(&e->executed) == 0;
		break;
	case OW_TOLD_CANCELLED: v->cancelled++; break;
	case OW_TOLD_TIMEOUT:
	case OW_TOLD_UNSENT: v->timeouts++; break;
	case OW_TOLD_REFUSED: v->refused++; break;
	case OW_TOLD_ABSENT: v->absent++; break;
	default: break;
	}
}

/* For how long the machine stood still between two times. */
static uint64_t find_pauses(const struct ow_ledger_head *h, uint32_t from_ms,
			    uint32_t to_ms)
{
	uint64_t i, sum = 0;

	for (i = 0; i < h->pauses && i < OW_LEDGER_PAUSES; i++)
		if (h->pause[i].end_ms >= from_ms &&
		    h->pause[i].end_ms - h->pause[i].ms <= to_ms)
			sum += h->pause[i].ms;
	return sum;
}

/* Was the client told long after the deadline, although its thread slept: not
 * because the CPUs had other work, or the machine stood still? */
static bool is_late(const struct ow_ledger_head *h,
		    const struct ow_ledger_entry *e, uint32_t slack_ms)
{
	uint64_t until = (uint64_t)e->until_ms + slack_ms + e->waited_ms;

	return e->until_ms != 0 && e->told_ms > until &&
	       !(e->flags & OW_LEDGER_DISTURBED) &&
	       e->told_ms > until + find_pauses(h, e->begin_ms, e->told_ms);
}

/* The column to which an entry belongs; COLUMNS: it is in order. */
static enum column find_fault(const struct ow_ledger_head *h,
			      const struct ow_ledger_entry *e,
			      uint32_t slack_ms)
{
	uint32_t executed = atomic_load(&e->executed), told = e->told;
	uint32_t done = atomic_load(&e->answered_ms);
	/* A tpgetrply() of a fan gives up before the request does. */
	uint32_t due = e->until_ms != 0 && e->until_ms < e->due_ms
			       ? e->until_ms : e->due_ms;
	bool disturbed = e->flags & OW_LEDGER_DISTURBED;

	if (executed > 1)
		return TWICE;
	if (told == OW_TOLD_RIGHT && executed == 0)
		return UNEARNED;
	if (told == OW_TOLD_WRONG)
		return WRONG;
	if (told == OW_TOLD_ERROR)
		return ERROR;
	if ((told == OW_TOLD_ABSENT || told == OW_TOLD_UNSENT) && executed > 0)
		return UNDONE;
	if (told == OW_TOLD_REFUSED && executed > 0 &&
	    atomic_load(&e->executed_ms) > e->told_ms + 1)
		return UNDONE;
	if (is_late(h, e, slack_ms))
		return LATE;
	if (told != OW_TOLD_TIMEOUT || disturbed)
		return COLUMNS;
	if (done != 0 && done + EARLY_MS < due)
		return LOST;
	return executed == 0 && due - e->begin_ms >= ENOUGH_MS + slack_ms
		   ? VANISHED
		   : COLUMNS;
}

static void judge_entry(struct verdict *v, const struct ow_ledger *l,
			uint64_t number, uint32_t slack_ms)
{
	const struct ow_ledger_entry *e = &l->entry[number];
	enum column c = find_fault(l->head, e, slack_ms);

	count(v, e);
	if (c == VANISHED && ow_ledger_is_overdue(&v->waits, e->begin_ms, e->due_ms)) {
		v->overdue++;
		return;
	}
	if (c == COLUMNS)
		return;
	v->bad[c]++;
	if (v->shown++ < SHOWN)
		fprintf(stderr, "%s: entry %" PRIu64 ": begun %u ms, due %u, "
			"executed %u times (%u ms), answered %u ms, told %u "
			"(error %u) at %u ms, waited %u ms for a CPU\n",
			names[c], number, e->begin_ms,
			e->due_ms, (unsigned)e->executed, e->executed_ms,
			e->answered_ms, (unsigned)e->told, e->error,
			e->told_ms, e->waited_ms);
}

static uint32_t longest_pause(const struct ow_ledger_head *h)
{
	uint32_t i, ms = 0;

	for (i = 0; i < h->pauses && i < OW_LEDGER_PAUSES; i++)
		ms = h->pause[i].ms > ms ? h->pause[i].ms : ms;
	return ms;
}

static int print(const struct verdict *v, const struct ow_ledger_head *h)
{
	uint64_t damaged = atomic_load(&h->damaged), bad = damaged;
	int i;

	printf("{\"requests\":%" PRIu64 ",\"executed\":%" PRIu64
	       ",\"right\":%" PRIu64 ",\"oneway\":%" PRIu64
	       ",\"cancelled\":%" PRIu64 ",\"timeouts\":%" PRIu64
	       ",\"refused\":%" PRIu64 ",\"absent\":%" PRIu64
	       ",\"untold\":%" PRIu64 ",\"missing\":%" PRIu64
	       ",\"overdue\":%" PRIu64
	       ",\"joins\":%" PRIu64
	       ",\"pauses\":%" PRIu64 ",\"longest_pause_ms\":%u"
	       ",\"damaged\":%" PRIu64,
	       v->requests, v->executed, v->right, v->oneway, v->cancelled,
	       v->timeouts, v->refused, v->absent, v->untold, v->missing, v->overdue,
	       atomic_load(&h->joins), h->pauses, longest_pause(h), damaged);
	for (i = 0; i < COLUMNS; i++) {
		printf(",\"%s\":%" PRIu64, names[i], v->bad[i]);
		bad += v->bad[i];
	}
	printf("}\n");
	return bad == 0 ? 0 : 1;
}

static int judge(const char *path, uint32_t slack_ms, uint64_t named)
{
	static struct verdict v;
	struct ow_ledger l;
	uint64_t i, n;

	if (ow_ledger_open(&l, path, 0) != 0)
		return 2;
	n = atomic_load(&l.head->next);
	if (n > l.head->entries)
		n = l.head->entries;
	if (ow_ledger_find_waits(&l, n, &v.waits) != 0)
		return 2;
	for (i = 1; i < n; i++)
		judge_entry(&v, &l, i, slack_ms);
	v.bad[UNNAMED] = v.missing > named ? v.missing - named : 0;
	return print(&v, l.head);
}

/* ---- strike ---- */

static void pause_ms(long ms)
{
	const struct timespec t = { .tv_sec = ms / 1000,
				    .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static int strike(uint32_t servers, long every_ms)
{
	struct ow_hitter killer, stopper;
	struct ow_domain *d = NULL;
	char why[512];
	unsigned int n = 0;

	signal(SIGTERM, on_term);
	if (ow_domain_join(false, &d, why, sizeof(why)) != 0) {
		fprintf(stderr, "ledger: %s\n", why);
		return 2;
	}
	ow_hitter_init(&killer, d, OW_HIT_KILL, servers);
	ow_hitter_init(&stopper, d, OW_HIT_STOP, servers);
	for (; !over; n++) {
		pause_ms(every_ms);
		ow_hitter_strike(n % 2 == 0 ? &killer : &stopper);
	}
	ow_hitter_end(&stopper);
	printf("{\"kills\":%" PRIu64 ",\"stops\":%" PRIu64 "}\n", killer.hits,
	       stopper.hits);
	return 0;
}

/* ---- what the domain says of itself ---- */

static int tell_named(void)
{
	struct ow_domain *d = NULL;
	char why[512];

	if (ow_domain_join(false, &d, why, sizeof(why)) != 0) {
		fprintf(stderr, "ledger: %s\n", why);
		return 2;
	}
	printf("%" PRIu64 "\n", atomic_load(&d->tables->head->lost));
	ow_domain_leave(d);
	return 0;
}

/* ---- stop a client ---- */

static int stop_client(const char *path, uint32_t number, pid_t pid, long ms)
{
	struct ow_ledger l;

	if (number >= OW_LEDGER_CLIENTS || ow_ledger_open(&l, path, 0) != 0)
		return 2;
	atomic_store(&l.head->continued_ms[number], UINT32_MAX - 100);
	kill(pid, SIGSTOP);
	pause_ms(ms);
	kill(pid, SIGCONT);
	pause_ms(20); /* until it runs */
	atomic_store(&l.head->continued_ms[number], ow_ledger_ms(&l));
	return 0;
}

/* ---- pauses of the machine ---- */

static void note_pause(struct ow_ledger_head *h, uint32_t end_ms, uint32_t ms)
{
	if (h->pauses < OW_LEDGER_PAUSES) {
		h->pause[h->pauses].end_ms = end_ms;
		h->pause[h->pauses].ms = ms;
	}
	h->pauses++;
}

/* Where it is allowed, before all processes of the domain: what makes them wait
 * for each other is no pause. */
static int watch(const char *path)
{
	struct sched_param first = { .sched_priority = 9 };
	struct ow_ledger l;
	uint32_t now, last;

	if (ow_ledger_open(&l, path, 0) != 0)
		return 2;
	signal(SIGTERM, on_term);
	sched_setscheduler(0, SCHED_RR, &first);
	for (last = ow_ledger_ms(&l); !over; last = now) {
		pause_ms(NAP_MS);
		now = ow_ledger_ms(&l);
		if (now - last > NAP_MS + PAUSE_MS)
			note_pause(l.head, now, now - last - NAP_MS);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct ow_ledger l;
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "make") == 0 && argc == 4)
		return ow_ledger_open(&l, argv[2], strtoull(argv[3], NULL, 10))
				       == 0 ? 0 : 2;
	if (strcmp(word, "named") == 0 && argc == 2)
		return tell_named();
	if (strcmp(word, "judge") == 0 && argc == 5)
		return judge(argv[2], (uint32_t)atoi(argv[3]),
			     strtoull(argv[4], NULL, 10));
	if (strcmp(word, "strike") == 0 && argc == 4)
		return strike((uint32_t)atoi(argv[2]), atol(argv[3]));
	if (strcmp(word, "watch") == 0 && argc == 3)
		return watch(argv[2]);
	if (strcmp(word, "stop") == 0 && argc == 6)
		return stop_client(argv[2], (uint32_t)atoi(argv[3]),
				   (pid_t)atoi(argv[4]), atol(argv[5]));
	fprintf(stderr, "usage: ledger make FILE ENTRIES | strike SERVERS MS "
			"| stop FILE CLIENT PID MS | watch FILE "
			"| named | judge FILE SLACK NAMED\n");
	return 2;
}
