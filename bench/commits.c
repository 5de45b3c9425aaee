/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commits.c - what a transaction costs
 *
 *	commits none THREADS EACH	tpbegin(), tpcommit(), nothing between
 *	commits two THREADS EACH	between them two calls of PG: two branches
 *
 * The result is one JSON object (crew.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>

#include "bench/crew.h"
#include "libatmi/base/clock.h"

static int calls; /* of a transaction */

static int call(long id, long account)
{
	char *text = tpalloc("STRING", NULL, 64);
	long len = 0;
	int r;

	snprintf(text, 64, "%ld %ld 0", id, account);
	r = tpcall((char *)"PG", text, 0, &text, &len, 0);
	tpfree(text);
	return r;
}

static int one(struct crew_worker *w, long id)
{
	uint64_t t;
	int i, r = tpopen() == 0 ? tpbegin(30, 0) : -1;

	if (r != 0)
		return r;
	for (i = 0; i < calls && r == 0; i++)
		r = call(2 * id + i, w->account + i);
	if (r != 0) {
		if (w->failed == 0)
			fprintf(stderr, "commits: a call: %s\n",
				tpstrerror(tperrno));
		tpabort(0);
		return r;
	}
	t = ow_clock_mono_ns();
	r = tpcommit(0);
	w->commit_ns += ow_clock_mono_ns() - t;
	return r;
}

static void end(struct crew_worker *w)
{
	(void)w;
	tpterm();
}

int main(int argc, char **argv)
{
	struct crew crew = { .one = one, .end = end };

	if (argc != 4)
		return 2;
	calls = strcmp(argv[1], "two") == 0 ? 2 : 0;
	crew.threads = atol(argv[2]);
	crew.each = atol(argv[3]);
	if (crew.threads < 1 || crew.threads > CREW_MAX)
		return 2;
	return crew_run(&crew);
}
