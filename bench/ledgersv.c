/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledgersv.c - services of the audit: each notes what it executes
 *
 *	LEDGER	replies as the ticket says
 *	FLICKER	as LEDGER; comes and goes
 *	TOGGLE	withdraws FLICKER from this server, or offers it again
 *	PASS	forwards the request to LEDGER
 *	ASK	calls LEDGER with a request of its own, then replies
 *
 * OW_LEDGER_START_MS: it computes for so long before it serves, as an interpreter
 * does that reads its modules.
 *
 * Servers with odd ids offer the first three, those with even ids the others:
 * a server that waits for LEDGER does not keep LEDGER waiting.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <atmi.h>
#include <userlog.h>

#include "bench/ledger.h"

void LEDGER(TPSVCINFO *svc);
void PASS(TPSVCINFO *svc);
void ASK(TPSVCINFO *svc);
void FLICKER(TPSVCINFO *svc);
void TOGGLE(TPSVCINFO *svc);

static struct ow_ledger ledger;
static struct ow_ledger_entry *last; /* replied to by this server */
static bool flickers;

/* tpreturn() for the last request has ended: its reply is sent. */
static void note_answered(void)
{
	if (last != NULL)
		atomic_store(&last->answered_ms, ow_ledger_ms(&ledger));
	last = NULL;
}

static struct ow_ledger_entry *execute(const TPSVCINFO *svc)
{
	struct ow_ledger_entry *e;

	e = ow_ledger_find(&ledger, svc->data, (uint64_t)svc->len);
	if (e == NULL) {
		ow_ledger_explain(svc->data, svc->len);
		atomic_fetch_add(&ledger.head->damaged, 1);
		return NULL;
	}
	atomic_store(&e->executed_ms, ow_ledger_ms(&ledger));
	atomic_fetch_add(&e->executed, 1);
	return e;
}

static void reply(TPSVCINFO *svc, struct ow_ledger_entry *e)
{
	struct ow_ledger_ticket t;
	char *copy;

	last = e;
	if (e == NULL)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	memcpy(&t, svc->data, sizeof(t));
	if (t.reply == OW_LEDGER_NONE)
		tpreturn(TPSUCCESS, 0, NULL, 0, 0);
	if (t.reply == OW_LEDGER_COPY) {
		copy = tpalloc((char *)"CARRAY", NULL, svc->len);
		if (copy != NULL) {
			memcpy(copy, svc->data, (size_t)svc->len);
			tpreturn(TPSUCCESS, 0, copy, svc->len, 0);
		}
	}
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

void LEDGER(TPSVCINFO *svc)
{
	note_answered();
	reply(svc, execute(svc));
}

void FLICKER(TPSVCINFO *svc)
{
	LEDGER(svc);
}

void PASS(TPSVCINFO *svc)
{
	note_answered();
	tpforward((char *)"LEDGER", svc->data, svc->len, 0);
}

static uint8_t outcome(int r, struct ow_ledger_entry *e, const char *data,
		       long len)
{
	if (r == 0 && ow_ledger_find(&ledger, data, (uint64_t)len) == e)
		return OW_TOLD_RIGHT;
	if (r == 0) {
		ow_ledger_explain(data, len);
		return OW_TOLD_WRONG;
	}
	switch (tperrno) {
	case TPETIME: return OW_TOLD_TIMEOUT;
	case TPESVCERR: return OW_TOLD_REFUSED;
	case TPENOENT: return OW_TOLD_ABSENT;
	default: return OW_TOLD_ERROR;
	}
}

/* The request inside has one second. */
static void ask(void)
{
	char *data = tpalloc((char *)"CARRAY", NULL, 200);
	struct ow_ledger_entry *e;
	long len = 200;
	int r;

	if (data == NULL)
		return;
	e = ow_ledger_begin(&ledger, data, 200, 1000, OW_LEDGER_SAME);
	if (e != NULL) {
		tpsblktime(1, TPBLK_NEXT);
		r = tpcall((char *)"LEDGER", data, 200, &data, &len, 0);
		e->told_ms = ow_ledger_ms(&ledger);
		e->error = (uint8_t)tperrno;
		/* This server may have been stopped meanwhile. */
		atomic_store(&e->flags, OW_LEDGER_DISTURBED);
		atomic_store(&e->told, outcome(r, e, data, len));
	}
	tpfree(data);
}

void ASK(TPSVCINFO *svc)
{
	struct ow_ledger_entry *e;

	note_answered();
	e = execute(svc);
	ask();
	reply(svc, e);
}

static int flicker(void)
{
	if (flickers)
		return tpunadvertise((char *)"FLICKER");
	return tpadvertise((char *)"FLICKER", FLICKER);
}

void TOGGLE(TPSVCINFO *svc)
{
	note_answered();
	if (flicker() == 0)
		flickers = !flickers;
	tpreturn(TPSUCCESS, 0, svc->data, svc->len, 0);
}

static int offer(void)
{
	if (tpgetsrvid() % 2 == 0)
		return tpadvertise((char *)"PASS", PASS) == -1
			   ? -1
			   : tpadvertise((char *)"ASK", ASK);
	return tpadvertise((char *)"LEDGER", LEDGER) == -1
		   ? -1
		   : tpadvertise((char *)"TOGGLE", TOGGLE);
}

static void take_long(const char *ms)
{
	struct timespec t = { 0 };

	while (ms != NULL && t.tv_sec * 1000 + t.tv_nsec / 1000000 < atol(ms))
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
}

int tpsvrinit(int argc, char **argv)
{
	const char *path = getenv("OW_LEDGER");

	(void)argc;
	(void)argv;
	take_long(getenv("OW_LEDGER_START_MS"));
	if (path == NULL || ow_ledger_open(&ledger, path, 0) != 0) {
		userlog("ledgersv: OW_LEDGER does not name a ledger");
		return -1;
	}
	if (offer() == -1) {
		userlog("ledgersv: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
	note_answered();
}
