/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ini.c - read a file of sections, keys and values
 */
#include "libubf/base/ini.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/trim.h"

struct reader {
	ow_ini_fn *take;
	void *arg;
	char *section, *key, *value; /* key NULL: none is open */
	unsigned int line, bad; /* the number of a line; the first bad one's */
	bool lost; /* the section is not known: its [ has no ] */
};

static int replace(char **at, const char *text)
{
	char *copy = strdup(text);

	if (copy == NULL)
		return -ENOMEM;
	free(*at);
	*at = copy;
	return 0;
}

/* Hand over the key that is open. */
static int finish(struct reader *r)
{
	int result = 0;

	if (r->key != NULL && !r->lost)
		result = r->take(r->arg, r->section, r->key, r->value);
	free(r->key);
	r->key = NULL;
	return result;
}

static int go_on(struct reader *r, const char *text)
{
	char *both = NULL;

	if (asprintf(&both, "%s\n%s", r->value, text) < 0)
		return -ENOMEM;
	free(r->value);
	r->value = both;
	return 0;
}

/* Note a line that is left out. */
static int leave_out(struct reader *r)
{
	if (r->bad == 0)
		r->bad = r->line;
	return 0;
}

static int take_line(struct reader *r, char *line)
{
	bool follows = line[0] == ' ' || line[0] == '\t';
	char *text = ow_trim(line), *sign, *end;
	int result;

	if (*text == '\0' || *text == '#' || *text == ';')
		return 0;
	if (follows && r->key != NULL)
		return go_on(r, text);
	result = finish(r);
	if (result != 0)
		return result;
	end = strchr(text, ']');
	if (*text == '[') {
		r->lost = end == NULL;
		if (r->lost)
			return leave_out(r);
		*end = '\0';
		return replace(&r->section, ow_trim(text + 1));
	}
	sign = strchr(text, '=');
	if (sign == text)
		return leave_out(r);
	if (sign != NULL)
		*sign++ = '\0';
	result = replace(&r->key, ow_trim(text));
	return result != 0 ? result
			   : replace(&r->value, sign != NULL ? ow_trim(sign) : "");
}

int ow_ini_read(FILE *f, ow_ini_fn *take, void *arg, unsigned int *ret_bad)
{
	struct reader r = { .take = take, .arg = arg };
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	int result = replace(&r.section, "");
	size_t cap = 0;

	while (result == 0 && getline(&line, &cap, f) >= 0) {
		r.line++;
		result = take_line(&r, line);
	}
	if (result == 0)
		result = ferror(f) ? -EIO : finish(&r);
	free(r.section);
	free(r.key);
	free(r.value);
	*ret_bad = r.bad;
	return result;
}
