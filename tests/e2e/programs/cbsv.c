/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cbsv.c - a server whose callbacks have a pointer of the program
 *
 * CBONE and CBTWO are one function with two pointers: each says its own text and
 * how often it was called. CBALL says what the other callbacks have counted. CBTELL
 * sends an unsolicited message to its caller. CBADD says what advertising CBONE
 * again gives: with its pointer, with another one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tpbind.h>

#include "common.h"

struct program {
	long inits, thread_inits, periods, waits;
};
struct named {
	const char *name;
	long calls;
};

static struct program all;
static struct named one = { "one", 0 }, two = { "two", 0 };

static void answer(const char *text)
{
	char *b = tpalloc("STRING", NULL, (long)strlen(text) + 1);

	strcpy(b, text);
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

static void svc_named(TPSVCINFO *s, void *data)
{
	struct named *n = data;
	char text[100];

	snprintf(text, sizeof(text), "%s %ld %s", n->name,
		 __atomic_add_fetch(&n->calls, 1, __ATOMIC_RELAXED), s->fname);
	answer(text);
}

static int is_set(const long *n)
{
	return __atomic_load_n(n, __ATOMIC_RELAXED) > 0;
}

static void svc_all(TPSVCINFO *s, void *data)
{
	struct program *p = data;
	char text[100];

	(void)s;
	snprintf(text, sizeof(text), "%ld %ld %d %d", p->inits,
		 p->thread_inits, is_set(&p->periods), is_set(&p->waits));
	answer(text);
}

static void svc_tell(TPSVCINFO *s, void *data)
{
	char *b = tpalloc("STRING", NULL, 10);

	(void)data;
	strcpy(b, "news");
	if (tpnotify(&s->cltid, b, 0, 0) != 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	else
		answer("told");
	tpfree(b);
}

static const char *result(int r)
{
	return r == 0 ? "OK" : tpecodestr(tperrno);
}

static void svc_add(TPSVCINFO *s, void *data)
{
	char text[100];
	const char *same = result(tpadvertise_cb("CBONE", svc_named, &one));
	const char *other = result(tpadvertise_cb("CBONE", svc_named, &two));
	const char *none = result(tpadvertise_cb("CBONE", NULL, &two));

	(void)s;
	(void)data;
	snprintf(text, sizeof(text), "%s %s %s", same, other, none);
	answer(text);
}

static int on_period(void *data)
{
	__atomic_add_fetch(&((struct program *)data)->periods, 1,
			   __ATOMIC_RELAXED);
	return 0;
}

static int before_wait(void *data)
{
	__atomic_add_fetch(&((struct program *)data)->waits, 1,
			   __ATOMIC_RELAXED);
	return 0;
}

static int init(int argc, char **argv, void *data)
{
	struct program *p = data;

	(void)argc;
	(void)argv;
	p->inits++;
	return tpadvertise_cb("CBONE", svc_named, &one) != 0 ||
		       tpadvertise_cb("CBTWO", svc_named, &two) != 0 ||
		       tpadvertise_cb("CBALL", svc_all, p) != 0 ||
		       tpadvertise_cb("CBTELL", svc_tell, p) != 0 ||
		       tpadvertise_cb("CBADD", svc_add, p) != 0 ||
		       tpext_addperiod_cb(1, on_period, p) != 0 ||
		       tpext_addb4poll_cb(before_wait, p) != 0
		   ? -1
		   : 0;
}

static void done(void *data)
{
	printf("done %ld\n", ((struct program *)data)->inits);
}

static int thread_init(int argc, char **argv, void *data)
{
	(void)argc;
	(void)argv;
	__atomic_add_fetch(&((struct program *)data)->thread_inits, 1,
			   __ATOMIC_RELAXED);
	return 0;
}

static void thread_done(void *data)
{
	(void)data;
	printf("thread done\n");
}

int main(int argc, char **argv)
{
	struct tpserver server = { init,	done,
				   thread_init, thread_done,
				   &all,	TPSERVER_THREADS };

	return tprunserver(argc, argv, &server);
}
