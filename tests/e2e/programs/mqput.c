/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mqput.c - send raw bytes to a POSIX queue, or receive some
 *
 *	mqput send NAME		messages from stdin, one per line, in hex,
 *				with the highest priority
 *	mqput take NAME		one message to stdout, in hex
 *	mqput attr NAME		messages queued, capacity, bytes of a message
 *
 * Prints "ok N", or the failing call and its reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int fail(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static size_t unhex(const char *s, unsigned char *to)
{
	unsigned int v;
	size_t n = 0;

	while (sscanf(s + 2 * n, "%2x", &v) == 1)
		to[n++] = (unsigned char)v;
	return n;
}

static int put(const char *name)
{
	static char line[40000];
	static unsigned char bytes[20000];
	mqd_t q = mq_open(name, O_WRONLY);
	int n = 0;

	if (q == (mqd_t)-1)
		return fail("mq_open");
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (mq_send(q, (char *)bytes, unhex(line, bytes), 200) < 0)
			return fail("mq_send");
		n++;
	}
	printf("ok %d\n", n);
	return 0;
}

static int take(const char *name)
{
	static char bytes[20000];
	struct timespec soon = { 0, 0 };
	mqd_t q = mq_open(name, O_RDWR);
	ssize_t i, n;

	if (q == (mqd_t)-1)
		return fail("mq_open");
	n = mq_timedreceive(q, bytes, sizeof(bytes), NULL, &soon);
	if (n < 0)
		return fail("mq_timedreceive");
	for (i = 0; i < n; i++)
		printf("%02x", (unsigned char)bytes[i]);
	putchar('\n');
	return 0;
}

static int show(const char *name)
{
	mqd_t q = mq_open(name, O_RDONLY);
	struct mq_attr a;

	if (q == (mqd_t)-1 || mq_getattr(q, &a) < 0)
		return fail("mq_open");
	printf("ok %ld %ld %ld\n", a.mq_curmsgs, a.mq_maxmsg, a.mq_msgsize);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "send") == 0)
		return put(argv[2]);
	if (argc == 3 && strcmp(argv[1], "attr") == 0)
		return show(argv[2]);
	if (argc == 3 && strcmp(argv[1], "take") == 0)
		return take(argv[2]);
	fprintf(stderr, "usage: mqput send|take|attr NAME\n");
	return 2;
}
