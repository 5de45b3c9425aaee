/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - hosts: which hosts services call by HTTP, and whether they are left
 * alone
 *
 * Each server that calls URLs writes run/hosts.SRVID, as a whole: a line with
 * its process, then a line for each host, parted by tabs
 * (servers/httpgate/internal/out/status.go).
 */
#include "clients/xadmin/list/list.h"

#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libndrx/observe/format.h"
#include "libubf/base/printable.h"

static const struct ow_column columns[] = {
	{ "SRVID", 5, OW_COLUMN_RIGHT },   { "HOST", 24, OW_COLUMN_GROWS },
	{ "BREAKER", 9, 0 },		   { "CALLS", 6, OW_COLUMN_RIGHT },
	{ "FAILED", 6, OW_COLUMN_RIGHT },  { "RETRIED", 7, OW_COLUMN_RIGHT },
	{ "REFUSED", 7, OW_COLUMN_RIGHT }, { NULL, 0, 0 },
};

struct row {
	char host[256], breaker[16];
	uint64_t calls, failed, retried, refused;
};

static void put_count(struct ow_grid *g, uint64_t n)
{
	char text[OW_FORMAT_MAX];

	ow_grid_cell(g, "%s", ow_format_count(n, text, sizeof(text)));
}

static void put_row(struct ow_listing *l, long srvid, const struct row *r)
{
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_uint(l->json, "srvid", (uint64_t)srvid);
		ow_json_str(l->json, "host", r->host);
		ow_json_str(l->json, "breaker", r->breaker);
		ow_json_uint(l->json, "calls", r->calls);
		ow_json_uint(l->json, "failed", r->failed);
		ow_json_uint(l->json, "retried", r->retried);
		ow_json_uint(l->json, "refused", r->refused);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%ld", srvid);
	ow_grid_cell(l->grid, "%s", r->host);
	ow_grid_cell(l->grid, "%s", r->breaker);
	put_count(l->grid, r->calls);
	put_count(l->grid, r->failed);
	put_count(l->grid, r->retried);
	put_count(l->grid, r->refused);
	ow_grid_end_row(l->grid);
}

/* Does the process live that the first line names? A server that was killed
 * leaves its file. */
static bool is_living(FILE *f)
{
	char line[64];
	long pid = fgets(line, sizeof(line), f) != NULL ? atol(line) : 0;

	return pid > 1 && kill((pid_t)pid, 0) == 0;
}

static void put_line(struct ow_listing *l, long srvid, const char *line)
{
	struct row r;

	if (sscanf(line, "%255[^\t]\t%15[^\t]\t%" SCNu64 "\t%" SCNu64
		   "\t%" SCNu64 "\t%" SCNu64, r.host, r.breaker, &r.calls,
		   &r.failed, &r.retried, &r.refused) != 6)
		return;
	ow_printable(r.host);
	ow_printable(r.breaker);
	put_row(l, srvid, &r);
}

static void put_file(struct ow_listing *l, const char *path)
{
	long srvid = atol(strrchr(path, '.') + 1);
	char line[512];
	FILE *f = NULL;

	if (ow_owned_fopen(path, &f) != 0)
		return;
	if (is_living(f))
		while (fgets(line, sizeof(line), f) != NULL)
			put_line(l, srvid, line);
	fclose(f);
}

int ow_list_hosts(struct ow_args *a)
{
	struct ow_domain d;
	struct ow_listing l;
	char pattern[sizeof(d.sock) + 16];
	glob_t found = { 0 };
	size_t i;
	int r = ow_reach_own(a, &d);

	if (r != OW_EXIT_OK)
		return r;
	snprintf(pattern, sizeof(pattern), "%.*s/hosts.[0-9]*",
		 (int)(strrchr(d.sock, '/') == NULL
			   ? 0
			   : strrchr(d.sock, '/') - d.sock), d.sock);
	if (ow_listing_begin(&l, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	if (glob(pattern, 0, NULL, &found) == 0)
		for (i = 0; i < found.gl_pathc; i++)
			put_file(&l, found.gl_pathv[i]);
	globfree(&found);
	ow_listing_end(&l);
	return OW_EXIT_OK;
}
