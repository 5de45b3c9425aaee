/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharecl.c - threads that share one context, as in Tuxedo: sharecl COMMAND [...]
 *
 * NDRX_COMPAT is strict-tuxedo. Prints "ok", or what is wrong. In commands that
 * begin with "one" no thread puts it on: the process has it (no TPMULTICONTEXTS).
 */
#include "sharecl.h"

TPCONTEXT_T shared;
atomic_int wrong, begun, over;
char **argv_;
static int argc_;

const char *arg(int i, const char *def)
{
	return i < argc_ ? argv_[i] : def;
}

char *text_of(const char *s)
{
	char *b = tpalloc("STRING", NULL, 1024);

	snprintf(b, 1024, "%s", s);
	return b;
}

int call(const char *svc, const char *text)
{
	char *data = text_of(text), *out = NULL;
	long len = 0;
	int r = tpcall((char *)svc, data, 0, &out, &len, 0);

	r = r < 0 ? tperrno : strcmp(out, text) == 0 ? 0 : 100;
	tpfree(data);
	if (out != NULL)
		tpfree(out);
	return r;
}

int call_number(const char *svc, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", n);
	return call(svc, text);
}

static int one(void)
{
	return strncmp(arg(1, ""), "one", 3) == 0;
}

void enter(void)
{
	if (!one())
		IS(tpsetctxt(shared, 0) >= 0);
	atomic_fetch_add(&begun, 1);
}

void await(atomic_int *what, int n)
{
	while (atomic_load(what) < n)
		usleep(1000);
}

pthread_t start(void *(*fn)(void *), long n)
{
	pthread_t t;

	pthread_create(&t, NULL, fn, (void *)(intptr_t)n);
	return t;
}

void run(void *(*fn)(void *))
{
	pthread_t t[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		t[i] = start(fn, i);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

int join_many(void)
{
	TPINIT *info = (TPINIT *)tpalloc("TPINIT", NULL, TPINITNEED(0));
	int r;

	memset(info, 0, sizeof(*info));
	info->flags = TPMULTICONTEXTS;
	r = tpinit(info) == 0 ? 0 : tperrno;
	tpfree((char *)info);
	return r;
}

static const struct {
	const char *word;
	void (*fn)(void);
} commands[] = {
	{ "calls", all_call }, { "replies", replies }, { "any", any },
	{ "beside", beside },  { "term", term },       { "free", frees },
	{ "tran", tran },      { "begin", begin },     { "early", early },
	{ "conv", conv },      { "full", all_fill }, { "cancel", cancel },
	{ "object", object },  { "child", child },     { "again", again },
	{ "line", line },
	{ "one", all_call },   { "one_first", one_first },
	{ "one_ends", one_ends }, { "one_new", one_new }, { "one_or_many", one_or_many },
	{ "one_replies", replies }, { "one_any", any },
	{ "one_beside", beside }, { "one_conv", conv },
	{ "one_full", all_fill }, { "one_cancel", cancel },
	{ "one_tran", tran },  { "one_begin", begin }, { "one_early", early },
	{ "one_child", child }, { "one_again", again },
};

int main(int argc, char **argv)
{
	size_t i;

	argc_ = argc;
	argv_ = argv;
	IS(one() ? tpinit(NULL) == 0 : join_many() == 0);
	IS(tpgetctxt(&shared, 0) >= 0 && shared != TPNULLCONTEXT);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(arg(1, ""), commands[i].word) == 0)
			commands[i].fn();
	IS(tpterm() == 0);
	if (wrong == 0)
		puts("ok");
	return wrong != 0;
}
