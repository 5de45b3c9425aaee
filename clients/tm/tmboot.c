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
	struct ids ids;
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
	      "  -s, -g, -i  servers of this program, this group, this SRVID; of "
	      "several letters\n              all must hold\n"
	      "  -T          the tmsrv of this group; -l: servers of this machine\n"
	      "  -n          start nothing, check the configuration, print "
	      "the sequence\n"
	      "  -y          do not ask; -q: print less\n"
	      "  -e command  run by a shell after a failure\n"
	      "  -w, -c, -d1 are taken without effect\n",
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
		return 0; /* -B -w -c -b -d */
	}
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

/* The value `name` of the entry whose first row is `at`. */
static const char *value_of(const struct rows *r, size_t at, const char *name)
{
	const char *entry = rows_get(r, at, "srvid");

	for (; at < r->n && strcmp(rows_get(r, at, "srvid"), entry) == 0; at++)
		if (strcmp(rows_get(r, at, "name"), name) == 0)
			return rows_get(r, at, "value");
	return "";
}

/* Choose the instances of one entry that the command line means, all of those
 * that may run. False: there is no room. */
static bool choose_entry(struct boot *b, const struct chosen *wanted,
			 const struct rows *r, size_t at)
{
	long first = atol(rows_get(r, at, "srvid"));
	long n = atol(value_of(r, at, chosen_by_id(wanted) ? "max" : "min"));

	for (long i = 0; i < n; i++)
		if (chosen_holds(wanted, &b->ids, rows_get(r, at, "section"),
				 value_of(r, at, "procgrp"), first + i) &&
		    !chosen_add_id(&b->chosen, first + i))
			return false;
	return true;
}

/* Servers of a group and a program, or by their SRVID, which is no id here: by
 * their ids. 0, or an exit status after a message. */
static int choose_servers(struct boot *b)
{
	struct chosen wanted = b->chosen;
	const char *id, *last = "0";
	bool fits = true;
	struct rows r;

	if (rows_ask("config", &r) != 0) {
		fputs("tmboot: the configuration cannot be read: `xadmin "
		      "testcfg` says why\n", stderr);
		return 1;
	}
	chosen_clear(&b->chosen);
	for (size_t i = 0; i < r.n && fits; i++) {
		id = rows_get(&r, i, "srvid");
		if (strcmp(id, last) != 0 && atol(id) > 0)
			fits = choose_entry(b, &wanted, &r, i);
		last = id;
	}
	rows_free(&r);
	if (fits && b->chosen.n > CHOSEN_FIRST)
		return 0;
	fprintf(stderr, "tmboot: %s\n", fits ? "no server is chosen by all of "
					       "this" : "too many servers");
	return 1;
}

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
	b->chosen.words[b->chosen.n] = NULL;
	return run_program(b->chosen.words, on_line, b);
}

/* ---- -n ---- */

static void print_entry(const struct boot *b, const struct rows *r, size_t at)
{
	const char *name = rows_get(r, at, "section");
	const char *options = value_of(r, at, "clopt");
	const char *group = value_of(r, at, "procgrp");
	long first = atol(rows_get(r, at, "srvid")), i;

	if (*options == '\0')
		options = value_of(r, at, "appopt");
	for (i = 0; i < atol(value_of(r, at, "min")); i++)
		if (chosen_holds(&b->chosen, &b->ids, name, group, first + i))
			printf("exec %s%s%s : Group Id = %s Server Id = %ld\n",
			       name, *options != '\0' ? " " : "", options,
			       *group != '\0' ? group : "-",
			       ids_theirs(&b->ids, first + i));
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
	if (status == 0 && chosen_is_mixed(c))
		status = choose_servers(b);
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
	ids_read(&b.ids);
	return boot(&b);
}
