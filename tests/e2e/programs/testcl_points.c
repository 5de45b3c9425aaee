/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_points.c - calls with buffers that point to other buffers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "testcl.h"

static int point(char *from, BFLDOCC occ, const char *to)
{
	return Bchg((UBFH *)from, TEST_POINTER, occ, (char *)&to, 0);
}

static char *pointee(char *from, BFLDOCC occ)
{
	char *to = NULL;

	if (Bget((UBFH *)from, TEST_POINTER, occ, (char *)&to, NULL) != 0)
		return NULL;
	return to;
}

/* Is the reply of POINTS to two texts of this size right? */
static int as_expected(char *reply, size_t size)
{
	char *a = pointee(reply, 0), *b = pointee(reply, 1);
	char *more = pointee(reply, 2);

	return a != NULL && b != NULL && more != NULL &&
	       strspn(a, "A") == size && a[size] == '\0' &&
	       strspn(b, "B") == size && b[size] == '\0' &&
	       pointee(more, 0) == reply &&
	       Boccur((UBFH *)reply, TEST_POINTER) == 3;
}

static char *text_of(char c, long size)
{
	char *p = tpalloc("STRING", NULL, size + 1);

	if (p != NULL) {
		memset(p, c, (size_t)size);
		p[size] = '\0';
	}
	return p;
}

/* One call, its reply into the buffer of the call before: 1 right, 0 wrong,
 * -1 failed. */
static int one_call(const char *svc, long size, char **reply)
{
	char *data = tpalloc("UBF", NULL, 1024), *a = text_of('a', size);
	char *b = text_of('b', size);
	long len;
	int r = -1;

	if (data != NULL && point(data, 0, a) == 0 && point(data, 1, b) == 0)
		r = tpcall((char *)svc, data, 0, reply, &len, 0);
	if (r == 0)
		r = as_expected(*reply, (size_t)size) &&
		    strspn(a, "a") == (size_t)size;
	if (data != NULL)
		tpfree(data);
	return r;
}

static long own_rss_kb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all, rss = 0;

	if (f != NULL) {
		if (fscanf(f, "%ld %ld", &all, &rss) != 2)
			rss = 0;
		fclose(f);
	}
	return rss * 4;
}

/* points SVC SIZE ROUNDS */
void do_points(const struct words *w)
{
	long size = number(w, 2, 10), rounds = number(w, 3, 1), ok = 0, i;
	char *reply = NULL;
	int r = 0;

	for (i = 0; i < rounds && r >= 0; i++) {
		r = one_call(word(w, 1, "POINTS"), size, &reply);
		ok += r == 1;
	}
	answer_text("{\"ok\":%ld,\"err\":\"%s\",\"rss_kb\":%ld}", ok,
		    error_name(r < 0 ? tperrno : 0), own_rss_kb());
	if (reply != NULL)
		tpfree(reply);
}
