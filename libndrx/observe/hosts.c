/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - the hosts that services call by HTTP
 */
#include "libndrx/observe/hosts.h"

#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
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

static void read_file(const char *path,
		      void (*fn)(const struct ow_host *h, void *arg), void *arg)
{
	struct ow_host h = { .srvid = atol(strrchr(path, '.') + 1) };
	char line[512];
	FILE *f = NULL;

	if (ow_owned_fopen(path, &f) != 0)
		return;
	if (is_living(f))
		while (fgets(line, sizeof(line), f) != NULL)
			if (read_line(line, &h))
				fn(&h, arg);
	fclose(f);
}

void ow_hosts_each(const struct ow_domain *d,
		   void (*fn)(const struct ow_host *h, void *arg), void *arg)
{
	const char *end = strrchr(d->sock, '/');
	char pattern[sizeof(d->sock) + 16];
	glob_t found = { 0 };
	size_t i;

	if (end == NULL)
		return;
	snprintf(pattern, sizeof(pattern), "%.*s/hosts.[0-9]*",
		 (int)(end - d->sock), d->sock);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (i = 0; i < found.gl_pathc; i++)
			read_file(found.gl_pathv[i], fn, arg);
	globfree(&found);
}
