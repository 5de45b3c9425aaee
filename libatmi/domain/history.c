/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.c - the history: what ndrxd did and who ordered it, as a text file
 */
#include "libatmi/domain/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libubf/base/printable.h"

void ow_history_path(const struct ow_domain *d, char buf[OW_HISTORY_PATH])
{
	size_t n = strlen(d->run_dir);

	buf[0] = '\0';
	if (n > 4) /* "/run" */
		snprintf(buf, OW_HISTORY_PATH, "%.*s/log/history.log",
			 (int)(n - 4), d->run_dir);
}

/* Append text; control characters become '?', and with `word` blanks '_'. */
static size_t put(char *buf, size_t n, size_t size, const char *text, bool word)
{
	const char *p = *text != '\0' ? text : word ? "-" : "";
	size_t from = n;

	for (; *p != '\0' && n + 2 < size; p++)
		buf[n++] = word && *p == ' ' ? '_' : *p;
	buf[n] = '\0';
	ow_printable(buf + from);
	return n;
}

size_t ow_history_line(const struct ow_event *e, const char *prefix,
		       char buf[OW_HISTORY_LINE])
{
	time_t s = (time_t)(e->real_ns / OW_NS_PER_SEC);
	char id[16] = "-", pid[16] = "-", domain[OW_PREFIX_MAX + 3];
	struct tm tm = { 0 };
	size_t n;

	gmtime_r(&s, &tm);
	n = strftime(buf, 32, "%Y-%m-%dT%H:%M:%S", &tm);
	n += (size_t)snprintf(buf + n, 16, ".%03uZ ",
			      (unsigned int)(e->real_ns / OW_NS_PER_MS % 1000));
	n = put(buf, n, OW_HISTORY_LINE, ow_event_word(e->kind), true);
	buf[n++] = ' ';
	n = put(buf, n, OW_HISTORY_LINE, e->who, true);
	if (e->srvid != 0)
		snprintf(id, sizeof(id), "%u", e->srvid);
	if (e->pid > 0)
		snprintf(pid, sizeof(pid), "%d", e->pid);
	n += (size_t)snprintf(buf + n, OW_HISTORY_LINE - n, " %s %s ", id,
			      pid);
	n = put(buf, n, OW_HISTORY_LINE - sizeof(domain), e->text, false);
	snprintf(domain, sizeof(domain), "/%s", prefix);
	buf[n++] = '\t';
	n = put(buf, n, OW_HISTORY_LINE, domain, true);
	buf[n++] = '\n';
	buf[n] = '\0';
	return n;
}

static uint32_t kind_of(char *word)
{
	uint32_t kind;
	char *p;

	for (p = word; *p != '\0'; p++)
		if (*p == '_')
			*p = ' ';
	for (kind = 1; kind < OW_EVENT_KIND_END; kind++)
		if (strcmp(ow_event_word(kind), word) == 0)
			return kind;
	return OW_EVENT_NONE;
}

/* "2026-11-22T19:43:00.123Z"; 0: it is none. */
static uint64_t time_of(const char *text)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	unsigned int ms;

	if (rest == NULL || sscanf(rest, ".%3uZ", &ms) != 1)
		return 0;
	return (uint64_t)timegm(&tm) * OW_NS_PER_SEC + ms * OW_NS_PER_MS;
}

/* The text of a line, up to the domain behind it, which is `prefix` or not named. */
static bool read_text(const char *text, const char *prefix,
		      struct ow_event *ret)
{
	size_t n = strcspn(text, "\t\n");
	const char *domain = text + n;

	snprintf(ret->text, sizeof(ret->text), "%.*s", (int)n, text);
	if (*domain != '\t')
		return true;
	domain += domain[1] == '/' ? 2 : 1;
	n = strcspn(domain, "\n");
	return strlen(prefix) == n && strncmp(domain, prefix, n) == 0;
}

bool ow_history_parse(const char *line, const char *prefix,
		      struct ow_event *ret)
{
	char when[32], kind[32], id[16], pid[16];
	int at = 0;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "%31s %31s %63s %15s %15s%n", when, kind, ret->who,
		   id, pid, &at) < 5 || at == 0 || line[at] != ' ')
		return false;
	at++;
	ret->real_ns = time_of(when);
	ret->kind = kind_of(kind);
	ret->srvid = (uint32_t)strtoul(id, NULL, 10);
	ret->pid = (int32_t)strtol(pid, NULL, 10);
	return read_text(line + at, prefix, ret) && ret->real_ns != 0 &&
	       ret->kind != OW_EVENT_NONE;
}

int ow_history_append(const struct ow_domain *d, struct ow_event *e)
{
	char path[OW_HISTORY_PATH], line[OW_HISTORY_LINE];
	size_t n;
	int fd, r;

	ow_history_path(d, path);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
		  OW_LOG_MODE);
	if (fd < 0)
		return -errno;
	e->real_ns = ow_clock_real_ns();
	n = ow_history_line(e, d->prefix, line);
	r = write(fd, line, n) == (ssize_t)n ? 0 : -EIO;
	close(fd);
	return r;
}
