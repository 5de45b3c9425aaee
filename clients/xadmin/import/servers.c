/* SPDX-License-Identifier: Apache-2.0 */
/*
 * servers.c - import the servers of a UBBCONFIG
 *
 * Server ids of Tuxedo are unique in a group, those of Onewake in the domain:
 * an id that is in use becomes the next free one above its group number times
 * 1000.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"

#define ID_MAX	  65535
#define CLOPT_LEN 1024

struct server {
	struct ow_ubb_entry *e;
	const struct ow_import_group *group;
	struct ow_import_system system; /* what it becomes, if it is Tuxedo's */
	long sequence; /* 0: none */
	size_t place;  /* in the file */
};

static long number(struct ow_ubb_entry *e, const char *key, long otherwise)
{
	const char *value = ow_ubb_value(e, key);

	return value != NULL ? atol(value) : otherwise;
}

static bool is_yes(struct ow_ubb_entry *e, const char *key)
{
	const char *value = ow_ubb_value(e, key);

	return value != NULL && (*value == 'Y' || *value == 'y');
}

/* ---- ids ---- */

static bool is_free(const struct ow_import *im, long id, long n)
{
	long i;

	if (id < 1 || id + n - 1 > ID_MAX)
		return false;
	for (i = id; i < id + n; i++)
		if (im->ids[i])
			return false;
	return true;
}

/* Take `n` ids in a row. The first; 0: no such row is free. */
static long take_ids(struct ow_import *im, const struct server *s, long n)
{
	long theirs = number(s->e, "SRVID", 0), id = theirs;

	if (!is_free(im, id, n))
		for (id = s->group != NULL ? s->group->grpno * 1000L + theirs
					   : 1;
		     id <= ID_MAX && !is_free(im, id, n); id++)
			;
	if (id > ID_MAX)
		for (id = 1; id <= ID_MAX && !is_free(im, id, n); id++)
			;
	if (id > ID_MAX)
		return 0;
	memset(im->ids + id, 1, (size_t)n);
	if (id != theirs) {
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "SRVID=%ld: becomes "
			      "%ld; ids are unique in the whole domain, and "
			      "tmboot, tmshutdown and tmadmin know both",
			      theirs, id);
		fprintf(im->srvids, "%ld %ld %ld\n", id, n, theirs);
	}
	return id;
}

/* ---- CLOPT ---- */

/* What becomes of an option of Tuxedo, in front of "--". Without `why` the
 * option means the same here and is kept. */
static const struct option {
	char letter;
	bool value; /* a word follows */
	enum ow_import_grade grade;
	const char *why;
} options[] = {
	{ 's', true, OW_IMPORT_TAKEN, NULL },
	{ 'e', true, OW_IMPORT_TAKEN, NULL },
	{ 'o', true, OW_IMPORT_TAKEN, NULL },
	{ 'p', true, OW_IMPORT_LOOK, "<autoscale> starts and stops servers "
				     "by load" },
	{ 'h', false, OW_IMPORT_NONE, "not needed: servers have no terminal" },
	{ 'l', true, OW_IMPORT_NONE, "not needed" },
	{ 'n', true, OW_IMPORT_NONE, "use nice(1) in <cmdline>" },
	{ 'P', false, OW_IMPORT_NONE, "not needed" },
	{ 'r', false, OW_IMPORT_NONE, "`xadmin psc` has calls and times of "
				      "each service" },
	{ 't', false, OW_IMPORT_NONE, "not needed" },
	{ 'v', false, OW_IMPORT_NONE, "`xadmin psc` lists services" },
};

static const struct option *find_option(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (word[0] == '-' && word[1] == options[i].letter)
			return &options[i];
	return NULL;
}

/* The length of the word at `p`, with the quotes around it or in it. */
static size_t word_length(const char *p)
{
	char quote = '\0';
	size_t n;

	for (n = 0; p[n] != '\0'; n++) {
		if (quote == '\0' && (p[n] == ' ' || p[n] == '\t'))
			break;
		if (p[n] == quote)
			quote = '\0';
		else if (quote == '\0' && (p[n] == '"' || p[n] == '\''))
			quote = p[n];
	}
	return n;
}

/* Cut the next word off the text at *pos, as it is written. NULL: the end. */
static char *next_word(char **pos)
{
	char *word = *pos + strspn(*pos, " \t");
	size_t n = word_length(word);

	if (n == 0)
		return NULL;
	*pos = word + n + (word[n] != '\0');
	word[n] = '\0';
	return word;
}

/* Append a word to a line of them. */
static void add_word(char *line, size_t size, const char *word)
{
	size_t n = strlen(line);

	if (n < size)
		snprintf(line + n, size - n, "%s%s", n > 0 ? " " : "", word);
}

/* One option of the part before "--", with its value or "". */
static void take_option(struct ow_import *im, const struct server *s,
			const char *word, const char *value,
			char kept[CLOPT_LEN])
{
	const struct option *o = find_option(word);
	const char *gap = *value != '\0' ? " " : "";

	if (o != NULL && o->why == NULL) {
		add_word(kept, CLOPT_LEN, word);
		if (*value != '\0')
			add_word(kept, CLOPT_LEN, value);
	} else {
		ow_import_say(im, o != NULL ? o->grade : OW_IMPORT_NONE, s->e,
			      "CLOPT %s%s%s: %s", word, gap, value,
			      o != NULL ? o->why : "not known here");
	}
}

/* The part before "--"; *pos is then behind that word. */
static void take_sysopt(struct ow_import *im, const struct server *s,
			char **pos)
{
	char kept[CLOPT_LEN] = "", *word, *value;
	const struct option *o;
	bool all = false;

	while ((word = next_word(pos)) != NULL && strcmp(word, "--") != 0) {
		if (strcmp(word, "-A") == 0) {
			all = true;
			continue;
		}
		o = find_option(word);
		value = o != NULL && o->value && word[2] == '\0'
			    ? next_word(pos) : NULL;
		take_option(im, s, word, value != NULL ? value : "", kept);
	}
	if (kept[0] != '\0')
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "CLOPT %s", kept);
	if (!all) {
		add_word(kept, CLOPT_LEN, "-B");
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "CLOPT without -A: -B: "
			      "of the services that are built in, those of -s "
			      "only");
	}
	if (kept[0] != '\0')
		ow_import_put_element(im, "sysopt", kept);
}

static void take_clopt(struct ow_import *im, const struct server *s)
{
	const char *clopt = ow_ubb_value(s->e, "CLOPT");
	char *text;

	if (clopt == NULL)
		return;
	text = ow_arena_strdup(&im->ubb.arena, clopt);
	if (text == NULL)
		return;
	take_sysopt(im, s, &text);
	text += strspn(text, " \t");
	if (*text == '\0')
		return;
	ow_import_put_element(im, "appopt", text);
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "CLOPT -- %s", text);
}

/* ---- one server ---- */

static void take_counts(struct ow_import *im, const struct server *s)
{
	long min = number(s->e, "MIN", 1), max = number(s->e, "MAX", min), id;

	if (min < 1 || s->system.program != NULL)
		min = 1;
	if (s->system.program != NULL || max < min || max > ID_MAX)
		max = min;
	id = take_ids(im, s, max);
	if (id == 0)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "no %ld ids in a row "
			      "are free: write a <srvid> by hand", max);
	fprintf(im->xml, "\t\t\t<srvid>%ld</srvid>\n\t\t\t<min>%ld</min>\n"
			 "\t\t\t<max>%ld</max>\n", id, min, max);
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "ids %ld to %ld, %ld started",
		      id, id + max - 1, min);
}

static void take_threads(struct ow_import *im, const struct server *s)
{
	long min = number(s->e, "MINDISPATCHTHREADS", 0);
	long max = number(s->e, "MAXDISPATCHTHREADS", 0);
	long stack = number(s->e, "THREADSTACKSIZE", 0);

	if (min > 0)
		fprintf(im->xml, "\t\t\t<mindispatchthreads>%ld"
				 "</mindispatchthreads>\n", min);
	if (max > 0)
		fprintf(im->xml, "\t\t\t<maxdispatchthreads>%ld"
				 "</maxdispatchthreads>\n",
			max > min ? max : min);
	if (stack > 0) {
		fprintf(im->xml, "\t\t\t<threadstacksize>%ld"
				 "</threadstacksize>\n", (stack + 1023) / 1024);
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "THREADSTACKSIZE=%ld: "
			      "<threadstacksize>, in KiB", stack);
	}
	if (max > 0)
		ow_import_say(im, OW_IMPORT_LOOK, s->e,
			      "MAXDISPATCHTHREADS=%ld: the program must be built "
			      "with buildserver -t; more instances (<max>) do "
			      "the same", max);
}

/* Tuxedo starts a server MAXGEN times within GRACE seconds. */
static void take_restarts(struct ow_import *im, const struct server *s)
{
	bool restart = is_yes(s->e, "RESTART");
	long n = restart ? number(s->e, "MAXGEN", 0) : 0;

	fprintf(im->xml, "\t\t\t<respawn>%c</respawn>\n", restart ? 'Y' : 'N');
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "RESTART=%c: <respawn>",
		      restart ? 'Y' : 'N');
	if (n > 0) {
		fprintf(im->xml, "\t\t\t<restart_tries>%ld</restart_tries>\n",
			n);
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "MAXGEN=%ld: "
			      "<restart_tries>: given up after %ld failures "
			      "in a row", n, n);
	} else if (restart) {
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "RESTART=Y without "
			      "MAXGEN: Tuxedo would start it once; here it is "
			      "restarted without limit (<restart_tries>)");
	}
}

/* The group's first: the server's own has the last word. */
static void take_env_files(struct ow_import *im, const struct server *s)
{
	const char *own = ow_ubb_value(s->e, "ENVFILE");
	const char *group = s->group != NULL
				    ? ow_ubb_value(s->group->entry, "ENVFILE")
				    : NULL;
	char both[2 * PATH_MAX + 2];

	if (group == NULL && own == NULL)
		return;
	snprintf(both, sizeof(both), "%s%s%s", group != NULL ? group : "",
		 group != NULL && own != NULL ? "," : "",
		 own != NULL ? own : "");
	ow_import_put_element(im, "env", both);
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "ENVFILE=%s", both);
}

static void take_policy(struct ow_import *im, const struct server *s)
{
	const char *addr = ow_ubb_value(s->e, "RQADDR");

	take_env_files(im, s);
	if (addr != NULL)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "RQADDR=%s: each "
			      "service has one queue, shared by all servers "
			      "that offer it", addr);
	if (is_yes(s->e, "CONV"))
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "CONV=Y: any "
			      "service can be connected to");
	if (s->sequence != 0)
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "SEQUENCE=%ld: the "
			      "order in the file", s->sequence);
}

/* Variables of its resource manager. And a route chooses its group: it offers its
 * services as SERVICE@GROUP, too. */
static void take_variables(struct ow_import *im, const struct server *s)
{
	const char *name = ow_ubb_value(s->e, "SRVGRP");
	bool routed = name != NULL && ow_import_is_routed(im, name);

	if (!routed && !ow_import_has_manager(s->group))
		return;
	fputs("\t\t\t<envs>\n", im->xml);
	ow_import_put_manager(im, s->group);
	if (routed)
		fprintf(im->xml, "\t\t\t\t<env name=\"NDRX_RTGRP\">%s</env>\n",
			name);
	fputs("\t\t\t</envs>\n", im->xml);
	if (routed)
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "SRVGRP=%s: its "
			      "routing group", name);
}

static void take_server(struct ow_import *im, const struct server *s)
{
	const char *program = s->system.program != NULL ? s->system.program
							: s->e->name;
	const char *name = strrchr(program, '/');

	fputs("\t\t<server", im->xml);
	ow_import_put_attribute(im, "name", name != NULL ? name + 1 : program);
	fputs(">\n", im->xml);
	take_counts(im, s);
	if (name != NULL)
		ow_import_put_element(im, "fullpath", program);
	if (s->system.program == NULL)
		take_clopt(im, s);
	else if (s->system.appopt != NULL)
		ow_import_put_own(im, "appopt", s->system.appopt);
	take_restarts(im, s);
	take_policy(im, s);
	take_threads(im, s);
	if (s->group != NULL && s->group->grpno > 0)
		fprintf(im->xml, "\t\t\t<procgrp>%s</procgrp>\n",
			s->group->entry->name);
	take_variables(im, s);
	fputs("\t\t</server>\n", im->xml);
}

/* ---- all servers ---- */

/* SEQUENCE first, then the order of the file. */
static int by_order(const void *a, const void *b)
{
	const struct server *x = a, *y = b;

	if ((x->sequence != 0) != (y->sequence != 0))
		return x->sequence != 0 ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static bool is_server(const struct ow_ubb_entry *e)
{
	return strcmp(e->section, "SERVERS") == 0;
}

/* Servers of groups on other machines are left out. */
static bool find_group(struct ow_import *im, struct server *s)
{
	const char *name = ow_ubb_value(s->e, "SRVGRP");

	s->group = ow_import_group(im, name);
	if (s->group != NULL && s->group->remote) {
		ow_import_say(im, OW_IMPORT_NONE, s->e, "SRVGRP=%s is on "
			      "another machine: left out", name);
		ow_import_use_up(s->e);
		return false;
	}
	if (s->group == NULL && name == NULL)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "SRVGRP is missing: a "
			      "server of no group");
	else if (s->group == NULL)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "SRVGRP=%s is not a "
			      "group taken over", name);
	return true;
}

/* Left out: servers that have nothing here, and those on other machines. */
static bool is_wanted(struct ow_import *im, struct server *s)
{
	const struct ow_import_group *g =
	    ow_import_group(im, ow_ubb_value(s->e, "SRVGRP"));

	if ((g == NULL || !g->remote) &&
	    ow_import_system(im, s->e, &s->system))
		return s->system.program != NULL && find_group(im, s);
	return find_group(im, s);
}

void ow_import_servers(struct ow_import *im)
{
	struct ow_ubb_entry *e;
	struct server *all;
	size_t i, n = 0;

	for (e = im->ubb.entries; e != NULL; e = e->next)
		n += is_server(e);
	all = ow_arena_alloc(&im->ubb.arena, (n + 1) * sizeof(*all));
	if (all == NULL)
		return;
	n = 0;
	for (e = im->ubb.entries; e != NULL; e = e->next) {
		if (!is_server(e))
			continue;
		all[n].e = e;
		all[n].place = n;
		all[n].sequence = number(e, "SEQUENCE", 0);
		if (is_wanted(im, &all[n]))
			n++;
	}
	qsort(all, n, sizeof(*all), by_order);
	/* Bridges have ids of their own. */
	memset(im->ids + OW_REMOTES_ID, 1, OW_REMOTES_MOST);
	fputs("\t<servers>\n", im->xml);
	ow_import_managers(im);
	for (i = 0; i < n; i++)
		take_server(im, &all[i]);
	ow_import_bridge(im);
	fputs("\t</servers>\n", im->xml);
}
