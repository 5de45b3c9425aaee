/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - read requests given as text
 */
#include "clients/ud/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "libubf/base/cleanup.h"

#define NAME_FIELD "SRVCNM"
#define SIZE_FIRST 8192
#define SIZE_MAX_UBF (1L << 31)

struct feed {
	const char *at;
	size_t left;
};

static long feed_text(char *buffer, long bufsz, void *arg)
{
	struct feed *f = arg;
	size_t n = f->left < (size_t)bufsz ? f->left : (size_t)bufsz;

	memcpy(buffer, f->at, n);
	f->at += n;
	f->left -= n;
	return (long)n;
}

static int complain(const struct request *r, const char *why)
{
	fprintf(stderr, "ud: request at line %u: %s\n", r->line, why);
	return -1;
}

static int append(struct request *r, const char *line, size_t n)
{
	char *t;

	if (r->len + n + 2 > r->cap) {
		t = realloc(r->text, 2 * (r->len + n) + 256);
		if (t == NULL)
			return complain(r, "out of memory");
		r->text = t;
		r->cap = 2 * (r->len + n) + 256;
	}
	memcpy(r->text + r->len, line, n);
	r->len += n;
	if (line[n - 1] != '\n')
		r->text[r->len++] = '\n';
	return 0;
}

/* Take the service from a line SRVCNM<tab>NAME. True: leave the line out, as
 * no field table has SRVCNM. */
static int take_service(struct request *r, const char *line, size_t n)
{
	const char *value = line + sizeof(NAME_FIELD);
	size_t len;

	if (n <= sizeof(NAME_FIELD) ||
	    strncmp(line, NAME_FIELD "\t", sizeof(NAME_FIELD)) != 0)
		return 0;
	len = strcspn(value, "\r\n");
	if (len < sizeof(r->svc)) {
		memcpy(r->svc, value, len);
		r->svc[len] = '\0';
	}
	return Bfldid((char *)NAME_FIELD) == BBADFLDID;
}

/* Read the lines up to the next blank one: 1, 0 at the end, -1. */
static int read_lines(struct request *r, FILE *in)
{
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int any = 0;

	r->len = 0;
	r->svc[0] = '\0';
	while ((n = getline(&line, &cap, in)) > 0) {
		r->lines_read++;
		if (line[strspn(line, " \t\r\n")] == '\0') {
			if (any)
				return 1;
			continue;
		}
		if (!any)
			r->line = r->lines_read;
		any = 1;
		if (!take_service(r, line, (size_t)n) &&
		    append(r, line, (size_t)n) < 0)
			return -1;
	}
	return any;
}

/* Read the text into the buffer, which grows until it fits. */
static int parse(struct request *r)
{
	struct feed f;
	char *p;
	long size;

	for (size = SIZE_FIRST; size < SIZE_MAX_UBF; size *= 2) {
		p = r->ub == NULL ? tpalloc((char *)"UBF", NULL, size)
				  : tprealloc((char *)r->ub, size);
		if (p == NULL)
			return complain(r, tpstrerror(tperrno));
		r->ub = (UBFH *)(void *)p;
		(void)Binit(r->ub, (BFLDLEN)size);
		f = (struct feed){ r->text, r->len };
		if (Bextreadcb(r->ub, feed_text, &f) == 0)
			return 0;
		if (Berror != BNOSPACE)
			break;
	}
	return complain(r, Bstrerror(Berror));
}

int request_read(struct request *r, FILE *in)
{
	int res = read_lines(r, in);

	if (res <= 0)
		return res;
	if (parse(r) < 0)
		return -1;
	if (r->svc[0] == '\0')
		return complain(r, "no line SRVCNM<tab>service, or no name of "
				   "a service");
	return 1;
}

void request_free(struct request *r)
{
	free(r->text);
	tpfree((char *)r->ub);
}
