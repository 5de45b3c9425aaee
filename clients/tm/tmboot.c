/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmboot.c - tmboot: start ndrxd and the servers
 *
 * A front of `xadmin idle` and `xadmin start` with the command line and the
 * texts of Tuxedo's program. Exit status 0: all that was asked for runs; 1: it
 * does not; 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/tm/chosen.h"
#include "clients/tm/rows.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libubf/base/cleanup.h"

struct boot {
	struct chosen chosen;
	bool quiet, dry;
	const char *on_failure; /* -e */
	unsigned int started;
};

static void usage(FILE *out)
{
	fputs("usage: tmboot [-y] [-A] [-M] [-S] [-s aout] [-g grpname] "
	      "[-i srvid] [-n] [-q]\n\t[-e command] [-l lmid] [-T grpname] [-w]"
	      " [-c] [-d1]\n"
	      "Start the application that TUXCONFIG names.\n"
	      "  -A, -M      the supervisor only\n"
	      "  -S          the servers\n"
	      "  -s, -g, -i  servers of this program, this group, this id\n"
	      "  -n          start nothing, check the configuration, print "
	      "the sequence\n"
	      "  -y          do not ask; -q: print less\n"
	      "  -e command  run by a shell after a failure\n"
	      "  -l, -T, -w, -c, -d1 are taken without effect\n",
	      out);
}

static int take(void *arg, int option)
{
	struct boot *b = arg;

	switch (option) {
	case 'q':
		b->quiet = true;
		return 0;
	case 'n':
		b->dry = true;
		return 0;
	case 'e':
		b->on_failure = optarg;
		return 0;
	case 'o':
		fputs("tmboot: -o: servers start in the order of SEQUENCE; "
		      "one number alone cannot be chosen\n", stderr);
		return -1;
	default:
		return 0; /* -l -B -T -w -c -b -d */
	}
}

/* Does -i stand beside a -g? Ids are unique here: they are enough. */
static void drop_groups(struct chosen *c)
{
	bool ids = false;
	int i, n = CHOSEN_FIRST;

	for (i = CHOSEN_FIRST; i < c->n; i += 2)
		ids |= strcmp(c->words[i], "-i") == 0;
	for (i = CHOSEN_FIRST; ids && i < c->n; i += 2) {
		if (strcmp(c->words[i], "-i") != 0)
			continue;
		c->words[n++] = c->words[i];
		c->words[n++] = c->words[i + 1];
	}
	if (ids)
		c->n = n;
	c->words[c->n] = NULL;
}

/* ---- ndrxd ---- */

/* The pid of ndrxd; 0: none runs. */
static int ndrxd_pid(void)
{
	const char *const words[] = { "xadmin", "dpid", NULL };
	OW_CLEANUP(ow_cleanup_freep) char *text = run_text(words);

	return text != NULL ? atoi(text) : 0;
}

static void ignore(const char *line, void *arg)
{
	(void)arg;
	if (strstr(line, "no server was started") == NULL &&
	    strstr(line, "already running") == NULL)
		fprintf(stderr, "%s\n", line);
}

static int boot_admin(struct boot *b)
{
	const char *const words[] = { "xadmin", "idle", NULL };
	int before = ndrxd_pid(), status = 0;

	if (!b->quiet)
		printf("Booting admin processes ...\n\nexec ndrxd :\n\t");
	fflush(stdout);
	if (before == 0)
		status = run_program(words, ignore, NULL);
	if (status == 0 && before == 0)
		b->started++;
	if (!b->quiet && status == 0)
		printf("process id=%d ... %s.\n\n", ndrxd_pid(),
		       before == 0 ? "Started" : "Already running");
	else if (!b->quiet)
		printf("Failed.\n\n");
	return status;
}

/* ---- servers ---- */

static void on_line(const char *line, void *arg)
{
	struct boot *b = arg;
	unsigned int n;

	if (sscanf(line, "Startup finished. %u processes", &n) == 1)
		b->started += n;
	else if (!b->quiet)
		printf("%s\n", line);
}

static int boot_servers(struct boot *b)
{
	if (!b->quiet)
		printf("Booting server processes ...\n\n");
	return run_program(b->chosen.words, on_line, b);
}

/* ---- -n ---- */

/* Does the command line choose the server? Without -s, -g and -i: each. */
static bool is_wanted(const struct chosen *c, const char *name, long srvid,
		      const char *group)
{
	bool all = c->n == CHOSEN_FIRST;
	int i;

	for (i = CHOSEN_FIRST; i < c->n && !all; i += 2)
		all = c->words[i][1] == 's'   ? strcmp(c->words[i + 1], name) == 0
		      : c->words[i][1] == 'g' ? strcmp(c->words[i + 1], group) == 0
					      : atol(c->words[i + 1]) == srvid;
	return all;
}

/* The value `name` of the entry whose first row is `at`. */
static const char *value_of(const struct rows *r, size_t at, const char *name)
{
	const char *entry = rows_get(r, at, "srvid");

	for (; at < r->n && strcmp(rows_get(r, at, "srvid"), entry) == 0; at++)
		if (strcmp(rows_get(r, at, "name"), name) == 0)
			return rows_get(r, at, "value");
	return "";
}

static void print_entry(const struct boot *b, const struct rows *r, size_t at)
{
	const char *name = rows_get(r, at, "section");
	const char *options = value_of(r, at, "clopt");
	const char *group = value_of(r, at, "procgrp");
	long first = atol(rows_get(r, at, "srvid")), i;

	if (*options == '\0')
		options = value_of(r, at, "appopt");
	for (i = 0; i < atol(value_of(r, at, "min")); i++)
		if (is_wanted(&b->chosen, name, first + i, group))
			printf("exec %s%s%s : Group Id = %s Server Id = %ld\n",
			       name, *options != '\0' ? " " : "", options,
			       *group != '\0' ? group : "-", first + i);
}

/* What would be started, in this order. */
static int print_sequence(const struct boot *b, bool admin, bool servers)
{
	const char *const check[] = { "xadmin", "testcfg", NULL };
	const char *id, *last = "0";
	struct rows r;

	if (run_program(check, NULL, NULL) != 0 || rows_ask("config", &r) != 0)
		return 1;
	if (admin)
		printf("exec ndrxd :\n");
	for (size_t i = 0; i < r.n && servers; i++) {
		id = rows_get(&r, i, "srvid");
		if (strcmp(id, last) != 0 && atol(id) > 0)
			print_entry(b, &r, i);
		last = id;
	}
	rows_free(&r);
	return 0;
}

static bool is_sure(const struct boot *b, const char *what)
{
	char question[128];

	snprintf(question, sizeof(question), "Boot %s processes? (y/n): ",
		 what);
	return b->chosen.sure || run_ask(question);
}

static int boot(struct boot *b)
{
	const struct chosen *c = &b->chosen;
	bool chosen = c->n > CHOSEN_FIRST;
	bool all = !c->admin && !c->servers && !chosen;
	int status = 0;
	const char *what = all ? "all admin and server"
			   : c->admin && !c->servers ? "all admin"
						     : "all server";

	if (b->dry)
		return print_sequence(b, all || c->admin,
				      all || c->servers || chosen);
	if (!chosen && !is_sure(b, what))
		return 0;
	if (!b->quiet && !chosen)
		printf("Booting %s processes in %s\n\n", what, site_name());
	if (all || c->admin)
		status = boot_admin(b);
	if (status == 0 && (all || c->servers || chosen))
		status = boot_servers(b);
	if (!b->quiet)
		printf("%u process%s started.\n", b->started,
		       b->started == 1 ? "" : "es");
	if (status != 0 && b->on_failure != NULL)
		status = system(b->on_failure) == -1 ? 127 : status;
	return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct boot b = { .chosen = { .words = { "xadmin", "start", "-y" },
				      .n = CHOSEN_FIRST } };
	const struct chosen_program program = {
		.name = "tmboot", .options = "yAMSs:g:i:nqe:l:B:T:o:wcbd:h",
		.usage = usage, .take = take, .arg = &b
	};
	int status = chosen_read(&b.chosen, &program, argc, argv);

	if (status >= 0)
		return status;
	drop_groups(&b.chosen);
	return boot(&b);
}
