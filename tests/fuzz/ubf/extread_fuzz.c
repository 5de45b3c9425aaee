/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extread_fuzz.c - fuzz the text that Bextread reads
 *
 * What was read is printed and read again: both buffers must be equal, but for
 * reals, which print with six decimals.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libubf/check.h"

struct text {
	const char *at;
	size_t left;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void must(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text t = { (const char *)data, size };
	UBFH *p = Balloc(100, 8000), *q = Balloc(200, 16000);
	char *out = NULL;
	size_t len;
	FILE *f;

	if (Bextreadcb(p, feed, &t) == 0) {
		f = open_memstream(&out, &len);
		must(f != NULL && Bfprint(p, f) == 0 && fclose(f) == 0);
		t = (struct text){ out, len };
		must(Bextreadcb(q, feed, &t) == 0 || Berror == BNOSPACE);
		free(out);
	}
	must(ow_ubf_check(p, ow_ubf_used(p)) == 0);
	must(ow_ubf_check(q, ow_ubf_used(q)) == 0);
	Bfree(p);
	Bfree(q);
	return 0;
}
