/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_extread.c - fuzz the text that Bextread reads
 *
 * The buffer read is printed, read into another one and printed again: both
 * texts must be equal. There are fields of all types and a view.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "tests/fuzz/sample.h"

struct text {
	const char *at;
	size_t left;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_sample_load();
	setenv("NDRX_APIFLAGS", "ubf_ptrparse", 1);
	return 0;
}

static long feed(char *buffer, long bufsz, void *arg)
{
	struct text *t = arg;
	size_t n = t->left < (size_t)bufsz ? t->left : (size_t)bufsz;

	n = n > 7 ? n - 3 : n;	/* uneven pieces */
	if (n == 0)
		return 0;
	memcpy(buffer, t->at, n);
	t->at += n;
	t->left -= n;
	return (long)n;
}

static char *print(UBFH *p, size_t *len)
{
	char *out = NULL;
	FILE *f = open_memstream(&out, len);

	must(f != NULL && Bfprint(p, f) == 0 && fclose(f) == 0);
	return out;
}

static void print_and_read_back(UBFH *p, UBFH *q)
{
	size_t len, again;
	char *first = print(p, &len), *second;
	struct text t = { first, len };

	if (Bextreadcb(q, feed, &t) == 0) {
		must(Bcmp(p, q) == 0);
		second = print(q, &again);
		must(len == again && memcmp(first, second, len) == 0);
		free(second);
	} else {
		must(Berror == BNOSPACE);
	}
	free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text t = { (const char *)data, size };
	UBFH *p = Balloc(100, 8000), *q = Balloc(200, 16000);

	if (Bextreadcb(p, feed, &t) == 0)
		print_and_read_back(p, q);
	must(ow_ubf_check(p, ow_ubf_used(p)) == 0);
	must(ow_ubf_check(q, ow_ubf_used(q)) == 0);
	Bfree(p);
	Bfree(q);
	return 0;
}
