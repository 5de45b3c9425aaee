/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soak.c - messages on their way through two queues, in transactions
 *
 *	soak produce NUMBER COUNT BATCH BYTES LOG	into queue Q of space S
 *	soak move BATCH STOP				from Q to R
 *	soak consume BATCH LOG STOP			from R
 *
 * Each process may be killed at any time, and started again with its log. A
 * transaction has at most BATCH messages. Logs, for soak.py: a line `t` and the
 * messages before the commit; behind it `a`: committed, or `x`: rolled back;
 *with neither nobody has said so. Ids are never used twice. move and consume go
 *on until the file STOP is there.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>

#define SECONDS 10 /* of a transaction */
#define ID_STEP 1000000000L
#define LINE	32768

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static int open_log(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND, 0644);

	if (fd >= 0)
		return fd;
	perror(path);
	exit(2);
}

static void note(int fd, const char *line)
{
	if (write(fd, line, strlen(line)) == (ssize_t)strlen(line))
		return;
	perror("log");
	exit(2);
}

static int put(const char *queue, char *data, long len)
{
	TPQCTL c;

	memset(&c, 0, sizeof(c));
	return tpenqueue((char *)"S", (char *)queue, &c, data, len, 0);
}

/* 0; 1: the queue is empty; -1. */
static int get(const char *queue, char **data, long *len)
{
	TPQCTL c;

	memset(&c, 0, sizeof(c));
	if (tpdequeue((char *)"S", (char *)queue, &c, data, len, 0) == 0)
		return 0;
	return tperrno == TPEDIAGNOSTIC && c.diagnostic == QMENOMSG ? 1 : -1;
}

/* End the transaction: what is known of it, as in logs; 0: nothing. */
static char finish(bool commit)
{
	if (!commit) {
		if (tpgetlev() > 0)
			tpabort(0);
		return 'x'; /* a commit was never asked for */
	}
	if (tpcommit(0) == 0)
		return 'a';
	return tperrno == TPEABORT ? 'x' : '\0';
}

/* ---- produce ---- */

/* What the log says: messages that were committed, and the next id. */
static long read_log(const char *path, long first, long *ret_next)
{
	FILE *f = fopen(path, "r");
	long id, n, sum = 0;
	char kind;

	*ret_next = first;
	while (f != NULL && fscanf(f, " %c %ld %ld", &kind, &id, &n) == 3) {
		if (kind == 't')
			*ret_next = id + n;
		if (kind == 'a')
			sum += n;
	}
	if (f != NULL)
		fclose(f);
	return sum;
}

static char put_some(long first, long n, char *data, long bytes)
{
	bool ok = tpopen() == 0 && tpbegin(SECONDS, 0) == 0;
	long i;

	for (i = 0; i < n && ok; i++) {
		snprintf(data, (size_t)bytes, "%ld", first + i);
		ok = put("Q", data, bytes) == 0;
	}
	return finish(ok);
}

static int produce(char **argv)
{
	long count = atol(argv[3]), batch = atol(argv[4]);
	long bytes = atol(argv[5]), next, done, n;
	int fd = open_log(argv[6]);
	char *data = tpalloc((char *)"CARRAY", NULL, bytes), line[96], kind;

	memset(data, ' ', (size_t)bytes);
	done = read_log(argv[6], atol(argv[2]) * ID_STEP, &next);
	while (done < count) {
		n = count - done < batch ? count - done : batch;
		snprintf(line, sizeof(line), "t %ld %ld\n", next, n);
		note(fd, line);
		kind = put_some(next, n, data, bytes);
		if (kind != '\0') {
			line[0] = kind;
			note(fd, line);
		}
		done += kind == 'a' ? n : 0;
		next += n;
		if (kind != 'a')
			rest();
	}
	tpfree(data);
	return tpterm();
}

/* ---- move, consume ---- */

/* Take messages, and move them on (to != NULL), or write their ids behind
 * `line`: how many, -1. */
static long take_some(const char *from, const char *to, long batch, char **data,
		      char *line)
{
	long i, len = 0, at = (long)strlen(line);
	int r = 0;

	for (i = 0; i < batch; i++) {
		r = get(from, data, &len);
		if (r != 0)
			break;
		if (to != NULL && put(to, *data, len) != 0)
			return -1;
		if (to == NULL)
			at += snprintf(line + at, (size_t)(LINE - at), " %ld",
				       atol(*data));
	}
	return r < 0 ? -1 : i;
}

static int take(const char *from, const char *to, long batch, int fd,
		const char *stop)
{
	char *data = tpalloc((char *)"CARRAY", NULL, 64), line[LINE], end[4];
	char kind;
	long n;

	while (access(stop, F_OK) != 0) {
		strcpy(line, "t");
		n = tpopen() == 0 && tpbegin(SECONDS, 0) == 0
			? take_some(from, to, batch, &data, line) : -1;
		if (fd >= 0 && n > 0) {
			strcat(line, "\n");
			note(fd, line);
		}
		kind = finish(n > 0);
		snprintf(end, sizeof(end), "%c\n", kind);
		if (fd >= 0 && n > 0 && kind != '\0')
			note(fd, end);
		if (n <= 0)
			rest();
	}
	tpfree(data);
	return tpterm();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "produce") == 0 && argc == 7)
		return produce(argv);
	if (strcmp(what, "move") == 0 && argc == 4)
		return take("Q", "R", atol(argv[2]), -1, argv[3]);
	if (strcmp(what, "consume") == 0 && argc == 5)
		return take("R", NULL, atol(argv[2]), open_log(argv[3]),
			    argv[4]);
	return 2;
}
