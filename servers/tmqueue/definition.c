/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition.c - a line of q.conf
 */
#include "servers/tmqueue/definition.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libubf/base/variable.h"

struct parse {
	struct definition *d;
	const char *value;
	char *why;
	size_t size;
};

static int wrong(struct parse *p, const char *key, const char *want)
{
	snprintf(p->why, p->size, "%s=%s: %s is wanted", key, p->value, want);
	return -EINVAL;
}

static int read_number(struct parse *p, const char *key, uint32_t *ret,
		       uint32_t least, uint32_t most)
{
	char *end = NULL, want[64];
	unsigned long n;

	errno = 0;
	n = strtoul(p->value, &end, 10);
	if (errno == 0 && end != p->value && *end == '\0' && n >= least &&
	    n <= most && p->value[0] != '-') {
		*ret = (uint32_t)n;
		return 0;
	}
	snprintf(want, sizeof(want), "a number from %u to %u", least, most);
	return wrong(p, key, want);
}

/* Seconds, also 1.5 and 250ms. */
static int read_time(struct parse *p, const char *key, uint64_t *ret_ns)
{
	char *end = NULL;
	double n = strtod(p->value, &end);

	if (end == p->value || n < 0 || n > 1e9)
		return wrong(p, key, "a time in seconds");
	if (strcmp(end, "ms") == 0)
		n /= 1000;
	else if (*end != '\0' && strcmp(end, "s") != 0)
		return wrong(p, key, "a time in seconds");
	*ret_ns = (uint64_t)(n * (double)OW_NS_PER_SEC);
	return 0;
}

static int read_auto(struct parse *p)
{
	char c = p->value[0];

	if (p->value[0] == '\0' || p->value[1] != '\0' ||
	    strchr("ynYNtT", c) == NULL)
		return wrong(p, "autoq", "y, n or T");
	p->d->transact = c == 't' || c == 'T';
	p->d->automatic = p->d->transact || c == 'y' || c == 'Y';
	if (p->d->transact && ow_variable("NDRX_XA_RES_ID") == NULL) {
		p->d->transact = p->d->automatic = false;
		return wrong(p, "autoq", "NDRX_XA_RES_ID, to take part in "
			     "transactions,");
	}
	return 0;
}

/* Whether a queue is to be in memory only: all are on disk, which is more. */
static int read_memonly(struct parse *p)
{
	return p->value[0] != '\0' && p->value[1] == '\0' &&
			       strchr("ynYN", p->value[0]) != NULL
		   ? 0
		   : wrong(p, "memonly", "y or n");
}

static int read_mode(struct parse *p)
{
	static const char *const words[] = {
		[MODE_FIFO] = "fifo",
		[MODE_LIFO] = "lifo",
		[MODE_PRIORITY] = "priority",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(p->value, words[i]) == 0) {
			p->d->mode = (enum definition_mode)i;
			return 0;
		}
	}
	return wrong(p, "mode", "fifo, lifo or priority");
}

static int read_name(struct parse *p, const char *key, char *to, size_t size)
{
	if (strlen(p->value) >= size)
		return wrong(p, key, "a shorter name");
	strcpy(to, p->value);
	return 0;
}

/* @ and no name at all: the service has the name of the queue. */
static int read_service(struct parse *p)
{
	if (strcmp(p->value, "@") == 0)
		p->value = "";
	return read_name(p, "svcnm", p->d->service, sizeof(p->d->service));
}

static int read_item(struct parse *p, const char *key)
{
	struct definition *d = p->d;

	if (strcmp(key, "svcnm") == 0)
		return read_service(p);
	if (strcmp(key, "errorq") == 0)
		return read_name(p, key, d->errorq, sizeof(d->errorq));
	if (strcmp(key, "autoq") == 0)
		return read_auto(p);
	if (strcmp(key, "mode") == 0)
		return read_mode(p);
	if (strcmp(key, "tries") == 0)
		return read_number(p, key, &d->tries, 0, 1000000);
	if (strcmp(key, "workers") == 0)
		return read_number(p, key, &d->workers, 1, DEFINITION_WORKERS);
	if (strcmp(key, "waitinit") == 0)
		return read_time(p, key, &d->wait_init_ns);
	if (strcmp(key, "waitretry") == 0)
		return read_time(p, key, &d->wait_retry_ns);
	if (strcmp(key, "waitretryinc") == 0)
		return read_time(p, key, &d->wait_inc_ns);
	if (strcmp(key, "memonly") == 0)
		return read_memonly(p);
	if (strcmp(key, "waitretrymax") == 0)
		return read_time(p, key, &d->wait_max_ns);
	if (strcmp(key, "txtout") == 0)
		return read_time(p, key, &d->timeout_ns);
	if (strcmp(key, "sync") == 0) /* each commit is synced */
		return 0;
	snprintf(p->why, p->size, "%s: there is no such word", key);
	return -EINVAL;
}

void definition_default(struct definition *d)
{
	memset(d, 0, sizeof(*d));
	d->tries = 3;
	d->workers = 1;
	d->wait_inc_ns = DEFINITION_INC;
	d->wait_retry_ns = 10 * OW_NS_PER_SEC;
	d->wait_max_ns = 60 * OW_NS_PER_SEC;
}

void definition_durable(struct definition *d)
{
	definition_default(d);
	d->automatic = true;
	d->tries = 10;
	d->wait_retry_ns = OW_NS_PER_SEC;
}

/* The word without blanks around it. */
static char *trim(char *word)
{
	char *end = word + strlen(word);

	while (end > word && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return word + strspn(word, " \t");
}

static int read_queue_name(const char *word, char *name, char *why, size_t size)
{
	if (*word == '\0' || strlen(word) > TMQNAMELEN) {
		snprintf(why, size, "queue \"%.40s\": a name of 1 to %d "
			 "characters is wanted", word, TMQNAMELEN);
		return -EINVAL;
	}
	strcpy(name, word);
	return 0;
}

int definition_read(const char *line, char name[TMQNAMELEN + 1],
		    struct definition *ret,
		    void (*leave_out)(const char *queue, const char *why),
		    char *why, size_t size)
{
	char copy[DEFINITION_TEXT + TMQNAMELEN + 2], *save = NULL, *word, *eq;
	struct definition d;
	struct parse p = { .d = &d, .why = why, .size = size };
	int r;

	if (strlen(line) >= sizeof(copy)) {
		snprintf(why, size, "the line is longer than %zu characters",
			 sizeof(copy) - 1);
		return -EINVAL;
	}
	strcpy(copy, line);
	if (line[0] == '>')
		definition_durable(&d);
	else
		definition_default(&d);
	word = strchr(line, ',');
	if (word != NULL)
		snprintf(d.text, sizeof(d.text), "%s", word + 1);
	word = strtok_r(copy, ",", &save);
	r = read_queue_name(word != NULL ? trim(word) : "", name, why, size);
	while (r == 0 && (word = strtok_r(NULL, ",", &save)) != NULL) {
		word = trim(word);
		if (*word == '\0')
			continue;
		eq = strchr(word, '=');
		p.value = eq != NULL ? trim(eq + 1) : "";
		if (eq != NULL)
			*eq = '\0';
		r = read_item(&p, trim(word));
		if (r != 0 && leave_out != NULL) {
			leave_out(name, why);
			r = 0;
		}
	}
	if (r == 0)
		*ret = d;
	return r;
}
