/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - what services were seen to take and give
 */
#include "libndrx/observe/schema.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/observe/run_files.h"
#include "libubf/base/printable.h"

#define CELLS 6

struct reading {
	ow_schema_fn *fn;
	void *arg;
	struct ow_schema_buffer buffer;
	char *text; /* of the buffer */
};

/* The number of cells; `cell` points into `line`. */
static unsigned int split(char *line, char *cell[CELLS])
{
	char *rest = line;
	unsigned int n;

	line[strcspn(line, "\n")] = '\0';
	for (n = 0; n < CELLS && rest != NULL; n++) {
		cell[n] = strsep(&rest, "\t");
		ow_printable(cell[n]);
	}
	return n;
}

static void take_buffer(struct reading *r, char **line, char *cell[CELLS])
{
	free(r->text);
	r->text = *line;
	*line = NULL;
	r->buffer.service = cell[1];
	r->buffer.direction = cell[2];
	r->buffer.kind = cell[3];
	r->buffer.samples = strtoull(cell[4], NULL, 10);
	r->fn(&r->buffer, NULL, r->arg);
}

static void take_field(struct reading *r, char *cell[CELLS])
{
	struct ow_schema_field f = {
		.name = cell[1], .type = cell[2],
		.seen = strtoull(cell[3], NULL, 10),
		.least = strtoull(cell[4], NULL, 10),
		.most = strtoull(cell[5], NULL, 10),
	};

	r->fn(&r->buffer, &f, r->arg);
}

static void read_file(long srvid, FILE *f, void *arg)
{
	struct reading *r = arg;
	char *line = NULL, *cell[CELLS];
	size_t room = 0;
	unsigned int n;

	r->buffer = (struct ow_schema_buffer){ .srvid = srvid };
	if (getline(&line, &room, f) <= 0 || strcmp(line, "schema\t1\n") != 0) {
		free(line);
		return;
	}
	while (getline(&line, &room, f) > 0) {
		n = split(line, cell);
		if (n == 5 && strcmp(cell[0], "buffer") == 0) {
			take_buffer(r, &line, cell);
			room = 0;
		} else if (n == 6 && strcmp(cell[0], "field") == 0 &&
			   r->buffer.service != NULL) {
			take_field(r, cell);
		}
	}
	free(line);
	free(r->text);
	r->text = NULL;
}

void ow_schema_each(const struct ow_domain *d, ow_schema_fn *fn, void *arg)
{
	struct reading r = { .fn = fn, .arg = arg };

	ow_run_files_each(d, "schema", read_file, &r);
}
