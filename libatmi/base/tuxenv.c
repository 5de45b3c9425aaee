/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tuxenv.c - tuxgetenv, tuxputenv, tuxreadenv: the environment
 *
 * As getenv() and putenv() do, these serve programs that set their environment
 * before they have threads.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/expand.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/trim.h"
#include "libubf/base/variable.h"

#define EXPANDED 8192u

char *tuxgetenv(char *name)
{
	return name != NULL ? ow_variable_of_program(name) : NULL;
}

int tuxputenv(char *string)
{
	return string != NULL && strchr(string, '=') != NULL ? putenv(string)
							     : -1;
}

/* Set the variable of one NAME=VALUE: 0 or -1. */
static int set_variable(char *line)
{
	char value[EXPANDED], why[OW_CCONFIG_WHY], *equals = strchr(line, '=');

	if (equals == NULL || equals == line ||
	    ow_expand(equals + 1, value, sizeof(value), why) != 0)
		return -1;
	*equals = '\0';
	return setenv(line, value, 1);
}

/* Is it [label]? */
static bool is_label(const char *line, const char *label)
{
	size_t n = label != NULL ? strlen(label) : 0;

	return n > 0 && strncmp(line + 1, label, n) == 0 &&
	       strcmp(line + 1 + n, "]") == 0;
}

static int read_lines(FILE *f, const char *label)
{
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	bool ours = true; /* before the first section */
	size_t size = 0;
	char *text;
	int r = 0;

	while (getline(&line, &size, f) >= 0) {
		text = ow_trim(line);
		if (*text == '[')
			ours = is_label(text, label);
		else if (ours && *text != '\0' && *text != '#' &&
			 strncmp(text, "ident ", 6) != 0 &&
			 set_variable(text) != 0)
			r = -1;
	}
	return ferror(f) ? -1 : r;
}

int tuxreadenv(char *file, char *label)
{
	FILE *f;
	int r;

	if (file == NULL)
		file = (char *)ow_variable("ENVFILE");
	if (file == NULL || *file == '\0')
		return 0;
	f = fopen(file, "re");
	if (f == NULL)
		return -1;
	r = read_lines(f, label);
	fclose(f);
	return r;
}
