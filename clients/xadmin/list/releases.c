/* SPDX-License-Identifier: Apache-2.0 */
/*
 * releases.c - releases: which build of its program each server runs
 *
 * A process keeps the file that it was started from, also when another one lies
 * under its name meanwhile (doc/operating.md, "Upgrade without downtime"):
 * /proc/PID/exe is that file.
 */
#include "clients/xadmin/list/list.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/build_id.h"
#include "clients/xadmin/output/listing.h"
#include "libatmi/base/clock.h"
#include "libndrx/observe/format.h"
#include "libndrx/observe/procfile.h"

#define DELETED " (deleted)"

static const struct ow_column releases_columns[] = {
	{ "BINARY", 12, OW_COLUMN_GROWS },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "BUILD", 12, 0 },
	{ "OF", 19, 0 },
	{ "SINCE", 19, 0 },
	{ "FILE", 8, 0 },
	{ "REQUESTS", 8, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

struct release {
	char bin[64];
	uint32_t srvid;
	pid_t pid;
	char path[PATH_MAX];
	char build[OW_BUILD_ID], now[OW_BUILD_ID]; /* running; in the file */
	time_t of, since; /* when the file was made; the process started */
	const char *state;
	uint64_t requests;
};

/* `ticks` after the machine. */
static time_t started(uint64_t ticks)
{
	uint64_t begun =
	    ow_clock_real_ns() - ow_clock_ns(CLOCK_BOOTTIME);

	return (time_t)(begun / OW_NS_PER_SEC +
			ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* Of a program that an interpreter runs: the file of this name among its words.
 * False: it is none. */
static bool find_script(struct release *r)
{
	char words[4096], path[PATH_MAX + 32];
	ssize_t at, n = ow_procfile_read(r->pid, "cmdline", words,
					 sizeof(words));
	const char *base;
	struct stat st;

	for (at = 0; at < n; at += (ssize_t)strlen(words + at) + 1) {
		base = strrchr(words + at, '/');
		base = base != NULL ? base + 1 : words + at;
		if (strcmp(base, r->bin) != 0)
			continue;
		if (words[at] == '/')
			snprintf(path, sizeof(path), "%s", words + at);
		else
			snprintf(path, sizeof(path), "/proc/%d/cwd/%s",
				 (int)r->pid, words + at);
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		snprintf(r->path, sizeof(r->path), "%s", words + at);
		r->of = st.st_mtime;
		r->state = st.st_mtime > r->since ? "replaced" : "current";
		return true;
	}
	return false;
}

static void look_at_program(struct release *r, const char *exe)
{
	size_t len = strlen(r->path), tail = strlen(DELETED);
	struct stat runs, is;

	if (len > tail && strcmp(r->path + len - tail, DELETED) == 0)
		r->path[len - tail] = '\0';
	ow_build_id(exe, r->build);
	ow_build_id(r->path, r->now);
	if (stat(exe, &runs) != 0)
		return;
	r->of = runs.st_mtime;
	if (stat(r->path, &is) != 0)
		r->state = "removed";
	else
		r->state = is.st_dev == runs.st_dev && is.st_ino == runs.st_ino
			       ? "current" : "replaced";
}

static void look(const struct ow_observer *v, uint32_t srvid,
		 struct release *r)
{
	const struct ow_srv *s = &v->d.tables->srv[srvid];
	const char *base;
	char exe[40];
	ssize_t n;

	*r = (struct release){ .srvid = ow_observer_srvid(v, srvid),
			       .pid = atomic_load(&s->pid),
			       .state = "unknown" };
	ow_observer_bin(v, srvid, r->bin);
	r->since = started(atomic_load(&s->start));
	r->requests = atomic_load(&s->requests);
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)r->pid);
	n = readlink(exe, r->path, sizeof(r->path) - 1);
	r->path[n > 0 ? n : 0] = '\0';
	base = strrchr(r->path, '/');
	if (base == NULL ||
	    strncmp(base + 1, r->bin, strlen(r->bin)) == 0 || !find_script(r))
		look_at_program(r, exe);
}

static void write_time(time_t at, char ret[20])
{
	struct tm tm;

	if (at == 0 || localtime_r(&at, &tm) == NULL ||
	    strftime(ret, 20, "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		strcpy(ret, "-");
}

static void show(struct ow_listing *l, const struct release *r)
{
	char of[20], since[20], count[OW_FORMAT_MAX];

	write_time(r->of, of);
	write_time(r->since, since);
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_str(l->json, "program", r->bin);
		ow_json_uint(l->json, "srvid", r->srvid);
		ow_json_int(l->json, "pid", r->pid);
		ow_json_str(l->json, "path", r->path);
		ow_json_str(l->json, "build", r->build);
		ow_json_str(l->json, "build_of_file", r->now);
		ow_json_str(l->json, "of", of);
		ow_json_str(l->json, "since", since);
		ow_json_str(l->json, "file", r->state);
		ow_json_uint(l->json, "requests", r->requests);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%s", r->bin);
	ow_grid_cell(l->grid, "%u", r->srvid);
	ow_grid_cell(l->grid, "%d", (int)r->pid);
	ow_grid_cell(l->grid, "%.12s", r->build[0] != '\0' ? r->build : "-");
	ow_grid_cell(l->grid, "%s", of);
	ow_grid_cell(l->grid, "%s", since);
	ow_grid_cell(l->grid, "%s", r->state);
	if (strcmp(r->state, "current") != 0)
		ow_grid_paint(l->grid, OW_COLOUR_WARN);
	ow_grid_cell(l->grid, "%s", ow_format_count(r->requests, count,
						    sizeof(count)));
	ow_grid_end_row(l->grid);
}

int ow_list_releases(struct ow_args *a)
{
	const char *only = ow_args_value(a, 's');
	struct release *r = malloc(sizeof(*r));
	struct ow_listing l;
	struct ow_observer v;
	const struct ow_tables *t;
	uint32_t id;
	int e = ow_reach_tables(a, &v);

	if (e != OW_EXIT_OK || r == NULL) {
		free(r);
		return e;
	}
	if (ow_listing_begin(&l, &a->form, releases_columns) != 0) {
		free(r);
		ow_observer_close(&v);
		return ow_cmd_fail(a, "no memory");
	}
	t = v.d.tables;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!ow_srv_alive(t, id) || atomic_load(&t->srv[id].thread) > 1)
			continue; /* its further threads */
		look(&v, id, r);
		if (only == NULL || strcmp(only, r->bin) == 0)
			show(&l, r);
	}
	ow_listing_end(&l);
	free(r);
	ow_observer_close(&v);
	return OW_EXIT_OK;
}
