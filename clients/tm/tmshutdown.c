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

#include "clients/tm/chosen.h"
#include "clients/tm/rows.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"

struct down {
	struct chosen chosen;
	bool kill, dry;
	unsigned int stopped;
	char machine[64];
	struct rows before; /* the servers, for their groups */
	struct ids ids;
};

static void usage(FILE *out)
{
	fputs("usage: tmshutdown [-y] [-A] [-S] [-s aout] [-g grpname] "
	      "[-i srvid] [-k TERM|KILL]\n\t[-l lmid] [-T grpname] [-c] "
	      "[-w seconds] [-n] [-R] [-H] [-P lmid]\n"
	      "Stop the application that TUXCONFIG names.\n"
	      "  -S          the servers\n"
	      "  -A, -M      the supervisor; no server may run\n"
	      "  -s, -g, -i  servers of this program, this group, this SRVID; of "
	      "several letters\n              all must hold\n"
	      "  -T          the tmsrv of this group; -l: servers of this machine\n"
	      "  -k          kill what does not end\n"
	      "  -n          stop nothing, print the sequence\n"
	      "  -y          do not ask\n"
	      "  -c, -w, -R, -H, -P are taken without effect\n",
	      out);
}

static int take(void *arg, int option)
{
	struct down *d = arg;

	if (option == 'k')
		d->kill = true;
	if (option == 'n')
		d->dry = true;
	return 0; /* others: -B -c -w -R -H -P -q */
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

static long theirs(const struct down *d, const char *srvid)
{
	return ids_theirs(&d->ids, atol(srvid));
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
	printf("\tServer Id = %ld Group Id = %s Machine = %s:\t%s\n",
	       theirs(d, srvid), group_of(d, srvid), d->machine, how);
}

/* ---- stopping ---- */

/* Words for each program that runs, so that ndrxd stays. */
static void choose_all_servers(struct down *d)
{
	struct chosen *c = &d->chosen;
	const char *name;
	int k;

	for (size_t i = 0; i < d->before.n; i++) {
		if (strcmp(rows_get(&d->before, i, "pid"), "0") == 0)
			continue;
		name = rows_get(&d->before, i, "program");
		for (k = CHOSEN_FIRST + 1;
		     k < c->n && strcmp(c->words[k], name) != 0; k += 2)
			;
		if (k >= c->n)
			chosen_add(c, "-s", name);
	}
}

static bool any_running(const struct down *d)
{
	for (size_t i = 0; i < d->before.n; i++)
		if (strcmp(rows_get(&d->before, i, "pid"), "0") != 0)
			return true;
	return false;
}

/* Does the command line choose the server of the row, which runs? */
static bool is_wanted(const struct down *d, const struct chosen *c, size_t row)
{
	return strcmp(rows_get(&d->before, row, "pid"), "0") != 0 &&
	       chosen_holds(c, &d->ids, rows_get(&d->before, row, "program"),
			    rows_get(&d->before, row, "procgrp"),
			    atol(rows_get(&d->before, row, "srvid")));
}

/* Servers of a group and a program, or by their SRVID, which is no id here: by
 * their ids. 0, or an exit status after a message. */
static int choose_servers(struct down *d)
{
	struct chosen wanted = d->chosen;
	bool fits = true;

	chosen_clear(&d->chosen);
	for (size_t i = 0; i < d->before.n && fits; i++)
		if (is_wanted(d, &wanted, i))
			fits = chosen_add_id(&d->chosen,
					     atol(rows_get(&d->before, i,
							   "srvid")));
	if (fits && d->chosen.n > CHOSEN_FIRST)
		return 0;
	fprintf(stderr, "tmshutdown: %s\n",
		fits ? "no running server is chosen by all of this"
		     : "too many servers");
	return 1;
}

/* Stop servers; the exit status of xadmin. */
static int stop(struct down *d)
{
	d->chosen.words[d->chosen.n] = NULL;
	return run_program(d->chosen.words, on_line, d);
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

/* What would be stopped, in this order. */
static int print_sequence(struct down *d, bool admin, bool servers)
{
	if (rows_ask("ppm", &d->before) != 0) {
		fputs("tmshutdown: no answer; is the application booted?\n",
		      stderr);
		return 1;
	}
	for (size_t i = d->before.n; servers && i-- > 0;)
		if (is_wanted(d, &d->chosen, i))
			printf("\tServer Id = %ld Group Id = %s Machine = %s:\n",
			       theirs(d, rows_get(&d->before, i, "srvid")),
			       group_of(d, rows_get(&d->before, i, "srvid")),
			       d->machine);
	if (admin)
		printf("\tServer Id = 0 Group Id = %s Machine = %s:\n",
		       d->machine, d->machine);
	rows_free(&d->before);
	return 0;
}

static int shut_down(struct down *d)
{
	struct chosen *c = &d->chosen;
	bool chosen = c->n > CHOSEN_FIRST;
	bool all = !chosen && c->admin == c->servers;
	const char *what = all ? "all admin and server"
			   : c->admin ? "all admin" : "all server";
	char question[128];
	int status;

	if (d->dry)
		return print_sequence(d, all || (c->admin && !chosen),
				      all || c->servers || chosen);
	snprintf(question, sizeof(question), "Shutdown %s processes? (y/n): ",
		 what);
	if (!chosen && !c->sure && !run_ask(question))
		return 0;
	if (!chosen)
		printf("Shutting down %s processes in %s\n\n", what,
		       site_name());
	rows_ask("ppm", &d->before);
	if (c->servers && !c->admin)
		choose_all_servers(d);
	if (chosen_is_mixed(c) && choose_servers(d) != 0) {
		rows_free(&d->before);
		return 1;
	}
	if (d->kill)
		c->words[c->n++] = "-k";
	if (all)
		status = stop_all(d);
	else if (c->admin && !chosen)
		status = stop_admin(d);
	else
		status = c->n > CHOSEN_FIRST + d->kill ? stop(d) : 0;
	printf("%u process%s stopped.\n", d->stopped,
	       d->stopped == 1 ? "" : "es");
	rows_free(&d->before);
	return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct down d = { .chosen = { .words = { "xadmin", "stop", "-y" },
				      .n = CHOSEN_FIRST } };
	const struct chosen_program program = {
		.name = "tmshutdown", .options = "yAMSs:g:i:k:l:B:T:cnw:RHP:qh",
		.usage = usage, .take = take, .arg = &d
	};
	int status = chosen_read(&d.chosen, &program, argc, argv);

	if (status >= 0)
		return status;
	site_machine(d.machine, sizeof(d.machine));
	ids_read(&d.ids);
	return shut_down(&d);
}
