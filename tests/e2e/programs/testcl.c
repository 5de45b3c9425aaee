/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl.c - a client that reads commands, one per line
 *
 * With arguments: that one command. Without: commands from standard input, all
 * in one context, so that a story can act between two calls. Each command
 * prints its result as one line of JSON.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tpbind.h>
#include <unistd.h>

#include "common.h"
#include "testcl.h"

/* ---- words ---- */

const char *word(const struct words *w, int i, const char *def)
{
	return i < w->n ? w->w[i] : def;
}

long number(const struct words *w, int i, long def)
{
	return i < w->n ? strtol(w->w[i], NULL, 0) : def;
}

long flags_of(const char *text)
{
	static const struct {
		const char *name;
		long value;
	} names[] = {
		{ "TPNOBLOCK", TPNOBLOCK },   { "TPSIGRSTRT", TPSIGRSTRT },
		{ "TPNOREPLY", TPNOREPLY },   { "TPNOTIME", TPNOTIME },
		{ "TPGETANY", TPGETANY },     { "TPNOCHANGE", TPNOCHANGE },
		{ "TPABSOLUTE", TPABSOLUTE }, { "TPBLK_NEXT", TPBLK_NEXT },
		{ "TPBLK_ALL", TPBLK_ALL },   { "TPSENDONLY", TPSENDONLY },
		{ "TPRECVONLY", TPRECVONLY },
		{ "TPREGEXMATCH", TPREGEXMATCH },
		{ "TPNOCACHELOOK", TPNOCACHELOOK },
		{ "TPNOCACHEADD", TPNOCACHEADD },
		{ "TPNOCACHEDDATA", TPNOCACHEDDATA },
		{ "TPNOTRAN", TPNOTRAN },
	};
	long flags = strtol(text, NULL, 0);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(text, names[i].name) != NULL)
			flags |= names[i].value;
	return flags;
}

double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* ---- data ---- */

/* Bytes without NUL, different for each size. */
static void fill(char *p, size_t n)
{
	uint32_t x = (uint32_t)n * 2654435761u + 1;

	while (n-- > 0) {
		x = x * 1664525u + 1013904223u;
		*p++ = (char)('0' + (x >> 24) % 75);
	}
}

static char *make_pattern(const char *type, size_t n, long *ret_len)
{
	char *data = tpalloc((char *)type, NULL, (long)n + 1), *p;

	if (data == NULL || strcmp(type, "UBF") != 0) {
		if (data == NULL)
			return NULL;
		fill(data, n);
		data[n] = '\0';
		*ret_len = (long)n;
		return data;
	}
	data = tprealloc(data, (long)n + 4096);
	p = malloc(n + 1);
	fill(p, n);
	if (Badd((UBFH *)data, TEST_FIELD, p, (BFLDLEN)n) < 0) {
		fprintf(stderr, "Badd: %s\n", Bstrerror(Berror));
		tpfree(data);
		data = NULL;
	}
	free(p);
	*ret_len = 0;
	return data;
}

/* MEMBER=VALUE,MEMBER=VALUE... */
static void fill_view(char *data, char *view, const char *pairs)
{
	char all[4096], *at = all, *pair, *value;

	snprintf(all, sizeof(all), "%s", pairs);
	while ((pair = strsep(&at, ",")) != NULL) {
		value = strchr(pair, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		if (CBvchg(data, view, pair, 0, value, 0, BFLD_STRING) < 0)
			fprintf(stderr, "%s: %s\n", pair, Bstrerror(Berror));
	}
}

/* A UBF buffer of NAME=VALUE,NAME=VALUE... */
static char *make_fields(const char *pairs)
{
	char all[4096], *at = all, *pair, *value;
	char *data = tpalloc("UBF", NULL, 4096);

	snprintf(all, sizeof(all), "%s", pairs);
	while ((pair = strsep(&at, ",")) != NULL) {
		value = strchr(pair, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		if (CBadd((UBFH *)data, Bfldid(pair), value, 0, BFLD_STRING) <
		    0)
			fprintf(stderr, "%s: %s\n", pair, Bstrerror(Berror));
	}
	return data;
}

/* "VIEW/NAME" or another type. */
char *make_buffer(const char *type, long size)
{
	if (strncmp(type, "VIEW/", 5) == 0)
		return tpalloc("VIEW", (char *)type + 5, size);
	return tpalloc((char *)type, NULL, size);
}

char *make_data(const char *spec, long *ret_len)
{
	const char *colon = strchr(spec, ':');
	char type[48], *data;

	*ret_len = 0;
	if (strcmp(spec, "-") == 0)
		return NULL;
	if (colon == NULL || colon - spec >= (long)sizeof(type))
		return NULL;
	snprintf(type, sizeof(type), "%.*s", (int)(colon - spec), spec);
	if (strcmp(type, "FIELDS") == 0)
		return make_fields(colon + 1);
	if (colon[1] == '#')
		return make_pattern(type, strtoul(colon + 2, NULL, 0),
				    ret_len);
	data = make_buffer(type, (long)strlen(colon + 1) + 1);
	if (data != NULL && strncmp(type, "VIEW/", 5) == 0)
		fill_view(data, type + 5, colon + 1);
	else if (data != NULL)
		strcpy(data, colon + 1);
	*ret_len = (long)strlen(colon + 1);
	return data;
}

/* ---- results ---- */

/* Checksum of the data of the last call, to compare with its reply. */
static long sent_sum;

static char *make_call_data(const char *spec, long *ret_len)
{
	char *data = make_data(spec, ret_len);
	size_t n;
	const char *p = test_bytes(data, *ret_len, &n);

	sent_sum = test_sum(p, n);
	return data;
}

const char *error_name(int err)
{
	return err == 0 ? "OK" : tpecodestr(err);
}

static void print_quoted(const char *s, size_t n)
{
	putchar('"');
	for (; n > 0; n--, s++) {
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if ((unsigned char)*s < 32 || (unsigned char)*s > 126)
			printf("\\u%04x", (unsigned char)*s);
		else
			putchar(*s);
	}
	putchar('"');
}

void answer_call(int ret, const char *data, long len, double since)
{
	answer_event(ret, data, len, since, "-");
}

void answer_event(int ret, const char *data, long len, double since,
		  const char *event)
{
	double ms = now_ms() - since;
	int err = tperrno;
	long urcode = tpurcode;
	const char *name = error_name(err), *p;
	char type[XATMI_TYPE_LEN + 1] = "-", sub[XATMI_SUBTYPE_LEN + 1] = "";
	size_t n;

	printf("{\"ret\":%d,\"err\":\"%s\",\"event\":\"%s\","
	       "\"urcode\":%ld,\"ms\":%.3f,\"len\":%ld,\"text\":",
	       ret, name, event, urcode, ms, len);
	p = err != 0 ? tpstrerror(err) : "";
	print_quoted(p, strlen(p));
	if (data != NULL)
		tptypes((char *)data, type, sub);
	p = test_bytes((char *)data, len, &n);
	printf(",\"type\":\"%s\",\"subtype\":\"%s\",\"sum\":%ld,"
	       "\"sent\":%ld,\"data\":",
	       type, sub, test_sum(p, n), sent_sum);
	print_quoted(p, n > 4000 ? 4000 : n);
	printf("}\n");
}

void answer_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* ---- commands ---- */

/* call SVC FLAGS DATA, with an output buffer of another type: callto TYPE */
static void do_call(const struct words *w)
{
	long len, olen = 0;
	char *data = make_call_data(word(w, 3, "-"), &len);
	char *out = NULL;
	double t = now_ms();
	int r;

	r = tpcall((char *)word(w, 1, ""), data, len, &out, &olen,
		   flags_of(word(w, 2, "-")));
	answer_call(r, out, olen, t);
	if (data != NULL)
		tpfree(data);
	if (out != NULL)
		tpfree(out);
}

/* callto TYPE SVC FLAGS DATA */
static void do_callto(const struct words *w)
{
	long len, olen = 0;
	char *data = make_call_data(word(w, 4, "-"), &len);
	char *out = make_buffer(word(w, 1, ""), 1024);
	double t = now_ms();
	int r;

	r = tpcall((char *)word(w, 2, ""), data, len, &out, &olen,
		   flags_of(word(w, 3, "-")));
	answer_call(r, out, olen, t);
	if (data != NULL)
		tpfree(data);
	if (out != NULL)
		tpfree(out);
}

static void do_acall(const struct words *w)
{
	long len;
	char *data = make_call_data(word(w, 3, "-"), &len);
	double t = now_ms();
	int cd = tpacall((char *)word(w, 1, ""), data, len,
			 flags_of(word(w, 2, "-")));

	answer_call(cd, NULL, 0, t);
	if (data != NULL)
		tpfree(data);
}

/* getrply CD FLAGS; `ret` is the descriptor of the reply, or -1 */
static void do_getrply(const struct words *w)
{
	int cd = (int)number(w, 1, 0), r;
	char *out = NULL;
	long olen = 0;
	double t = now_ms();

	r = tpgetrply(&cd, &out, &olen, flags_of(word(w, 2, "-")));
	answer_call(r < 0 ? -1 : cd, out, olen, t);
	if (out != NULL)
		tpfree(out);
}

static void do_cancel(const struct words *w)
{
	double t = now_ms();

	answer_call(tpcancel((int)number(w, 1, 0)), NULL, 0, t);
}

static void do_tout(const struct words *w)
{
	double t = now_ms();

	answer_call(tptoutset((int)number(w, 1, 0)), NULL, 0, t);
}

/* lastprio: the priority of the last call */
static void do_lastprio(const struct words *w)
{
	(void)w;
	answer_call(tpgprio(), NULL, 0, now_ms());
}

static void do_prio(const struct words *w)
{
	double t = now_ms();

	answer_call(tpsprio((int)number(w, 1, 50), flags_of(word(w, 2, "-"))),
		    NULL, 0, t);
}

/* blktime FLAGS [SECONDS]: set it, or ask what is set */
static void do_setsig(const struct words *w)
{
	double t = now_ms();

	answer_call(tpsetsigrstrt((int)number(w, 1, 0)), NULL, 0, t);
}

static void do_blktime(const struct words *w)
{
	double t = now_ms();
	long flags = flags_of(word(w, 1, "TPBLK_NEXT"));

	answer_call(w->n > 2 ? tpsblktime((int)number(w, 2, 0), flags)
			     : tpgblktime(flags), NULL, 0, t);
}

static void do_init(const struct words *w)
{
	double t = now_ms();

	(void)w;
	answer_call(tpinit(NULL), NULL, 0, t);
}

static void do_term(const struct words *w)
{
	double t = now_ms();

	(void)w;
	answer_call(tpterm(), NULL, 0, t);
}

/* fldadd NAME NUMBER: a string field in the field data base */
static void do_fldadd(const struct words *w)
{
	int r = w->n < 3 ? -1
			 : Bflddbadd(NULL, BFLD_STRING, atoi(w->w[2]), w->w[1]);

	answer_text("{\"err\":\"%s\"}", r == 0 ? "OK" : Becodestr(Berror));
}

static const struct {
	const char *name;
	void (*fn)(const struct words *w);
	int max; /* number of words; the last one is the rest of the line */
} commands[] = {
	{ "unsol", do_unsol, 2 },
	{ "chkunsol", do_chkunsol, 1 },
	{ "got", do_got, 1 },
	{ "notify", do_notify, 4 },
	{ "notifymany", do_notifymany, 4 },
	{ "notifybad", do_notifybad, 2 },
	{ "broadcast", do_broadcast, 6 },
	{ "initflags", do_initflags, 2 },
	{ "login", do_login, 6 },
	{ "setcaller", do_setcaller, 3 },
	{ "chkauth", do_chkauth, 1 },
	{ "post", do_post, 4 },
	{ "postmany", do_postmany, 3 },
	{ "subscribe", do_subscribe, 5 },
	{ "subscribemany", do_subscribemany, 4 },
	{ "unsubscribe", do_unsubscribe, 2 },
	{ "consume", do_consume, 5 },
	{ "deq", do_deq, 6 },
	{ "enq", do_enq, 6 },
	{ "enqmany", do_enqmany, 5 },
	{ "produce", do_produce, 6 },
	{ "move", do_move, 5 },
	{ "tx", do_tx, 3 },
	{ "call", do_call, 4 },
	{ "callto", do_callto, 5 },
	{ "acall", do_acall, 4 },
	{ "getrply", do_getrply, 3 },
	{ "cancel", do_cancel, 2 },
	{ "tout", do_tout, 2 },
	{ "lastprio", do_lastprio, 1 },
	{ "blktime", do_blktime, 3 },
	{ "prio", do_prio, 3 },
	{ "init", do_init, 1 },
	{ "term", do_term, 1 },
	{ "calls", do_calls, 8 },
	{ "churn", do_churn, 3 },
	{ "contexts", do_contexts, 3 },
	{ "flood", do_flood, 5 },
	{ "spray", do_spray, 4 },
	{ "many", do_many, 4 },
	{ "abuse", do_abuse, 2 },
	{ "fork", do_fork, 2 },
	{ "alarm", do_alarm, 3 },
	{ "short", do_short, 5 },
	{ "points", do_points, 5 },
	{ "tally", do_tally, 5 },
	{ "cancelself", do_cancelself, 2 },
	{ "cancelstorm", do_cancelstorm, 3 },
	{ "cancelwait", do_cancelwait, 3 },
	{ "fldadd", do_fldadd, 3 },
	{ "info", do_info, 5 },
	{ "reqlog", do_reqlog, 4 },
	{ "locked", do_locked, 2 },
	{ "canceltalk", do_canceltalk, 3 },
	{ "connect", do_connect, 4 },
	{ "send", do_send, 4 },
	{ "recv", do_recv, 4 },
	{ "discon", do_discon, 2 },
	{ "stream", do_stream, 5 },
	{ "drain", do_drain, 2 },
	{ "convs", do_convs, 3 },
	{ "setsig", do_setsig, 2 },
	{ "replyfd", do_replyfd, 1 },
	{ "readable", do_readable, 2 },
	{ "looptime", do_looptime, 1 },
	{ "replywait", do_replywait, 2 },
	{ "fdopen", do_fdopen, 1 },
	{ "forkfd", do_forkfd, 1 },
	{ "execfds", do_execfds, 2 },
	{ "forkstorm", do_forkstorm, 3 },
};

static int run(char *line)
{
	struct words w = { 0 };
	size_t i;
	int max = 1;

	line[strcspn(line, "\n")] = '\0';
	w.w[w.n++] = strsep(&line, " ");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, w.w[0]) == 0)
			break;
	if (i == sizeof(commands) / sizeof(commands[0])) {
		answer_text("{\"err\":\"no command %s\"}", w.w[0]);
		return 1;
	}
	max = commands[i].max;
	while (line != NULL && w.n < max - 1)
		w.w[w.n++] = strsep(&line, " ");
	if (line != NULL)
		w.w[w.n++] = line;
	commands[i].fn(&w);
	fflush(stdout);
	return 0;
}

/* A signal of `alarm` between two commands does not end the input. */
static bool next_line(char *line, int size)
{
	errno = 0;
	while (fgets(line, size, stdin) == NULL) {
		if (feof(stdin) || errno != EINTR)
			return false;
		clearerr(stdin);
		errno = 0;
	}
	return true;
}

int main(int argc, char **argv)
{
	static char line[65536];
	int i, r = 0;

	if (argc > 1) {
		for (i = 1; i < argc; i++) {
			strcat(line, argv[i]);
			if (i + 1 < argc)
				strcat(line, " ");
		}
		return run(line);
	}
	while (next_line(line, sizeof(line)))
		r |= run(line);
	return r;
}
