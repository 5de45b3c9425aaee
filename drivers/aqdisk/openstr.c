/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openstr.c - items of an open string of queues
 */
#include "drivers/aqdisk/openstr.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The end of a value that begins at `at`; quoted by `quote`, or up to the next
 * separator. */
static const char *value_end(const char *at, char quote)
{
	if (quote == '\0')
		return at + strcspn(at, " \t,");
	while (*at != '\0' && *at != quote)
		at += *at == '\\' && at[1] != '\0' ? 2 : 1;
	return at;
}

static int copy_value(const char *from, const char *end, char *ret, size_t size)
{
	size_t n = 0;

	for (; from < end; from++) {
		if (*from == '\\' && from + 1 < end)
			from++;
		if (n + 1 >= size)
			return -EINVAL;
		ret[n++] = *from;
	}
	ret[n] = '\0';
	return 0;
}

int openstr_item(const char *s, const char *key, char *ret, size_t size)
{
	size_t len = strlen(key), n;
	const char *end;
	char quote;
	bool found;

	while (*(s += strspn(s, " \t,")) != '\0') {
		n = strcspn(s, "= \t,");
		found = n == len && memcmp(s, key, len) == 0 && s[n] == '=';
		s += n;
		if (*s != '=')
			continue;
		s++;
		quote = *s == '"' || *s == '\'' ? *s++ : '\0';
		end = value_end(s, quote);
		if (found)
			return copy_value(s, end, ret, size);
		s = *end != '\0' && quote != '\0' ? end + 1 : end;
	}
	return -ENOENT;
}
