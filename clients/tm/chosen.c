/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen.c - the command line of tmboot and tmshutdown: which processes
 */
#include "clients/tm/chosen.h"

#include <string.h>
#include <unistd.h>

#include "libubf/base/about.h"

bool chosen_add(struct chosen *c, const char *option, const char *value)
{
	/* One word more, -k, and the NULL at the end. */
	if (c->n + 4 > RUN_WORDS)
		return false;
	c->words[c->n++] = option;
	c->words[c->n++] = value;
	return true;
}

/* A server of Tuxedo by the name that the import gives it. */
static const char *name_here(const char *name)
{
	static const char *const names[][2] = {
		{ "TMUSREVT", "tpevsrv" }, { "TMSYSEVT", "tpevsrv" },
		{ "TMQUEUE", "tmqueue" },  { "TMQFORWARD", "tmqueue" },
		{ "TMS", "tmsrv" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i][0]) == 0)
			return names[i][1];
	return name;
}

/* 0, or -1: the command line is wrong. */
static int take(struct chosen *c, const struct chosen_program *p, int option)
{
	switch (option) {
	case 'A':
	case 'M':
		c->admin = true;
		return 0;
	case 'S':
		c->servers = true;
		return 0;
	case 'y':
		c->sure = true;
		return 0;
	case 's':
	case 'g':
	case 'i':
		if (chosen_add(c, option == 's'   ? "-s"
				  : option == 'g' ? "-g"
						  : "-i",
			       option == 's' ? name_here(optarg) : optarg))
			return 0;
		fprintf(stderr, "%s: too many servers are chosen\n", p->name);
		return -1;
	case '?':
		p->usage(stderr);
		return -1;
	default:
		return p->take(p->arg, option);
	}
}

int chosen_read(struct chosen *c, const struct chosen_program *p, int argc,
		char **argv)
{
	int option;

	if (ow_about_printed(argc, argv, p->name, p->usage))
		return 0;
	while ((option = getopt(argc, argv, p->options)) != -1) {
		if (option == 'h') {
			p->usage(stdout);
			return 0;
		}
		if (take(c, p, option) != 0)
			return 2;
	}
	if (optind < argc) {
		p->usage(stderr);
		return 2;
	}
	return -1;
}
