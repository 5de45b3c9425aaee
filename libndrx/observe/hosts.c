/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - the hosts that services call by HTTP
 */
#include "libndrx/observe/hosts.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/run_files.h"
#include "libubf/base/printable.h"

/* Does the process live that the first line names? A server that was killed
 * leaves its file. */
static bool is_living(FILE *f)
{
	char line[64];
	long pid = fgets(line, sizeof(line), f) != NULL ? atol(line) : 0;

	return pid > 1 && kill((pid_t)pid, 0) == 0;
}

static bool read_line(const char *line, struct ow_host *h)
{
	if (sscanf(line, "%255[^\t]\t%15[^\t]\t%" SCNu64 "\t%" SCNu64
		   "\t%" SCNu64 "\t%" SCNu64, h->name, h->breaker, &h->calls,
		   &h->failed, &h->retried, &h->refused) != 6)
		return false;
	ow_printable(h->name);
	ow_printable(h->breaker);
	h->open = strcmp(h->breaker, "open") == 0;
	return true;
}

struct reading {
	void (*fn)(const struct ow_host *h, void *arg);
	void *arg;
};

static void read_file(long srvid, FILE *f, void *arg)
{
	const struct reading *r = arg;
	struct ow_host h = { .srvid = srvid };
	char line[512];

	if (is_living(f))
		while (fgets(line, sizeof(line), f) != NULL)
			if (read_line(line, &h))
				r->fn(&h, r->arg);
}

void ow_hosts_each(const struct ow_domain *d,
		   void (*fn)(const struct ow_host *h, void *arg), void *arg)
{
	struct reading r = { fn, arg };

	ow_run_files_each(d, "hosts", read_file, &r);
}
