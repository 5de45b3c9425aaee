/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf_seeds.c - write some valid buffers to start the fuzzer from
 */
#include <stdio.h>
#include <stdlib.h>
#include <ubf.h>

#include "tests/fuzz/sample.h"

static int save_as(const char *dir, const char *name, int n, UBFH *p)
{
	char path[4096];
	FILE *f;
	int r;

	snprintf(path, sizeof(path), "%s/%s%d", dir, name, n);
	f = fopen(path, "w");
	if (f == NULL)
		return -1;
	r = fwrite(p, 1, (size_t)Bused(p), f) == (size_t)Bused(p) ? 0 : -1;
	return fclose(f) == 0 ? r : -1;
}

/* Save a buffer, and its fields in as little memory as they need: that is one
 * of the dense form. */
static int save(const char *dir, int n, UBFH *p)
{
	UBFH *q = malloc((size_t)Bused(p) + 64);
	int r = save_as(dir, "seed", n, p);
	BFLDLEN size = 64;

	if (q == NULL)
		return -1;
	while (Binit(q, size) < 0 || Bcpy(q, p) < 0)
		size += 8;
	r |= save_as(dir, "dense", n, q);
	free(q);
	return r;
}

int main(int argc, char **argv)
{
	UBFH *p = Balloc(200, 20000), *in = Balloc(40, 2000);
	int type, i, r = 0;

	if (argc != 2 || p == NULL || in == NULL) {
		fprintf(stderr, "usage: ubf_seeds folder\n");
		return 2;
	}
	fuzz_sample_load();
	r |= save(argv[1], 0, p);
	for (i = 0; i < 4; i++) {
		for (type = BFLD_SHORT; type <= BFLD_CARRAY; type++) {
			CBadd(p, Bmkfldid(type, 1 + i), (char *)"12345", 0,
			      BFLD_STRING);
			CBadd(in, Bmkfldid(type, 7), (char *)"x", 0,
			      BFLD_STRING);
			r |= save(argv[1], 1 + i * 10 + type, p);
		}
		Badd(p, Bmkfldid(BFLD_UBF, 1), (char *)in, 0);
		Bdel(p, Bmkfldid(BFLD_STRING, 1 + i), 0);
		fuzz_sample_view(i % 2 == 0 ? p : in, Bmkfldid(BFLD_VIEW, 9));
		r |= save(argv[1], 9 + i * 10, p);
	}
	Bfree(p);
	Bfree(in);
	return r == 0 ? 0 : 1;
}
