/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.c - the definitions of queues: q.conf, or [@queue] of the configuration
 */
#include "servers/tmqueue/conf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "libatmi/log/log.h"
#include "libubf/base/cconfig.h"
#include "servers/tmqueue/durable.h"

#define LINE (DEFINITION_TEXT + TMQNAMELEN + 2)

/* How lines are taken: only looked at, whether they are right; carried out;
 * carried out without what is wrong in them, which is said. */
enum taking { LOOK, CARRY_OUT, LENIENT };

static void leave_out(const char *queue, const char *why)
{
	log_error("queue %s: left out: %s", queue, why);
	userlog("tmqueue: queue %s: left out: %s", queue, why);
}

static int take(struct queues *qs, const char *line, enum taking how, char *why,
		size_t size)
{
	char name[TMQNAMELEN + 1];
	struct definition d;
	struct queue *q;
	int r = definition_read(line, name, &d,
				how == LENIENT ? leave_out : NULL, why, size);

	if (r != 0 || how == LOOK)
		return r;
	q = queues_find(qs, name, true);
	if (q == NULL)
		return -ENOMEM;
	q->def = d;
	q->defined = q->refreshed = true;
	q->fresh = true;
	return 0;
}

int conf_define(struct queues *qs, const char *line, char *why, size_t size)
{
	int r = take(qs, line, LOOK, why, size);

	if (r == 0)
		r = take(qs, line, CARRY_OUT, why, size);
	durable_define(qs);
	return r;
}

/* ---- a file ---- */

/* Cut blanks off; NULL: nothing is left, or a comment. */
static char *trim(char *line)
{
	char *end;

	line += strspn(line, " \t");
	end = line + strlen(line);
	while (end > line && strchr(" \t\r\n", end[-1]) != NULL)
		*--end = '\0';
	return *line == '\0' || *line == '#' ? NULL : line;
}

static int read_file(struct queues *qs, FILE *f, const char *path,
		     enum taking how, char *why, size_t size)
{
	char line[4096], *text, reason[128];
	int r = 0, number = 0;

	rewind(f);
	while (r == 0 && fgets(line, sizeof(line), f) != NULL) {
		number++;
		text = trim(line);
		if (text == NULL)
			continue;
		r = take(qs, text, how, reason, sizeof(reason));
		if (r == -EINVAL && how == LENIENT) {
			leave_out(text, reason);
			r = 0;
		}
		if (r != 0)
			snprintf(why, size, "%.60s line %d: %s", path, number,
				 reason);
	}
	return r;
}

static int load_file(struct queues *qs, const char *path, bool lenient,
		     char *why, size_t size)
{
	FILE *f = fopen(path, "re");
	int r;

	if (f == NULL) {
		r = -errno;
		snprintf(why, size, "%.100s: %s", path, strerror(errno));
		return r;
	}
	r = lenient ? 0 : read_file(qs, f, path, LOOK, why, size);
	if (r == 0)
		r = read_file(qs, f, path, lenient ? LENIENT : CARRY_OUT, why,
			      size);
	fclose(f);
	return r;
}

/* ---- the section ---- */

static int read_items(struct queues *qs, const struct ow_cconfig *c,
		      enum taking how, char *why, size_t size)
{
	char line[LINE], reason[128];
	size_t i;
	int r = 0;

	for (i = 0; i < c->n && r == 0; i++) {
		snprintf(line, sizeof(line), "%s,%s", c->items[i].key,
			 ow_cconfig_value(c, c->items[i].key));
		r = take(qs, line, how, reason, sizeof(reason));
		if (r == -EINVAL && how == LENIENT) {
			leave_out(line, reason);
			r = 0;
		}
		if (r != 0)
			snprintf(why, size, "[@queue] %.20s: %s",
				 c->items[i].key, reason);
	}
	return r;
}

static int load_section(struct queues *qs, bool lenient, char *why, size_t size)
{
	struct ow_cconfig c = { .items = NULL };
	int r;

	ow_cconfig_read("@queue", &c);
	r = lenient ? 0 : read_items(qs, &c, LOOK, why, size);
	if (r == 0)
		r = read_items(qs, &c, lenient ? LENIENT : CARRY_OUT, why,
			      size);
	ow_cconfig_free(&c);
	return r;
}

static void tell_undefined(struct queues *qs)
{
	struct queue *q;

	for (q = qs->first; q != NULL; q = q->next)
		if (q->now.queued > 0 && queues_use(qs, q->name) == NULL)
			userlog("tmqueue: queue %s is defined no more, and has "
				"%llu messages: they can be taken out, nothing "
				"can be put in", q->name,
				(unsigned long long)q->now.queued);
}

/* Queues that are defined no more keep their messages: they can be taken out. */
int conf_load(struct queues *qs, const char *path, bool lenient, char *why,
	      size_t size)
{
	struct queue *q;
	int r;

	for (q = qs->first; q != NULL; q = q->next)
		q->refreshed = false;
	r = path[0] != '\0' ? load_file(qs, path, lenient, why, size)
			    : load_section(qs, lenient, why, size);
	if (r != 0)
		return r;
	for (q = qs->first; q != NULL; q = q->next) {
		q->defined = q->refreshed;
		if (!q->defined)
			definition_default(&q->def);
	}
	durable_define(qs);
	tell_undefined(qs);
	return 0;
}
