/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - what `cache` of a <service> says
 *
 * Words NAME=VALUE, parted by blanks or commas. Values have no blanks.
 */
#include "libatmi/cache/cache.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/numtext.h"

#define TTL_MAX 86400.0 /* seconds */
#define PARTS	" \t\r\n,"

/* Seconds with a fraction, or a number with ms, s, m, h: nanoseconds; 0: it is
 * none of these, or out of range. */
static uint64_t read_time(const char *text)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 },
		      { "m", 60 }, { "h", 3600 } };
	char *end = NULL;
	double n = ow_numtext_to_double(text, &end);
	size_t i;

	if (!isdigit((unsigned char)text[0]) || !isfinite(n))
		return 0;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0 &&
		    n * units[i].seconds <= TTL_MAX)
			return (uint64_t)(n * units[i].seconds * 1e9);
	return 0;
}

/* Copy a text that is not empty; false: it is, or it is too long. */
static bool copy(char *to, size_t size, const char *value)
{
	return *value != '\0' && snprintf(to, size, "%s", value) < (int)size;
}

/* FIELD+FIELD: names, not empty. */
static bool are_fields(const char *key)
{
	const char *p;

	for (p = key; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && strchr("_.+", *p) == NULL)
			return false;
	return key[0] != '+' && p[-1] != '+' && strstr(key, "++") == NULL;
}

static const char *set(struct ow_cache_settings *s, const char *name,
		       const char *value)
{
	if (strcmp(name, "ttl") == 0) {
		s->ttl_ns = read_time(value);
		return s->ttl_ns != 0 ? NULL : "ttl: give a time of at most a "
					       "day, as 5s or 250ms";
	}
	if (strcmp(name, "key") == 0)
		return copy(s->key, sizeof(s->key), value) &&
			       are_fields(s->key)
			   ? NULL : "key: give FIELD or FIELD+FIELD...";
	if (strcmp(name, "drop") == 0)
		return copy(s->drop, sizeof(s->drop), value)
			   ? NULL : "drop: give the name of an event";
	return "give ttl=TIME, key=FIELD+FIELD, drop=EVENT, or none";
}

int ow_cache_parse(const char *text, struct ow_cache_settings *ret, char *why,
		   size_t size)
{
	struct ow_cache_settings s = { .ttl_ns = 0 };
	char words[512], *rest = words, *word, *value;
	const char *wrong = NULL;
	bool none = strcmp(text, "none") == 0;

	if (snprintf(words, sizeof(words), "%s", text) >= (int)sizeof(words))
		wrong = "it is too long";
	while (!none && wrong == NULL && (word = strsep(&rest, PARTS)) != NULL) {
		if (*word == '\0')
			continue;
		value = strchr(word, '=');
		if (value != NULL)
			*value++ = '\0';
		wrong = set(&s, word, value != NULL ? value : "");
	}
	if (wrong == NULL && !none && s.ttl_ns == 0)
		wrong = "ttl=TIME is missing";
	if (wrong != NULL) {
		snprintf(why, size, "%s", wrong);
		return -EINVAL;
	}
	*ret = s;
	return 0;
}
