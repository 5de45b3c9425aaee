/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - the file of clients that are wanted, for the next ndrxd
 */
#include "ndrxd/clients/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libubf/base/cleanup.h"
#include "ndrxd/model/ndrxd.h"

static void path_of(const struct ndrxd *d, char *buf, size_t size)
{
	snprintf(buf, size, "%s/clients", d->dom->run_dir);
}

/* The first line: identifies these tables. */
static void name_tables(const struct ndrxd *d, char *buf, size_t size)
{
	struct stat st = { 0 };

	fstat(d->dom->tables->fd, &st);
	snprintf(buf, size, "tables %" PRIu64 " %.39s booted %d",
		 (uint64_t)st.st_ino, d->dom->tables->head->boot_id,
		 d->booted);
}

void ow_client_record(struct ndrxd *d)
{
	char path[600], tmp[620], head[100];
	bool bad;
	FILE *f;
	size_t i;

	if (d->ipc_gone)
		return;
	path_of(d, path, sizeof(path));
	snprintf(tmp, sizeof(tmp), "%s.new", path);
	name_tables(d, head, sizeof(head));
	unlink(tmp);
	f = fopen(tmp, "wxe");
	bad = f == NULL || fprintf(f, "%s\n", head) < 0;
	for (i = 0; i < d->n_clients && !bad; i++)
		if (d->clients[i]->au.want)
			bad = fprintf(f, "%s %s\n", d->clients[i]->tag,
				      d->clients[i]->subsect) < 0;
	if (f != NULL)
		bad |= fclose(f) != 0;
	if (bad || rename(tmp, path) < 0)
		log_warn("%s: cannot be written: the next ndrxd does not know "
			 "which clients are to run",
			 path);
}

bool ow_client_record_read(struct ndrxd *d,
			   void (*wanted)(void *arg, const char *tag,
					  const char *subsect),
			   void *arg)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	char path[600], line[200], head[100], tag[64], subsect[64];
	bool booted;
	size_t n;

	path_of(d, path, sizeof(path));
	if (ow_owned_fopen(path, &f) != 0 || fgets(line, sizeof(line), f) == NULL)
		return false;
	line[strcspn(line, "\n")] = '\0';
	n = strlen(line);
	booted = n > 0 && line[n - 1] == '1';
	d->booted = booted;
	name_tables(d, head, sizeof(head));
	if (strcmp(line, head) != 0)
		return false;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%63s %63s", tag, subsect) == 2)
			wanted(arg, tag, subsect);
	return booted;
}

void ow_client_record_remove(struct ndrxd *d)
{
	char path[600];

	path_of(d, path, sizeof(path));
	unlink(path);
}
