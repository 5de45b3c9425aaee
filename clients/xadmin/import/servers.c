/* SPDX-License-Identifier: Apache-2.0 */
/*
 * servers.c - import the servers of a UBBCONFIG
 *
 * Server ids of Tuxedo are unique in a group, those of Onewake in the domain:
 * an id that is in use becomes the next free one above its group number times
 * 1000.
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"

#define ID_MAX 65535

struct server {
	struct ow_ubb_entry *e;
	const struct ow_import_group *group;
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
	if (id != theirs)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "SRVID=%ld: becomes "
			      "%ld; ids are unique in the whole domain",
			      theirs, id);
	return id;
}

/* ---- CLOPT ---- */

/* Options that mean the same here. */
static bool is_kept(const char *word)
{
	static const char letters[] = "seotxr";

	return word[0] == '-' && word[1] != '\0' &&
	       strchr(letters, word[1]) != NULL;
}

/* Append a word to a line of them. */
static void add_word(char *line, size_t size, const char *word)
{
	size_t n = strlen(line);

	if (n < size)
		snprintf(line + n, size - n, "%s%s", n > 0 ? " " : "", word);
}

/* The part before "--": known options are kept, the others reported. */
static void take_sysopt(struct ow_import *im, const struct server *s,
			char *text)
{
	char kept[1024] = "", left[1024] = "", *word, *save = NULL;
	bool keeps = false, all = false;

	for (word = strtok_r(text, " \t", &save); word != NULL;
	     word = strtok_r(NULL, " \t", &save)) {
		if (word[0] == '-')
			keeps = is_kept(word);
		if (strcmp(word, "-A") == 0)
			all = true;
		else
			add_word(keeps ? kept : left, sizeof(kept), word);
	}
	if (!all)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "CLOPT without -A: "
			      "Tuxedo offers only services named by -s; here, "
			      "the server offers what the program advertises "
			      "(-N in <sysopt>: nothing)");
	if (left[0] != '\0')
		ow_import_say(im, OW_IMPORT_NONE, s->e, "CLOPT %s", left);
	if (kept[0] == '\0')
		return;
	ow_import_put_element(im, "sysopt", kept);
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "CLOPT %s", kept);
}

static void take_clopt(struct ow_import *im, const struct server *s)
{
	const char *clopt = ow_ubb_value(s->e, "CLOPT");
	char *text, *rest = NULL;

	if (clopt == NULL)
		return;
	text = ow_arena_strdup(&im->ubb.arena, clopt);
	if (text == NULL)
		return;
	if (strncmp(text, "--", 2) == 0 && (text[2] == ' ' || !text[2])) {
		rest = text + 2;
		text += strlen(text);
	} else if ((rest = strstr(text, " --")) != NULL &&
		   (rest[3] == ' ' || rest[3] == '\0')) {
		*rest = '\0';
		rest += 3;
	} else {
		rest = NULL;
	}
	take_sysopt(im, s, text);
	if (rest == NULL || rest[strspn(rest, " \t")] == '\0')
		return;
	rest += strspn(rest, " \t");
	ow_import_put_element(im, "appopt", rest);
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "CLOPT -- %s", rest);
}

/* ---- one server ---- */

static void take_counts(struct ow_import *im, const struct server *s)
{
	long min = number(s->e, "MIN", 1), max = number(s->e, "MAX", min), id;

	if (min < 1)
		min = 1;
	if (max < min || max > ID_MAX)
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

	if (min > 0)
		fprintf(im->xml, "\t\t\t<mindispatchthreads>%ld"
				 "</mindispatchthreads>\n", min);
	if (max > 0)
		fprintf(im->xml, "\t\t\t<maxdispatchthreads>%ld"
				 "</maxdispatchthreads>\n",
			max > min ? max : min);
	if (max > 0)
		ow_import_say(im, OW_IMPORT_LOOK, s->e,
			      "MAXDISPATCHTHREADS=%ld: instances (<max>) cost "
			      "less here than threads", max);
}

static void take_policy(struct ow_import *im, const struct server *s)
{
	const char *env = ow_ubb_value(s->e, "ENVFILE");
	const char *addr = ow_ubb_value(s->e, "RQADDR");
	bool restart = is_yes(s->e, "RESTART");

	if (env == NULL && s->group != NULL)
		env = ow_ubb_value(s->group->entry, "ENVFILE");
	fprintf(im->xml, "\t\t\t<respawn>%c</respawn>\n", restart ? 'Y' : 'N');
	ow_import_say(im, OW_IMPORT_TAKEN, s->e, "RESTART=%c: <respawn>",
		      restart ? 'Y' : 'N');
	if (env != NULL) {
		ow_import_put_element(im, "env", env);
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "ENVFILE=%s", env);
	}
	if (addr != NULL)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "RQADDR=%s: each "
			      "service has one queue, shared by all servers "
			      "that offer it", addr);
	if (is_yes(s->e, "CONV"))
		ow_import_say(im, OW_IMPORT_NONE, s->e, "CONV=Y: "
			      "conversations are not built yet");
	if (s->sequence != 0)
		ow_import_say(im, OW_IMPORT_TAKEN, s->e, "SEQUENCE=%ld: the "
			      "order in the file", s->sequence);
}

static void take_server(struct ow_import *im, const struct server *s)
{
	const char *name = strrchr(s->e->name, '/');

	fputs("\t\t<server", im->xml);
	ow_import_put_attribute(im, "name",
				name != NULL ? name + 1 : s->e->name);
	fputs(">\n", im->xml);
	take_counts(im, s);
	if (name != NULL)
		ow_import_put_element(im, "fullpath", s->e->name);
	take_clopt(im, s);
	take_policy(im, s);
	take_threads(im, s);
	if (s->group != NULL && s->group->grpno > 0)
		fprintf(im->xml, "\t\t\t<procgrp>%s</procgrp>\n",
			s->group->entry->name);
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
	if (s->group != NULL && s->group->elsewhere) {
		ow_import_say(im, OW_IMPORT_NONE, s->e, "SRVGRP=%s is on "
			      "another machine: left out", name);
		return false;
	}
	if (s->group == NULL)
		ow_import_say(im, OW_IMPORT_LOOK, s->e, "SRVGRP=%s is not a "
			      "group taken over", name != NULL ? name : "");
	return true;
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
		if (find_group(im, &all[n]))
			n++;
	}
	qsort(all, n, sizeof(*all), by_order);
	fputs("\t<servers>\n", im->xml);
	for (i = 0; i < n; i++)
		take_server(im, &all[i]);
	fputs("\t</servers>\n", im->xml);
}
