/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procenv.c - NAME=VALUE vectors and env files
 */
#include "libndrx/prepare/procenv.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/encrypted.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/trim.h"
#include "libndrx/config/subst.h"

static char **find(const struct ow_procenv *e, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		if (strncmp(e->v[i], name, len) == 0 && e->v[i][len] == '=')
			return &e->v[i];
	return NULL;
}

/* Takes `text` over, also on failure. */
static int append(struct ow_procenv *e, char *text)
{
	if (text == NULL)
		return -ENOMEM;
	if (e->n + 1 >= e->cap) {
		size_t cap = e->cap == 0 ? 64 : e->cap * 2;
		char **v = realloc(e->v, cap * sizeof(*v));

		if (v == NULL) {
			free(text);
			return -ENOMEM;
		}
		e->v = v;
		e->cap = cap;
	}
	e->v[e->n++] = text;
	e->v[e->n] = NULL;
	return 0;
}

int ow_procenv_copy(struct ow_procenv *e)
{
	char **p;
	int r = 0;

	if (e->key == NULL)
		e->key = calloc(1, sizeof(*e->key));
	for (p = environ; p != NULL && *p != NULL && r == 0; p++)
		r = append(e, strdup(*p));
	return r;
}

/* Free a NAME=VALUE, which may be a secret. */
static void drop(char *text)
{
	explicit_bzero(text, strlen(text));
	free(text);
}

int ow_procenv_set(struct ow_procenv *e, const char *name, const char *value)
{
	char **at = find(e, name, strlen(name));
	char *text;

	if (value == NULL) {
		if (at != NULL) {
			drop(*at);
			*at = e->v[--e->n];
			e->v[e->n] = NULL;
		}
		return 0;
	}
	if (asprintf(&text, "%s=%s", name, value) < 0)
		return -ENOMEM;
	if (at == NULL)
		return append(e, text);
	drop(*at);
	*at = text;
	return 0;
}

int ow_procenv_set_number(struct ow_procenv *e, const char *name, long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return ow_procenv_set(e, name, text);
}

const char *ow_procenv_get(const struct ow_procenv *e, const char *name)
{
	char **at = find(e, name, strlen(name));

	return at == NULL ? NULL : *at + strlen(name) + 1;
}

void ow_procenv_clear(struct ow_procenv *e)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		drop(e->v[i]);
	free(e->v);
	if (e->key != NULL)
		ow_encrypted_forget(e->key);
	free(e->key);
	memset(e, 0, sizeof(*e));
}

/* ---- env files ---- */

static const char *lookup(void *arg, const char *name)
{
	const char *v = ow_procenv_get(arg, name);

	return v == NULL ? "" : v;
}

static char *unquote(char *s)
{
	size_t n = strlen(s);

	if (n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n - 1] == s[0]) {
		s[n - 1] = '\0';
		return s + 1;
	}
	return s;
}

static int name_ok(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return 0;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return *s == '\0';
}

/* `why`: of a value that cannot be decrypted. */
static int apply_line(struct ow_procenv *e, char *line,
		      char why[OW_CCONFIG_WHY])
{
	struct ow_subst subst = { .get = lookup, .arg = e, .key = e->key,
				  .why = why };
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	char *name = ow_trim(line), *value;
	int r;

	if (*name == '\0' || *name == '#')
		return 0;
	if (strncmp(name, "export", 6) == 0 &&
	    isspace((unsigned char)name[6]))
		name = ow_trim(name + 6);
	value = strchr(name, '=');
	if (value == NULL)
		return OW_PROCENV_BAD;
	*value++ = '\0';
	name = ow_trim(name);
	if (!name_ok(name))
		return OW_PROCENV_BAD;
	why[0] = '\0';
	r = ow_subst(&subst, unquote(ow_trim(value)), &text);
	if (r != 0)
		return r < 0 ? r : OW_PROCENV_BAD;
	return ow_procenv_set(e, name, text);
}

static int apply_file(struct ow_procenv *e, const char *path, bool tuxedo,
		      char *why, size_t size)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	char hidden[OW_CCONFIG_WHY] = "";
	size_t cap = 0;
	int r = 0, n;

	if (f == NULL) {
		snprintf(why, size, "env file %s: %s", path, strerror(errno));
		return OW_PROCENV_BAD;
	}
	for (n = 1; r == 0 && getline(&line, &cap, f) >= 0; n++) {
		r = apply_line(e, line, hidden);
		if (tuxedo && r == OW_PROCENV_BAD && hidden[0] == '\0')
			r = 0;
	}
	if (r > 0 && hidden[0] != '\0')
		snprintf(why, size, "env file %s:%d: ${dec=...}: %s", path,
			 n - 1, hidden);
	else if (r > 0)
		snprintf(why, size,
			 "env file %s:%d: give [export ]NAME=VALUE or #",
			 path, n - 1);
	return r;
}

int ow_procenv_file(struct ow_procenv *e, const char *path, char *why,
		    size_t size)
{
	return apply_file(e, path, false, why, size);
}

int ow_procenv_file_tuxedo(struct ow_procenv *e, const char *path, char *why,
			   size_t size)
{
	return apply_file(e, path, true, why, size);
}
