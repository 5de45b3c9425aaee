/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_queue.c - commands of the test client about durable queues
 */
#include <tx.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>

#include "testcl.h"

/* ---- control blocks as words ---- */

/* An item of OPTS: corrid=abc,prio=5,rel=1,abs=..,exprel=2,reply=R,fail=F,
 * flags=0x80,msgid=HEX,urcode=1,appkey=2; bad=1: a name of 16 characters. */
static void set_item(TPQCTL *c, const char *key, const char *value)
{
	size_t i;
	unsigned int byte;

	if (strcmp(key, "corrid") == 0) {
		c->flags |= TPQCORRID;
		strncpy(c->corrid, value, sizeof(c->corrid));
	} else if (strcmp(key, "bycorrid") == 0) {
		c->flags |= TPQGETBYCORRID;
		strncpy(c->corrid, value, sizeof(c->corrid));
	} else if (strcmp(key, "msgid") == 0) {
		c->flags |= TPQGETBYMSGID;
		for (i = 0; i < TMMSGIDLEN && value[2 * i] != '\0'; i++) {
			if (sscanf(value + 2 * i, "%2x", &byte) == 1)
				c->msgid[i] = (char)byte;
		}
	} else if (strcmp(key, "prio") == 0) {
		c->flags |= TPQPRIORITY;
		c->priority = atol(value);
	} else if (strcmp(key, "rel") == 0) {
		c->flags |= TPQTIME_REL;
		c->deq_time = atol(value);
	} else if (strcmp(key, "abs") == 0) {
		c->flags |= TPQTIME_ABS;
		c->deq_time = atol(value);
	} else if (strcmp(key, "exprel") == 0) {
		c->flags |= TPQEXPTIME_REL;
		c->exp_time = atol(value);
	} else if (strcmp(key, "expabs") == 0) {
		c->flags |= TPQEXPTIME_ABS;
		c->exp_time = atol(value);
	} else if (strcmp(key, "reply") == 0) {
		c->flags |= TPQREPLYQ;
		memset(c->replyqueue, 0, sizeof(c->replyqueue));
		memcpy(c->replyqueue, value, strnlen(value, 16));
	} else if (strcmp(key, "fail") == 0) {
		c->flags |= TPQFAILUREQ;
		memcpy(c->failurequeue, value, strnlen(value, 16));
	} else if (strcmp(key, "urcode") == 0) {
		c->urcode = atol(value);
	} else if (strcmp(key, "appkey") == 0) {
		c->appkey = atol(value);
	} else if (strcmp(key, "flags") == 0) {
		c->flags |= strtol(value, NULL, 0);
	} else if (strcmp(key, "wait") == 0) {
		c->flags |= TPQWAIT;
	} else if (strcmp(key, "peek") == 0) {
		c->flags |= TPQPEEK;
	}
}

static void fill(TPQCTL *c, const char *opts)
{
	char copy[512], *save = NULL, *item, *eq;

	/* "unclean" comes first: memory that was used before. */
	memset(c, strncmp(opts, "unclean", 7) == 0 ? 0x55 : 0, sizeof(*c));
	c->flags = 0;
	snprintf(copy, sizeof(copy), "%s", opts);
	for (item = strtok_r(copy, ",", &save); item != NULL;
	     item = strtok_r(NULL, ",", &save)) {
		eq = strchr(item, '=');
		if (eq != NULL)
			*eq++ = '\0';
		set_item(c, item, eq != NULL ? eq : "");
	}
}

/* The control block as a word: items with ; between them. */
static void tell(const TPQCTL *c, char *to, size_t size)
{
	char id[2 * TMMSGIDLEN + 1];
	int i;

	for (i = 0; i < TMMSGIDLEN; i++)
		sprintf(id + 2 * i, "%02x", (unsigned char)c->msgid[i]);
	snprintf(to, size, "diag=%ld;msgid=%s;corrid=%.32s;prio=%ld;reply=%.15s;"
		 "fail=%.15s;urcode=%ld;appkey=%ld;flags=%ld;cltid=%.95s",
		 c->diagnostic, id, c->corrid, c->priority, c->replyqueue,
		 c->failurequeue, c->urcode, c->appkey, c->flags,
		 c->cltid.clientdata);
}

static char *name_of(const char *w)
{
	return strcmp(w, "-") == 0 ? NULL : (char *)w;
}

/* SPACE @NODE/SRVID: the function with these. */
static int put(const char *space, char *queue, TPQCTL *c, char *data, long len,
	       long flags)
{
	int node, srv;

	if (sscanf(space, "@%d/%d", &node, &srv) == 2)
		return tpenqueueex((short)node, (short)srv, queue, c, data, len,
				   flags);
	return tpenqueue(name_of(space), queue, c, data, len, flags);
}

static int get(const char *space, char *queue, TPQCTL *c, char **data,
	       long *len, long flags)
{
	int node, srv;

	if (sscanf(space, "@%d/%d", &node, &srv) == 2)
		return tpdequeueex((short)node, (short)srv, queue, c, data, len,
				   flags);
	return tpdequeue(name_of(space), queue, c, data, len, flags);
}

/* ---- commands ---- */

/* enq SPACE QUEUE FLAGS OPTS DATA; OPTS "null": no control block */
void do_enq(const struct words *w)
{
	bool null = strcmp(word(w, 4, "-"), "null") == 0;
	char text[1024];
	TPQCTL c;
	long len;
	char *data = make_data(word(w, 5, "-"), &len);
	double t;
	int r;

	fill(&c, word(w, 4, "-"));
	t = now_ms();
	r = put(word(w, 1, ""), name_of(word(w, 2, "")), null ? NULL : &c,
		data, len, flags_of(word(w, 3, "-")));
	tell(&c, text, sizeof(text));
	answer_event(r, NULL, 0, t, text);
	if (data != NULL)
		tpfree(data);
}

/* deq SPACE QUEUE FLAGS OPTS [TYPE]: into a buffer of that type */
void do_deq(const struct words *w)
{
	bool null = strcmp(word(w, 4, "-"), "null") == 0;
	const char *type = word(w, 5, "-");
	char text[1024], *data = NULL;
	TPQCTL c;
	long len = 0;
	double t;
	int r;

	if (strcmp(type, "-") != 0)
		data = make_buffer(type, 1024);
	fill(&c, word(w, 4, "-"));
	t = now_ms();
	r = get(word(w, 1, ""), name_of(word(w, 2, "")), null ? NULL : &c,
		&data, &len, flags_of(word(w, 3, "-")));
	tell(&c, text, sizeof(text));
	answer_event(r, r == 0 ? data : NULL, len, t, text);
	if (data != NULL)
		tpfree(data);
}

/* enqmany SPACE QUEUE COUNT SIZE: STRING messages 0, 1, ...; `ret` is how many
 * were put */
void do_enqmany(const struct words *w)
{
	long i, n = number(w, 3, 1), size = number(w, 4, 64);
	char *data = tpalloc("STRING", NULL, size + 32);
	double t = now_ms();
	TPQCTL c;

	for (i = 0; i < n; i++) {
		fill(&c, "");
		snprintf(data, (size_t)size + 32, "%0*ld", (int)size - 1, i);
		if (put(word(w, 1, ""), (char *)word(w, 2, ""), &c, data, 0,
			0) != 0)
			break;
	}
	answer_call((int)i, NULL, 0, t);
	tpfree(data);
}

/* tx suspend, tx resume TEXT: the transaction as text, for any client. */
static void do_moved(const struct words *w, bool suspends)
{
	int r, initiator = 0, flags = 0;
	double t = now_ms();
	char *text = tpalloc("STRING", NULL, 128);
	TPTRANID id;

	memset(&id, 0, sizeof(id));
	if (!suspends) {
		sscanf(word(w, 2, ""), "%48[^/]/%d/%d", id.tmxid, &initiator,
		       &flags);
		id.is_tx_initiator = initiator;
		id.tmtxflags = (short)flags;
	}
	r = suspends ? tpsuspend(&id, 0) : tpresume(&id, 0);
	snprintf(text, 128, "%s/%d/%d", id.tmxid, id.is_tx_initiator,
		 id.tmtxflags);
	answer_call(r, text, 0, t);
	tpfree(text);
}

/* tx open|close|begin|plainbegin|txopen|txbegin|commit|abort|level: `ret` is the
 * result; begin [SECONDS] opens, too */
void do_tx(const struct words *w)
{
	const char *op = word(w, 1, "");
	double t = now_ms();
	int r;

	if (strcmp(op, "suspend") == 0 || strcmp(op, "resume") == 0) {
		do_moved(w, op[0] == 's');
		return;
	}
	r = strcmp(op, "open") == 0	    ? tpopen()
		: strcmp(op, "close") == 0  ? tpclose()
		: strcmp(op, "begin") == 0
			? tpopen() | tpbegin((unsigned long)number(w, 2, 20), 0)
		: strcmp(op, "plainbegin") == 0 ? tpbegin(20, 0)
		: strcmp(op, "txbegin") == 0 ? tx_begin()
		: strcmp(op, "txopen") == 0 ? tx_open()
		: strcmp(op, "commit") == 0 ? tpcommit(0)
		: strcmp(op, "abort") == 0  ? tpabort(0)
					    : tpgetlev();

	answer_call(r, NULL, 0, t);
}

/* ---- producers and consumers of the audit ---- */

static void note(int fd, const char *text)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%s\n", text);

	if (write(fd, line, (size_t)n) == n)
		return;
	perror(text);
	abort();
}

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

/* produce SPACE QUEUE NAME COUNT FILE: messages NAME.0, NAME.1, ...; each is
 * repeated until it is acknowledged, and then noted in FILE. Those in FILE are
 * done already. */
void do_produce(const struct words *w)
{
	long i = 0, n = number(w, 4, 1);
	int fd = open(word(w, 5, ""), O_RDWR | O_CREAT | O_APPEND, 0644);
	char *data = tpalloc("STRING", NULL, 1024), byte;
	double t = now_ms();
	TPQCTL c;

	while (read(fd, &byte, 1) == 1)
		i += byte == '\n';
	while (i < n) {
		fill(&c, "");
		snprintf(data, 1024, "%s.%ld", word(w, 3, ""), i);
		if (put(word(w, 1, ""), (char *)word(w, 2, ""), &c, data, 0,
			0) != 0) {
			rest();
			continue;
		}
		note(fd, data);
		i++;
	}
	close(fd);
	tpfree(data);
	answer_call(0, NULL, 0, t);
}

/* One message: read, noted, taken away by its id. */
static int consume_one(const struct words *w, int fd, char **data)
{
	long len = 0;
	TPQCTL c;

	fill(&c, "peek");
	if (get(word(w, 1, ""), (char *)word(w, 2, ""), &c, data, &len, 0) != 0)
		return -1;
	note(fd, *data);
	c.flags = TPQGETBYMSGID;
	return get(word(w, 1, ""), (char *)word(w, 2, ""), &c, data, &len, 0);
}

/* consume SPACE QUEUE FILE STOP: until the file STOP is there and the queue is
 * empty */
void do_consume(const struct words *w)
{
	int fd = open(word(w, 3, ""), O_WRONLY | O_CREAT | O_APPEND, 0644);
	char *data = NULL;
	double t = now_ms();
	bool last;

	for (;;) {
		last = access(word(w, 4, ""), F_OK) == 0;
		if (consume_one(w, fd, &data) == 0)
			continue;
		if (last && tperrno == TPEDIAGNOSTIC)
			break;
		rest();
	}
	close(fd);
	if (data != NULL)
		tpfree(data);
	answer_call(0, NULL, 0, t);
}

/* ---- the mover of the audit ---- */

/* One message in a transaction: 0; -1, tperrno of what has failed first. */
static int move_one(const struct words *w, char **data)
{
	long len = 0;
	int err;
	TPQCTL c;

	if (tpopen() != 0 || tpbegin(10, 0) != 0)
		return -1;
	fill(&c, "");
	if (get(word(w, 1, ""), (char *)word(w, 2, ""), &c, data, &len, 0) ==
	    0) {
		fill(&c, "");
		if (put(word(w, 1, ""), (char *)word(w, 3, ""), &c, *data, 0,
			0) == 0 &&
		    tpcommit(0) == 0)
			return 0;
	}
	err = tperrno;
	if (tpgetlev() > 0)
		tpabort(0);
	tperrno = err;
	return -1;
}

/* move SPACE FROM TO STOP: until the file STOP is there, and FROM is empty */
void do_move(const struct words *w)
{
	char *data = NULL;
	double t = now_ms();
	bool empty = false;

	while (!empty || access(word(w, 4, ""), F_OK) != 0) {
		empty = move_one(w, &data) != 0 && tperrno == TPEDIAGNOSTIC;
		if (empty)
			rest();
	}
	if (data != NULL)
		tpfree(data);
	answer_call(0, NULL, 0, t);
}
