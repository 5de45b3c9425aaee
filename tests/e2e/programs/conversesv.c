/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversesv.c - a server whose conversations follow a script
 *
 * Arguments after `--` are names of services to offer: a name that begins with
 * PLAIN does not converse (it returns its data), AUDIT is the other end of
 * converser.c, each other one runs the script that it is called with, words
 * between blanks:
 *
 *	trace:FILE	write a line for each later step: word, result, event,
 * data recv		one message all		messages until the conversation
 * is this end's, or over send:TEXT give:TEXT	give: the other end is to send
 *	block:TEXT	send with TPNOBLOCK until that fails
 *	stream:N:SIZE	N messages of SIZE bytes, each with its number
 *	await:FILE	until it is there
 *	sleep:MS discon call:SERVICE connect:SERVICE:SCRIPT (with + for blanks)
 *	return:TEXT fail:TEXT (- for no data), last: return the last data
 *	forward:SERVICE noreturn exit crash
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "conversation.h"

struct script {
	int cd;	     /* of the conversation */
	FILE *trace; /* NULL: none */
	char *data;  /* what came last */
	long len;
};

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

static void await(const char *file)
{
	while (access(file, F_OK) != 0)
		pass_ms(5);
}

static char *new_text(const char *s)
{
	char *p;

	if (strcmp(s, "-") == 0)
		return NULL;
	p = tpalloc("STRING", NULL, (long)strlen(s) + 1);
	strcpy(p, s);
	return p;
}

static void note(struct script *s, const char *step, int ret, long event,
		 const char *data)
{
	if (s->trace == NULL)
		return;
	fprintf(s->trace, "%.40s %d %s %s %s\n", step, ret,
		ret == -1 ? tpecodestr(tperrno) : "OK", conv_event(event),
		data != NULL ? data : "-");
	fflush(s->trace);
}

static int receive(struct script *s, const char *step, long *event)
{
	int r = tprecv(s->cd, &s->data, &s->len, 0, event);

	note(s, step, r, *event,
	     s->len > 100 || s->data == NULL ? "-" : s->data);
	return r;
}

static void do_send(struct script *s, const char *step, const char *text,
		    long flags)
{
	char *p = new_text(text);
	long event = 0;
	int r;

	do {
		r = tpsend(s->cd, p, 0, flags, &event);
	} while (r == 0 && (flags & TPNOBLOCK));
	note(s, step, r, event, text);
	if (p != NULL)
		tpfree(p);
}

static void do_stream(struct script *s, const char *step, const char *how)
{
	long n = atol(how), size = 8, i, event = 0;
	const char *colon = strchr(how, ':');
	char *p;
	int r = 0;

	if (colon != NULL)
		size = atol(colon + 1);
	p = tpalloc("CARRAY", NULL, size);
	for (i = 0; i < n && r == 0; i++) {
		conv_fill(p, size, i);
		r = tpsend(s->cd, p, size, 0, &event);
	}
	note(s, step, r, event, how);
	tpfree(p);
}

static void do_call(struct script *s, const char *step, char *service)
{
	char *p = new_text("called");
	long len = 0;
	int r = tpcall(service, p, 0, &p, &len, 0);

	note(s, step, r, 0, p);
	tpfree(p);
}

static void do_connect(struct script *s, const char *step, char *service)
{
	char *script = strchr(service, ':'), *p;
	long len = 0, event = 0;
	int r;

	*script++ = '\0';
	for (p = script; *p != '\0'; p++)
		if (*p == '+')
			*p = ' ';
	p = new_text(script);
	r = tpconnect(service, p, 0, TPRECVONLY);
	note(s, step, r, 0, script);
	if (r >= 0 && tprecv(r, &p, &len, 0, &event) == -1)
		note(s, step, -1, event, p);
	tpfree(p);
}

static void do_return(struct script *s, int rval, const char *text)
{
	char *p = new_text(text);

	if (s->trace != NULL)
		fclose(s->trace);
	if (s->data != NULL)
		tpfree(s->data);
	tpreturn(rval, 7, p, 0, 0);
}

static void step_ends(struct script *s, const char *word, char *arg)
{
	if (strcmp(word, "return") == 0)
		do_return(s, TPSUCCESS, arg);
	else if (strcmp(word, "fail") == 0)
		do_return(s, TPFAIL, arg);
	else if (strcmp(word, "last") == 0)
		tpreturn(TPSUCCESS, 7, s->data, s->len, 0);
	else if (strcmp(word, "forward") == 0)
		tpforward(arg, s->data, s->len, 0);
	else if (strcmp(word, "exit") == 0)
		exit(3);
	else if (strcmp(word, "crash") == 0)
		raise(SIGKILL);
}

static void step(struct script *s, const char *word, char *arg)
{
	long event = 0;

	if (strcmp(word, "trace") == 0)
		s->trace = fopen(arg, "ae");
	else if (strcmp(word, "recv") == 0)
		receive(s, word, &event);
	else if (strcmp(word, "all") == 0)
		while (receive(s, word, &event) == 0)
			;
	else if (strcmp(word, "send") == 0)
		do_send(s, word, arg, 0);
	else if (strcmp(word, "give") == 0)
		do_send(s, word, arg, TPRECVONLY);
	else if (strcmp(word, "block") == 0)
		do_send(s, word, arg, TPNOBLOCK);
	else if (strcmp(word, "stream") == 0)
		do_stream(s, word, arg);
	else if (strcmp(word, "sleep") == 0)
		pass_ms(atol(arg));
	else if (strcmp(word, "await") == 0)
		await(arg);
	else if (strcmp(word, "discon") == 0)
		note(s, word, tpdiscon(s->cd), 0, NULL);
	else if (strcmp(word, "call") == 0)
		do_call(s, word, arg);
	else if (strcmp(word, "connect") == 0)
		do_connect(s, word, arg);
	else
		step_ends(s, word, arg);
}

static void CONV(TPSVCINFO *info)
{
	struct script s = { .cd = info->cd };
	char text[4096], *at = text, *word, *arg;
	static char none[] = "";

	snprintf(text, sizeof(text), "%s",
		 info->data != NULL ? info->data : "");
	while ((word = strsep(&at, " ")) != NULL) {
		arg = strchr(word, ':');
		if (arg != NULL)
			*arg++ = '\0';
		step(&s, word, arg != NULL ? arg : none);
	}
	if (s.trace != NULL)
		fclose(s.trace);
}

/* What a service is told: conversation or not, direction, descriptor. */
static void PLAIN(TPSVCINFO *info)
{
	char *p = tpalloc("STRING", NULL, 200);

	snprintf(p, 200, "%s%s%s%d %.100s",
		 info->flags & TPCONV ? "conv " : "",
		 info->flags & TPSENDONLY ? "send " : "",
		 info->flags & TPRECVONLY ? "recv " : "", info->cd,
		 info->data != NULL ? info->data : "-");
	tpreturn(TPSUCCESS, 0, p, 0, 0);
}

/* The other end is dead. What a service has allocated is its own to free. */
static void give_up(char *p)
{
	tpfree(p);
	tpreturn(TPFAIL, 0, NULL, 0, 0);
}

/* "KEY N": checks N messages, sends as many. */
static void AUDIT(TPSVCINFO *info)
{
	static struct conv_ledger *l;
	long key = 0, n = 0, i, len = 0, event = 0;
	char *p = tpalloc("STRING", NULL, CONV_MAX);

	if (l == NULL)
		l = conv_ledger();
	sscanf(info->data, "%ld %ld", &key, &n);
	for (i = 0; event == 0; i++) {
		if (tprecv(info->cd, &p, &len, 0, &event) == -1 &&
		    event != TPEV_SENDONLY)
			give_up(p);
		conv_check(l, p, key, i);
	}
	if (i != n)
		atomic_fetch_add(&l->wrong, 1);
	p = tprealloc(p, CONV_MAX);
	for (i = 0; i < n; i++) {
		conv_write(p, key, i);
		if (tpsend(info->cd, p, 0, 0, &event) == -1)
			give_up(p);
	}
	tpreturn(TPSUCCESS, key, p, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	int i, r = 0;

	for (i = 1; i < argc && r == 0; i++)
		r = strncmp(argv[i], "PLAIN", 5) == 0
			? tpadvertise(argv[i], PLAIN)
		    : strcmp(argv[i], "AUDIT") == 0
			? tpadvertise(argv[i], AUDIT)
			: tpadvertise(argv[i], CONV);
	return r;
}

void tpsvrdone(void)
{
}
