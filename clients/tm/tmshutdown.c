/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmshutdown.c - tmshutdown: stop servers, and ndrxd
 *
 * A front of `xadmin stop` with the command line and the texts of Tuxedo's
 * program. Exit status 0: all that was asked for has ended; 1: it has not; 2:
 * wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/tm/rows.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libubf/base/about.h"

#define FIRST 3 /* words before the options */

struct down {
	bool admin, servers, sure, kill;
	const char *words[RUN_WORDS];
	int n; /* of words; more than FIRST: servers were selected */
	unsigned int stopped;
	char machine[64];
	struct rows before; /* the servers, for their groups */
};

static void usage(FILE *out)
{
	fputs("usage: tmshutdown [-y] [-A] [-S] [-s aout] [-g grpname] "
	      "[-i srvid] [-k TERM|KILL]\n\t[-l lmid] [-T grpname] [-c] "
	      "[-w seconds] [-R] [-H] [-P lmid]\n"
	      "Stop the application that TUXCONFIG names.\n"
	      "  -S          the servers\n"
	      "  -A, -M      the supervisor; no server may run\n"
	      "  -s, -g, -i  servers of this program, this group, this id\n"
	      "  -k          kill what does not end\n"
	      "  -y          do not ask\n"
	      "  -l, -T, -c, -w, -R, -H, -P are taken without effect\n",
	      out);
}

/* 0, 1: wrong, 2: help was printed. */
static int take(struct down *d, int c)
{
	switch (c) {
	case 'A':
	case 'M':
		d->admin = true;
		return 0;
	case 'S':
		d->servers = true;
		return 0;
	case 's':
	case 'g':
	case 'i':
		if (d->n + 3 > RUN_WORDS)
			return 1;
		d->words[d->n++] = c == 's' ? "-s" : c == 'g' ? "-g" : "-i";
		d->words[d->n++] = optarg;
		return 0;
	case 'y':
		d->sure = true;
		return 0;
	case 'k':
		d->kill = true;
		return 0;
	case 'h':
		usage(stdout);
		return 2;
	case '?':
		usage(stderr);
		return 1;
	default:
		return 0; /* -l -B -T -c -w -R -H -P -q */
	}
}

/* ---- lines ---- */

static const char *group_of(const struct down *d, const char *srvid)
{
	long row = rows_find(&d->before, "srvid", srvid);
	const char *group = "";

	if (row >= 0)
		group = rows_get(&d->before, (size_t)row, "procgrp");
	return *group != '\0' ? group : "-";
}

static void on_line(const char *line, void *arg)
{
	struct down *d = arg;
	char srvid[16], how[128];
	unsigned int n;

	if (sscanf(line, "Shutdown finished. %u processes", &n) == 1) {
		d->stopped += n;
		return;
	}
	if (sscanf(line, "Server executable = %*s Id = %15s : %127[^\n]",
		   srvid, how) != 2) {
		printf("%s\n", line);
		return;
	}
	how[0] = how[0] == 'S' ? 's' : how[0];
	printf("\tServer Id = %s Group Id = %s Machine = %s:\t%s\n", srvid,
	       group_of(d, srvid), d->machine, how);
}

/* ---- stopping ---- */

/* Words for each program that runs, so that ndrxd stays. */
static void choose_all_servers(struct down *d)
{
	const char *name;
	int k;

	for (size_t i = 0; i < d->before.n; i++) {
		if (strcmp(rows_get(&d->before, i, "pid"), "0") == 0)
			continue;
		name = rows_get(&d->before, i, "program");
		for (k = FIRST + 1;
		     k < d->n && strcmp(d->words[k], name) != 0; k += 2)
			;
		if (k < d->n || d->n + 3 > RUN_WORDS)
			continue;
		d->words[d->n++] = "-s";
		d->words[d->n++] = name;
	}
}

static bool any_running(const struct down *d)
{
	for (size_t i = 0; i < d->before.n; i++)
		if (strcmp(rows_get(&d->before, i, "pid"), "0") != 0)
			return true;
	return false;
}

/* Stop servers; the exit status of xadmin. */
static int stop(struct down *d)
{
	d->words[d->n] = NULL;
	return run_program(d->words, on_line, d);
}

static int stop_all(struct down *d)
{
	int status;

	printf("Shutting down server processes ...\n\n");
	status = stop(d);
	printf("\nShutting down admin processes ...\n\n");
	if (status != 0)
		return status;
	printf("\tServer Id = 0 Group Id = %s Machine = %s:\tshutdown "
	       "succeeded.\n", d->machine, d->machine);
	d->stopped++;
	return 0;
}

static int stop_admin(struct down *d)
{
	if (!any_running(d))
		return stop_all(d);
	fputs("tmshutdown: -A: servers run; stop them first (-S)\n", stderr);
	return 1;
}

static int shut_down(struct down *d)
{
	bool chosen = d->n > FIRST;
	bool all = !chosen && d->admin == d->servers;
	const char *what = all ? "all admin and server"
			   : d->admin ? "all admin" : "all server";
	char question[128];
	int status;

	snprintf(question, sizeof(question), "Shutdown %s processes? (y/n): ",
		 what);
	if (!chosen && !d->sure && !run_ask(question))
		return 0;
	if (!chosen)
		printf("Shutting down %s processes in %s\n\n", what,
		       site_name());
	rows_ask("ppm", &d->before);
	if (d->servers && !d->admin)
		choose_all_servers(d);
	if (d->kill && d->n + 1 < RUN_WORDS)
		d->words[d->n++] = "-k";
	if (all)
		status = stop_all(d);
	else if (d->admin && !chosen)
		status = stop_admin(d);
	else
		status = chosen || d->n > FIRST + d->kill ? stop(d) : 0;
	printf("%u process%s stopped.\n", d->stopped,
	       d->stopped == 1 ? "" : "es");
	rows_free(&d->before);
	return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct down d = { .words = { "xadmin", "stop", "-y" },
			  .n = FIRST };
	enum ow_about about = ow_about(argc, argv, "tmshutdown");
	int c, r = 0;

	if (about == OW_ABOUT_HELP)
		usage(stdout);
	if (about != OW_ABOUT_NONE)
		return 0;
	while (r == 0 && (c = getopt(argc, argv,
				     "yAMSs:g:i:k:l:B:T:cw:RHP:qh")) != -1)
		r = take(&d, c);
	if (r == 0 && optind < argc) {
		usage(stderr);
		r = 1;
	}
	if (r != 0)
		return r == 2 ? 0 : 2;
	site_machine(d.machine, sizeof(d.machine));
	return shut_down(&d);
}
