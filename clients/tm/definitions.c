/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definitions.c - the file with the queues of a queue space
 */
#include "clients/tm/definitions.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/common/newfile.h"
#include "clients/tm/rows.h"
#include "clients/tm/site.h"
#include "libubf/base/cleanup.h"

/* As long as no queue is made, all exist; afterwards those that were made. */
#define ANY_QUEUE "@,svcnm=-,autoq=n,tries=3\n"

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "qmadmin: %s: %s\n", what, why);
	return 1;
}

/* The path of the file, whose folder is made. */
static int find_path(const char *space, char path[PATH_MAX])
{
	char name[64];

	if (strchr(space, '/') != NULL)
		return complain(space, "a queue space has no / in its name");
	if (site_path("qmadmin", "", path, PATH_MAX) < 0)
		return 1;
	mkdir(path, 0777);
	site_path("qmadmin", "conf", path, PATH_MAX);
	mkdir(path, 0777);
	snprintf(name, sizeof(name), "conf/%.32s.queues", space);
	return site_path("qmadmin", name, path, PATH_MAX) < 0 ? 1 : 0;
}

int definitions_make(const char *space)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	char path[PATH_MAX];

	if (find_path(space, path) != 0)
		return 1;
	f = fopen(path, "ae");
	if (f == NULL)
		return complain(path, strerror(errno));
	if (ftell(f) == 0)
		fputs("# Queues of the space; the line @ is for all that have none "
		      "of their own: `man tmqueue`\n" ANY_QUEUE, f);
	return 0;
}

/* Does the definition give this word itself? */
static bool is_given(const char *word)
{
	static const char *const given[] = { "mode=", "tries=", "waitretry=" };

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (strncmp(word, given[i], strlen(given[i])) == 0)
			return true;
	return false;
}

/* Is the word in the list "priority,time,fifo"? */
static bool has_order(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list != NULL; list = strchr(list, ',')) {
		list += *list == ',';
		if (strncmp(list, word, n) == 0 && strchr(",", list[n]) != NULL)
			return true;
	}
	return false;
}

/* The name behind DEFINITIONS_ERRORQ, if this is such a line. */
static bool take_errorq(const char *line, char name[DEFINITIONS_NAME + 1])
{
	size_t n = strlen(DEFINITIONS_ERRORQ);

	if (strncmp(line, DEFINITIONS_ERRORQ, n) != 0)
		return false;
	snprintf(name, DEFINITIONS_NAME + 1, "%.*s",
		 (int)strcspn(line + n, "\n"), line + n);
	return true;
}

/* What the line of the queue gets for its error queue. */
static void put_errorq(FILE *out, const char *queue, const char *errorq,
		       const char *old)
{
	if (*errorq != '\0' && strcmp(queue, errorq) != 0 &&
	    (old == NULL || strstr(old, ",errorq=") == NULL))
		fprintf(out, ",errorq=%s", errorq);
}

/* Write the line of the queue; `old`: the words of its former line, or NULL. */
static void put_line(FILE *out, const struct definition *d, char *old,
		     const char *errorq)
{
	OW_CLEANUP(ow_cleanup_freep) char *was = old != NULL ? strdup(old) : NULL;
	char *word, *rest;

	fputs(d->name, out);
	if (old == NULL)
		fputs(",svcnm=-,autoq=n", out);
	for (word = old != NULL ? strtok_r(old, ",\n", &rest) : NULL; word != NULL;
	     word = strtok_r(NULL, ",\n", &rest))
		if (!is_given(word))
			fprintf(out, ",%s", word);
	fprintf(out, ",mode=%s,tries=%ld,waitretry=%ld",
		has_order(d->order, "priority") ? "priority"
		: has_order(d->order, "lifo")	? "lifo"
						: "fifo",
		d->retries + 1, d->delay);
	put_errorq(out, d->name, errorq, was);
	fputc('\n', out);
}

static int check_name(const char *name)
{
	return name[0] == '\0' || strlen(name) > DEFINITIONS_NAME ||
		       strpbrk(name, ",=# \t") != NULL
		   ? complain(name, "a queue has a name of 1 to 15 characters "
				    "without , = # or blank")
		   : 0;
}

static int check(const struct definition *d)
{
	static const char orders[] = "fifo,lifo,priority,time,expr,expiration";
	const char *at = d->order;
	char word[16];
	size_t n;

	if (check_name(d->name) != 0)
		return 1;
	while (*at != '\0') {
		n = strcspn(at, ",");
		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		if (n == 0 || n >= sizeof(word) || !has_order(orders, word))
			return complain(d->order, "give an order: fifo, lifo, "
						  "priority, or a list of them");
		at += n + (at[n] == ',');
	}
	return 0;
}

/* What of the order has no effect. */
static void tell_unused(const char *order)
{
	if (has_order(order, "time") || has_order(order, "expr") ||
	    has_order(order, "expiration"))
		fputs("qmadmin: order by time: messages go first in, first out; "
		      "a message with a time waits for it\n", stderr);
	if (has_order(order, "priority") && has_order(order, "lifo"))
		fputs("qmadmin: lifo behind priority: of one priority the "
		      "first in is the first out\n", stderr);
}

/* Queues that programs have used without a definition stay: messages may lie in
 * them. */
static void keep_used(FILE *out, const char *space, const struct definition *d)
{
	struct rows queues;
	const char *name;

	if (rows_ask("mqlc", &queues) != 0)
		return; /* the space does not run */
	for (size_t i = 0; i < queues.n; i++) {
		name = rows_get(&queues, i, "queue");
		if (strcmp(rows_get(&queues, i, "space"), space) == 0 &&
		    strcmp(rows_get(&queues, i, "implied"), "true") == 0 &&
		    strcmp(name, "@") != 0 && strcmp(name, d->name) != 0)
			fprintf(out, "%s%s", name, &ANY_QUEUE[1]);
	}
	rows_free(&queues);
}

int definitions_set(const char *space, const struct definition *d)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	OW_CLEANUP(ow_cleanup_fclosep) FILE *in = NULL;
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	char path[PATH_MAX], errorq[DEFINITIONS_NAME + 1] = "";
	size_t cap = 0, n = strlen(d->name);
	bool found = false;
	int r;

	if (check(d) != 0 || definitions_make(space) != 0 ||
	    find_path(space, path) != 0)
		return 1;
	tell_unused(d->order);
	in = fopen(path, "re");
	r = in != NULL ? ow_newfile_open(&f, path) : -errno;
	if (r < 0)
		return complain(path, strerror(-r));
	while (getline(&line, &cap, in) >= 0) {
		(void)take_errorq(line, errorq); /* it is the first line */
		if (strncmp(line, d->name, n) == 0 && line[n] == ',') {
			put_line(f.file, d, line + n, errorq);
			found = true;
		} else if (strcmp(line, ANY_QUEUE) != 0) {
			fputs(line, f.file);
		} else {
			keep_used(f.file, space, d);
		}
	}
	if (!found)
		put_line(f.file, d, NULL, errorq);
	r = ow_newfile_close(&f);
	if (r == 0)
		r = ow_newfile_publish(&f);
	return r < 0 ? complain(path, strerror(-r)) : 0;
}

/* A line of the file again, which may be that of a queue. */
static void put_again(FILE *out, char *line, const char *errorq)
{
	char name[DEFINITIONS_NAME + 1], former[DEFINITIONS_NAME + 1];

	if (take_errorq(line, former))
		return;
	line[strcspn(line, "\n")] = '\0';
	fputs(line, out);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, ","), line);
	if (strchr("#@", line[0]) == NULL)
		put_errorq(out, name, errorq, line);
	fputc('\n', out);
}

int definitions_errorq(const char *space, const char *queue)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	OW_CLEANUP(ow_cleanup_fclosep) FILE *in = NULL;
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	char path[PATH_MAX];
	size_t cap = 0;
	int r;

	if (*queue == '\0')
		return 0;
	if (check_name(queue) != 0 || definitions_make(space) != 0 ||
	    find_path(space, path) != 0)
		return 1;
	in = fopen(path, "re");
	r = in != NULL ? ow_newfile_open(&f, path) : -errno;
	if (r < 0)
		return complain(path, strerror(-r));
	fprintf(f.file, DEFINITIONS_ERRORQ "%s\n", queue);
	while (getline(&line, &cap, in) >= 0)
		put_again(f.file, line, queue);
	r = ow_newfile_close(&f);
	if (r == 0)
		r = ow_newfile_publish(&f);
	return r < 0 ? complain(path, strerror(-r)) : 0;
}
