/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workcl.c - call WORK from many threads for some time
 *
 *	workcl KIND CALLERS SECONDS
 *
 * KIND: work.h. Each caller is a thread with a context of its own. The result
 * is one JSON object on standard output; exit status 0 when every call
 * succeeded.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>

#include "bench/work.h"

static _Thread_local char *buf;
static atomic_flag told = ATOMIC_FLAG_INIT; /* of the first failure */

static int call(void *self, long thread, struct work_order *o)
{
	long len = 0;

	(void)self;
	(void)thread;
	if (buf == NULL)
		buf = tpalloc("CARRAY", NULL, sizeof(*o));
	if (buf == NULL)
		return -1;
	memcpy(buf, o, sizeof(*o));
	if (tpcall("WORK", buf, sizeof(*o), &buf, &len, 0) == -1 ||
	    len != (long)sizeof(*o)) {
		if (!atomic_flag_test_and_set(&told))
			fprintf(stderr, "workcl: %s\n", tpstrerror(tperrno));
		return -1;
	}
	memcpy(o, buf, sizeof(*o));
	return 0;
}

static void leave(void *self, long thread)
{
	(void)self;
	(void)thread;
	tpfree(buf);
	tpterm();
}

int main(int argc, char **argv)
{
	struct work_crowd crowd = { .call = call, .leave = leave };

	if (argc == 4) {
		crowd.kind = argv[1];
		crowd.threads = atol(argv[2]);
		crowd.seconds = atof(argv[3]);
	}
	if (argc != 4 || !work_known(crowd.kind) || crowd.threads < 1 ||
	    crowd.threads > WORK_THREADS_MAX || crowd.seconds <= 0) {
		fprintf(stderr, "usage: workcl burnN|sleepN|net|mixed CALLERS "
				"SECONDS\n");
		return 2;
	}
	return work_run(&crowd);
}
