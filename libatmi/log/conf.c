/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf.c - the debug log's configuration, read from text
 *
 * Runs before the log is open, and under its lock: nothing here may log.
 */
#include "libatmi/log/conf.h"

#include <errno.h>
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/encrypted.h"
#include "libatmi/base/env.h"
#include "libatmi/base/expand.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/uncancelled.h"

#define LINE_SIZE  4096
#define TP_DEFAULT 5 /* level of tp where a line does not give one */

static const struct ow_log_conf defaults = { .level = { 2, 2, 2 } };

void ow_log_conf_init(struct ow_log_conf *conf)
{
	*conf = defaults;
}

/* Note the first problem. Always -EINVAL. */
static int refuse(struct ow_log_conf *conf, const char *what,
		  const char *value)
{
	if (conf->problem[0] == '\0')
		snprintf(conf->problem, sizeof(conf->problem),
			 "debug configuration: %.80s: %.128s", what, value);
	return -EINVAL;
}

/* One function per key. `off`: of the member in struct ow_log_conf. */
typedef int (*set_fn)(struct ow_log_conf *conf, size_t off, const char *value);

static int set_level(struct ow_log_conf *conf, size_t off, const char *value)
{
	long level;

	if (ow_env_parse_long(value, &level) < 0 || level < 0 || level > 9)
		return -EINVAL;
	*(int *)((char *)conf + off) = (int)level;
	return 0;
}

static int set_file(struct ow_log_conf *conf, size_t off, const char *value)
{
	if (strlen(value) >= sizeof(conf->file))
		return -EINVAL;
	memcpy(conf->file, value, strlen(value) + 1);
	return 0;
}

static int set_iflags(struct ow_log_conf *conf, size_t off, const char *value)
{
	snprintf(conf->iflags, sizeof(conf->iflags), "%s", value);
	return 0;
}

static int set_mkdir(struct ow_log_conf *conf, size_t off, const char *value)
{
	if (strchr("yYnN", value[0]) == NULL || value[0] == '\0')
		return -EINVAL;
	conf->mkdir = value[0] == 'y' || value[0] == 'Y';
	return 0;
}

static int set_format(struct ow_log_conf *conf, size_t off, const char *value)
{
	if (strcmp(value, "json") != 0 && strcmp(value, "text") != 0)
		return -EINVAL;
	conf->json = value[0] == 'j';
	return 0;
}

static int set_threaded(struct ow_log_conf *conf, size_t off,
			const char *value)
{
	if (strlen(value) != 1 || strchr("yYnNlL", value[0]) == NULL)
		return -EINVAL;
	conf->per_thread = value[0] == 'y' || value[0] == 'Y';
	return 0;
}

static int set_trace(struct ow_log_conf *conf, size_t off, const char *value)
{
	if (strlen(value) != 1 || strchr("yYnN", value[0]) == NULL)
		return -EINVAL;
	conf->trace = value[0] == 'y' || value[0] == 'Y';
	return 0;
}

static int set_nothing(struct ow_log_conf *conf, size_t off, const char *value)
{
	return 0;
}

#define LEVEL_AT(i) (offsetof(struct ow_log_conf, level) + (i) * sizeof(int))

static const struct {
	const char *key;
	set_fn set;
	size_t off;
} keys[] = {
	{ .key = "ndrx", .set = set_level, .off = LEVEL_AT(0) },
	{ .key = "ubf", .set = set_level, .off = LEVEL_AT(1) },
	{ .key = "tp", .set = set_level, .off = LEVEL_AT(2) },
	{ .key = "file", .set = set_file },
	{ .key = "mkdir", .set = set_mkdir },
	{ .key = "iflags", .set = set_iflags },
	{ .key = "bufsz", .set = set_nothing },
	{ .key = "lines", .set = set_nothing },
	{ .key = "format", .set = set_format },
	{ .key = "threaded", .set = set_threaded },
	{ .key = "trace", .set = set_trace },
	{ .key = "match", .set = set_nothing },
	{ .key = "rebins", .set = set_nothing },
};

/* `line`: what the item stands in, as it is written. */
static int apply_item(struct ow_log_conf *conf, const char *key,
		      const char *value, const char *line)
{
	bool shown = strstr(line, "${" OW_ENCRYPTED_MARK) == NULL;
	char text[OW_LOG_PATH + 64];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].key, key) != 0)
			continue;
		if (keys[i].set(conf, keys[i].off, value) == 0) {
			conf->tp_given |= keys[i].off == LEVEL_AT(2);
			return 0;
		}
		snprintf(text, sizeof(text), "bad value of %s", key);
		return refuse(conf, text, shown ? value : line);
	}
	return 0;
}

int ow_log_conf_string(struct ow_log_conf *conf, const char *text)
{
	char expanded[LINE_SIZE], item[LINE_SIZE], why[OW_CCONFIG_WHY];
	const char *pos = expanded;
	char *key, *value;
	int r, result = 0;

	r = ow_expand(text, expanded, sizeof(expanded), why);
	if (r == OW_EXPAND_ENCRYPTED)
		return refuse(conf, why, text);
	if (r < 0)
		return refuse(conf, strerror(-r), text);
	for (;;) {
		r = ow_env_next_item(&pos, item, sizeof(item), &key, &value);
		if (r == OW_ENV_END)
			return result;
		if (r < 0)
			return refuse(conf, "quote without end", text);
		r = apply_item(conf, key, value, text);
		if (r < 0)
			result = r;
	}
}

static void apply_line(struct ow_log_conf *conf, const char *text)
{
	conf->lined = true;
	ow_log_conf_string(conf, text);
}

/* The text behind the program's name if the line is for `name`, else NULL. */
static const char *line_of(const char *line, const char *name)
{
	size_t len = strlen(name);

	line += strspn(line, " \t");
	if (strncmp(line, name, len) != 0)
		return NULL;
	if (line[len] != '\0' && strchr(" \t\r\n", line[len]) == NULL)
		return NULL;
	return line + len;
}

/* Apply the lines for `name`. 1: found; 0: there is none; -errno. */
static int apply_name(struct ow_log_conf *conf, FILE *fp, const char *name)
{
	char line[LINE_SIZE];
	int found = 0;

	rewind(fp);
	while (fgets(line, sizeof(line), fp) != NULL) {
		const char *rest = line_of(line, name);

		if (rest == NULL)
			continue;
		apply_line(conf, rest);
		found = 1;
	}
	return ferror(fp) ? -EIO : found;
}

/* ---- lines for programs by pattern ---- */

/* Does the whole of `name` match? False for a bad expression, which is
 * noted. */
static bool name_matches(struct ow_log_conf *conf, const char *pattern,
			 const char *name)
{
	char whole[LINE_SIZE + 8];
	bool found;
	regex_t re;

	if (name == NULL)
		return false;
	snprintf(whole, sizeof(whole), "^(%s)$", pattern);
	if (regcomp(&re, whole, REG_EXTENDED | REG_NOSUB) != 0) {
		refuse(conf, "not a regular expression", pattern);
		return false;
	}
	found = regexec(&re, name, 0, NULL, 0) == 0;
	regfree(&re);
	return found;
}

/* Does one of the names match a pattern on the line? */
static bool line_matches(struct ow_log_conf *conf, const char *line,
			 const char *const names[2])
{
	char item[LINE_SIZE], *key, *value;
	const char *pos = line;

	while (ow_env_next_item(&pos, item, sizeof(item), &key, &value) == 0)
		if ((strcmp(key, "match") == 0 || strcmp(key, "rebins") == 0) &&
		    (name_matches(conf, value, names[0]) ||
		     name_matches(conf, value, names[1])))
			return true;
	return false;
}

/* Apply all lines whose pattern matches, in their order. */
static int apply_patterns(struct ow_log_conf *conf, FILE *fp,
			  const char *const names[2])
{
	char line[LINE_SIZE];

	rewind(fp);
	while (fgets(line, sizeof(line), fp) != NULL) {
		const char *rest = line + strspn(line, " \t");

		if (*rest == '#' || line_of(line, "*") != NULL)
			continue;
		rest += strcspn(rest, " \t\r\n");
		if (line_matches(conf, rest, names))
			apply_line(conf, rest);
	}
	return ferror(fp) ? -EIO : 0;
}

int ow_log_conf_file(struct ow_log_conf *conf, const char *path,
		     const char *first, const char *second)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *fp = NULL;
	const char *const names[2] = { first, second };
	int r;

	fp = fopen(path, "re");
	if (fp == NULL) {
		r = -errno;
		refuse(conf, strerror(-r), path);
		return r;
	}
	r = apply_name(conf, fp, "*");
	if (r >= 0)
		r = apply_patterns(conf, fp, names);
	if (r < 0)
		return r;
	r = first != NULL ? apply_name(conf, fp, first) : 0;
	if (r == 0 && second != NULL)
		r = apply_name(conf, fp, second);
	return r < 0 ? r : 0;
}

/* ---- [@debug] of the ini configuration ---- */

/* Apply the item of the name. False: there is none. */
static bool apply_key(struct ow_log_conf *conf, const struct ow_cconfig *c,
		      const char *name)
{
	for (size_t i = 0; name != NULL && i < c->n; i++) {
		if (strcmp(c->items[i].key, name) != 0)
			continue;
		ow_log_conf_string(conf, c->items[i].value);
		return true;
	}
	return false;
}

/* In the order of the lines of a file. */
static void apply_section(struct ow_log_conf *conf, const char *first,
			  const char *second)
{
	const char *const names[2] = { first, second };
	struct ow_cconfig c;

	ow_cconfig_read("@debug", &c);
	apply_key(conf, &c, "*");
	for (size_t i = 0; i < c.n; i++)
		if (strcmp(c.items[i].key, "*") != 0 &&
		    line_matches(conf, c.items[i].value, names))
			apply_line(conf, c.items[i].value);
	if (!apply_key(conf, &c, first))
		apply_key(conf, &c, second);
	ow_cconfig_free(&c);
}

void ow_log_conf_load(struct ow_log_conf *conf, const char *program)
{
	OW_UNCANCELLED;
	const char *server = ow_env_str("NDRX_SVPROCNAME", NULL);
	const char *text;

	ow_log_conf_init(conf);
	text = ow_env_str("NDRX_DEBUG_CONF", NULL);
	if (text != NULL)
		ow_log_conf_file(conf, text, server, program);
	apply_section(conf, server, program);
	text = ow_env_str("NDRX_DEBUG_STR", NULL);
	if (text != NULL)
		ow_log_conf_string(conf, text);
	if (conf->lined && !conf->tp_given)
		conf->level[2] = TP_DEFAULT;
}
