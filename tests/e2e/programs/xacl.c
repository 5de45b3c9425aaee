/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xacl.c - a client with transactions, which reads commands, one per line
 *
 * Each command prints one line of JSON: ret, err, urcode, text, data.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tx.h>
#include <unistd.h>
#include <xatmi.h>

#include "testxa.h"

static char *words[32];
static int nwords;
static char data[4096]; /* to be printed */
static int seen_err;	 /* tperrno of the call: tpfree() clears it */
static char seen_text[1024];

static int see(int r)
{
	seen_err = tperrno;
	snprintf(seen_text, sizeof(seen_text), "%s", tpstrerror(tperrno));
	return r;
}

static const char *word(int i, const char *def)
{
	return i < nwords ? words[i] : def;
}

static long number(int i)
{
	return strtol(word(i, "0"), NULL, 0);
}

/* The words from `i` on, as a buffer. */
static char *rest(int i)
{
	char *b = tpalloc("STRING", NULL, 4096);

	*b = '\0';
	for (; i < nwords; i++) {
		strcat(b, words[i]);
		if (i + 1 < nwords)
			strcat(b, " ");
	}
	return b;
}

static long flags_of(const char *s)
{
	return (strstr(s, "TPNOTRAN") != NULL ? TPNOTRAN : 0) |
	       (strstr(s, "TPNOABORT") != NULL ? TPNOABORT : 0) |
	       (strstr(s, "TPTRANSUSPEND") != NULL ? TPTRANSUSPEND : 0) |
	       (strstr(s, "TPNOREPLY") != NULL ? TPNOREPLY : 0) |
	       (strstr(s, "TPGETANY") != NULL ? TPGETANY : 0);
}

/* call FLAGS SVC TEXT... */
static int do_call(void)
{
	char *b = rest(3);
	long len;
	int r = see(tpcall(words[2], b, 0, &b, &len, flags_of(words[1])));

	tpfree(b);
	return r;
}

static int do_acall(void)
{
	char *b = rest(3);
	int r = see(tpacall(words[2], b, 0, flags_of(words[1])));

	tpfree(b);
	return r;
}

static int do_getrply(void)
{
	int r, cd = (int)number(1);
	char *b = NULL;
	long len;

	r = see(tpgetrply(&cd, &b, &len, flags_of(word(2, "-"))));
	tpfree(b);
	return r;
}

/* connect FLAGS SVC TEXT...: the service sends first. */
static int do_connect(void)
{
	char *b = rest(3);
	int r = see(tpconnect(words[2], b, 0,
			      TPRECVONLY | flags_of(words[1])));

	tpfree(b);
	return r;
}

/* recv CD: `data` is the event. */
static int do_recv(void)
{
	char *b = NULL;
	long len, event = 0;
	int r = see(tprecv((int)number(1), &b, &len, 0, &event));

	snprintf(data, sizeof(data), "%s",
		 event == TPEV_SENDONLY	   ? "SENDONLY"
		 : event == TPEV_SVCSUCC   ? "SVCSUCC"
		 : event == TPEV_SVCFAIL   ? "SVCFAIL"
		 : event == TPEV_SVCERR	   ? "SVCERR"
		 : event == TPEV_DISCONIMM ? "DISCONIMM"
					   : "");
	tpfree(b);
	return r;
}

/* send CD TEXT...: words for the service, which is to send then. */
static int do_send(void)
{
	char *b = rest(2);
	long event = 0;
	int r = see(tpsend((int)number(1), b, 0, TPRECVONLY, &event));

	tpfree(b);
	return r;
}

static int do_discon(void)
{
	return tpdiscon((int)number(1));
}

static int do_cancel(void)
{
	return see(tpcancel((int)number(1)));
}

static void wake_up(int sig)
{
}

/* SIGUSR1 interrupts calls from now on. */
static int do_signals(void)
{
	struct sigaction sa = { .sa_handler = wake_up };

	return sigaction(SIGUSR1, &sa, NULL);
}

static int do_begin(void)
{
	return tpbegin((unsigned long)number(1), number(2));
}

static int do_commit(void)
{
	return tpcommit(number(1));
}

static int do_abort(void)
{
	return tpabort(number(1));
}

/* As programs of Tuxedo remember the context of a thread. */
static int do_getctxt(void)
{
	TPCONTEXT_T context;

	return tpgetctxt(&context, 0) == -1 ? -1 : 0;
}

static int do_scmt(void)
{
	return tpscmt(number(1));
}

/* The transaction as text, to be resumed anywhere. */
static int do_suspend(void)
{
	TPTRANID id;
	int r = tpsuspend(&id, number(1));

	if (r == 0)
		snprintf(data, sizeof(data), "%s/%d/%d", id.tmxid,
			 id.is_tx_initiator, id.tmtxflags);
	return r;
}

static int do_resume(void)
{
	TPTRANID id;
	int initiator = 0, flags = 0;

	memset(&id, 0, sizeof(id));
	sscanf(word(1, ""), "%48[^/]/%d/%d", id.tmxid, &initiator, &flags);
	id.is_tx_initiator = initiator;
	id.tmtxflags = (short)flags;
	return tpresume(&id, number(2));
}

static int do_suspend_null(void)
{
	return tpsuspend(NULL, 0);
}

static int do_add(void)
{
	return testxa_add(number(1));
}

static int do_info(void)
{
	TXINFO i;
	int r = tx_info(&i);

	snprintf(data, sizeof(data), "%ld %ld %ld %ld %ld %d", i.xid.formatID,
		 i.when_return, i.transaction_control, i.transaction_timeout,
		 i.transaction_state, tx_info(NULL));
	return r;
}

static int do_set_return(void)
{
	return tx_set_commit_return(number(1));
}

static int do_set_control(void)
{
	return tx_set_transaction_control(number(1));
}

static int do_set_timeout(void)
{
	return tx_set_transaction_timeout(number(1));
}

static int do_tout(void)
{
	return tptoutset((int)number(1));
}

static int do_switch(void)
{
	struct xa_switch_t *sw = ndrx_xa_sw_get();

	snprintf(data, sizeof(data), "%s", sw != NULL ? sw->name : "-");
	return sw != NULL ? 0 : -1;
}

/* `bench N SVC TEXT`: N transactions with one call each. */
static int do_bench(void)
{
	long i, n = number(1), len;
	struct timespec a, b;
	char *p = rest(3);

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (i = 0; i < n; i++)
		if (tpbegin(20, 0) != 0 ||
		    (strcmp(words[2], "-") != 0 &&
		     tpcall(words[2], p, 0, &p, &len,
			    TPNOCHANGE | TPNOABORT) != 0 &&
		     tperrno != TPEOTYPE) ||
		    tpcommit(0) != 0)
			return -1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	snprintf(data, sizeof(data), "%.3f",
		 ((double)(b.tv_sec - a.tv_sec) * 1e6 +
		  (double)(b.tv_nsec - a.tv_nsec) / 1e3) / (double)n);
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(void);
} commands[] = {
	{ "open", tpopen },	    { "close", tpclose },
	{ "begin", do_begin },	    { "commit", do_commit },
	{ "abort", do_abort },	    { "getlev", tpgetlev },
	{ "scmt", do_scmt },	    { "getctxt", do_getctxt },
	{ "suspend", do_suspend },  { "suspendnull", do_suspend_null },
	{ "resume", do_resume },
	{ "call", do_call },	    { "acall", do_acall },
	{ "getrply", do_getrply },  { "connect", do_connect },
	{ "recv", do_recv },	    { "send", do_send },
	{ "discon", do_discon },    { "add", do_add },
	{ "term", tpterm },	    { "cancel", do_cancel },
	{ "signals", do_signals },
	{ "tout", do_tout },	    { "switch", do_switch },
	{ "txopen", tx_open },	    { "txclose", tx_close },
	{ "txbegin", tx_begin },    { "txcommit", tx_commit },
	{ "txrollback", tx_rollback }, { "txinfo", do_info },
	{ "txreturn", do_set_return }, { "txcontrol", do_set_control },
	{ "txtimeout", do_set_timeout }, { "bench", do_bench },
};

static void run(char *line)
{
	const char *text, *name;
	int r = -99, err;
	size_t i;

	nwords = 0;
	while (nwords < 32 && (words[nwords] = strsep(&line, " \n")) != NULL)
		nwords += *words[nwords] != '\0';
	if (nwords == 0)
		return;
	data[0] = '\0';
	seen_err = 0;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(words[0], commands[i].name) == 0)
			r = commands[i].run();
	if (seen_err == 0)
		see(r);
	err = seen_err;
	name = err == 0 || r >= 0 ? "OK" : tpecodestr(err);
	text = err != 0 ? seen_text : "";
	printf("{\"ret\":%d,\"err\":\"%s\",\"urcode\":%ld,\"data\":\"%s\","
	       "\"text\":\"", r, name, tpurcode, data);
	for (; *text != '\0'; text++)
		if (*text != '"' && *text != '\\' && *text >= ' ')
			putchar(*text);
	printf("\"}\n");
	fflush(stdout);
}

int main(void)
{
	char line[8192];

	while (fgets(line, sizeof(line), stdin) != NULL)
		run(line);
	tpterm();
	return 0;
}
