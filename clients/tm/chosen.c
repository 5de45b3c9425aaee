/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen.c - the command line of tmboot and tmshutdown: which processes
 */
#include "clients/tm/chosen.h"

#include <string.h>
#include <unistd.h>

#include "clients/tm/site.h"
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

bool chosen_add_id(struct chosen *c, long id)
{
	char *text;

	if (c->n + 4 > RUN_WORDS)
		return false;
	text = c->ids[c->n / 2];
	snprintf(text, sizeof(c->ids[0]), "%ld", id);
	return chosen_add(c, "-i", text);
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
	case 'l':
		c->machine = optarg;
		return 0;
	case 'T':
		if (chosen_add(c, "-g", optarg) &&
		    chosen_add(c, "-s", "tmsrv"))
			return 0;
		break;
	case 's':
	case 'g':
	case 'i':
		if (chosen_add(c, option == 's'   ? "-s"
				  : option == 'g' ? "-g"
						  : "-i",
			       option == 's' ? name_here(optarg) : optarg))
			return 0;
		break;
	case '?':
		p->usage(stderr);
		return -1;
	default:
		return p->take(p->arg, option);
	}
	fprintf(stderr, "%s: too many servers are chosen\n", p->name);
	return -1;
}

/* 0, or -1 after a message. */
static int check_machine(struct chosen *c, const struct chosen_program *p)
{
	char here[64];

	if (c->machine == NULL)
		return 0;
	site_machine(here, sizeof(here));
	if (strcmp(here, c->machine) != 0) {
		fprintf(stderr, "%s: -l %s: this is machine %s; run %s on that "
				"one\n", p->name, c->machine, here, p->name);
		return -1;
	}
	/* All that could be chosen is on this machine. */
	c->servers |= c->n == CHOSEN_FIRST && !c->admin;
	return 0;
}

static bool has(const struct chosen *c, char letter)
{
	for (int i = CHOSEN_FIRST; i + 1 < c->n; i += 2)
		if (c->words[i][1] == letter)
			return true;
	return false;
}

/* Is there no -LETTER, or does one hold? */
static bool holds(const struct chosen *c, char letter, const char *value)
{
	for (int i = CHOSEN_FIRST; i + 1 < c->n; i += 2)
		if (c->words[i][1] == letter &&
		    strcmp(c->words[i + 1], value) == 0)
			return true;
	return !has(c, letter);
}

bool chosen_holds(const struct chosen *c, const struct ids *ids,
		  const char *program, const char *group, long id)
{
	bool by_id = !has(c, 'i');

	for (int i = CHOSEN_FIRST; i + 1 < c->n && !by_id; i += 2)
		by_id = c->words[i][1] == 'i' &&
			ids_is(ids, id, c->words[i + 1]);
	return by_id && holds(c, 's', program) && holds(c, 'g', group);
}

bool chosen_by_id(const struct chosen *c)
{
	return has(c, 'i');
}

bool chosen_is_mixed(const struct chosen *c)
{
	return has(c, 'i') || (has(c, 's') && has(c, 'g'));
}

void chosen_clear(struct chosen *c)
{
	c->n = CHOSEN_FIRST;
	c->words[c->n] = NULL;
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
	if (check_machine(c, p) != 0)
		return 1;
	if (optind < argc) {
		p->usage(stderr);
		return 2;
	}
	return -1;
}
