/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration.c - say what configurations have that is different here
 *
 * A UBBCONFIG or DMCONFIG is imported, and the lines of the report are told that are
 * to be looked at or have no counterpart; an ndrxconfig.xml is loaded, and its notices are told.
 */
#include "clients/xadmin/scan/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"
#include "libndrx/config/config.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/printable.h"
#include "libubf/base/variable.h"

/* The first line that is neither empty nor a comment. */
static const char *first_line(const char *text)
{
	while (*text != '\0') {
		text += strspn(text, " \t\r\n");
		if (*text != '#')
			break;
		text += strcspn(text, "\n");
	}
	return text;
}

bool ow_scan_is_ubbconfig(const char *text)
{
	return strncmp(first_line(text), "*RESOURCES", 10) == 0;
}

bool ow_scan_is_dmconfig(const char *text)
{
	return strncmp(first_line(text), "*DM_", 4) == 0;
}

bool ow_scan_is_xml(const char *text)
{
	return text[strspn(text, " \t\r\n\xef\xbb\xbf")] == '<' &&
	       strstr(text, "<endurox") != NULL;
}

/* A line of the report, "GRADE LINE SECTION NAME: TEXT", of a grade that matters. */
static size_t tell(const char *path, char *line)
{
	char *end, *rest;
	long number;

	if (strncmp(line, "look", 4) != 0 && strncmp(line, "none", 4) != 0)
		return 0;
	if (strstr(line, ": not needed") != NULL)
		return 0;
	number = strtol(line + 5, &end, 10);
	for (rest = end; isspace((unsigned char)*rest);)
		rest++;
	ow_print(stdout, "%s:%ld: %s\n", path, number, rest);
	return 1;
}

static size_t tell_all(const char *path, char *report)
{
	char *line, *rest;
	size_t n = 0;

	for (line = strtok_r(report, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		n += tell(path, line);
	return n;
}

size_t ow_scan_ubbconfig(struct ow_args *a, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) char *report = NULL;

	if (ow_import_look(a, path, &report) != 0 || report == NULL)
		return 1; /* the reason was printed */
	return tell_all(path, report);
}

size_t ow_scan_dmconfig(const char *path, const char *text)
{
	OW_CLEANUP(ow_cleanup_freep) char *report = NULL;
	unsigned int counts[OW_IMPORT_GRADES] = { 0 };
	struct ow_remotes *r = NULL;
	char why[OW_UBB_WHY];
	size_t len;
	FILE *out;

	if (ow_remotes_read(text, &r, why) != 0) {
		ow_print(stdout, "%s:%s\n", path, why);
		return 1;
	}
	out = open_memstream(&report, &len);
	if (out != NULL) {
		ow_remotes_put_report(r, out, counts);
		fclose(out);
	}
	ow_remotes_free(r);
	return report != NULL ? tell_all(path, report) : 1;
}

/* A domain has variables that a scan does not have: give those that are missing a
 * value, each another one, or the file could not be read. `ret_names`: those,
 * separated by blanks. */
static void set_variables(const char *text, FILE *ret_names)
{
	unsigned int value = 1;
	char name[64], number[16];
	const char *at;
	size_t n;

	for (at = strstr(text, "${"); at != NULL; at = strstr(at, "${")) {
		at += 2;
		n = strcspn(at, "}=");
		if (n == 0 || n >= sizeof(name) || at[n] != '}')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		snprintf(number, sizeof(number), "%u", value++);
		if (ow_variable(name) == NULL && setenv(name, number, 0) == 0)
			fprintf(ret_names, "%s ", name);
	}
}

/* At the prompt other commands follow, which are of the user's domain. */
static void unset_variables(char *names)
{
	char *name, *rest;

	for (name = strtok_r(names, " ", &rest); name != NULL;
	     name = strtok_r(NULL, " ", &rest))
		unsetenv(name);
}

size_t ow_scan_xml(const char *path, const char *text)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	OW_CLEANUP(ow_cleanup_freep) char *names = NULL;
	struct ow_config_error err;
	size_t i, len;
	FILE *list = open_memstream(&names, &len);
	int r;

	if (list == NULL)
		return 1;
	set_variables(text, list);
	fclose(list);
	r = ow_config_load(path, &err, &config);
	unset_variables(names);
	if (r != 0) {
		ow_print(stdout, "%s\n", err.text);
		return 1;
	}
	for (i = 0; i < config->n_notices; i++)
		ow_print(stdout, "%s\n", config->notices[i]);
	return config->n_notices;
}
