/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration.c - say what configurations have that is different here
 *
 * A UBBCONFIG is imported, and the lines of the report are told that are to be looked
 * at or have no counterpart; an ndrxconfig.xml is loaded, and its notices are told.
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

bool ow_scan_is_ubbconfig(const char *text)
{
	const char *at = strstr(text, "*RESOURCES");

	return at != NULL && (at == text || at[-1] == '\n');
}

bool ow_scan_is_xml(const char *text)
{
	return strstr(text, "<endurox") != NULL;
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

size_t ow_scan_ubbconfig(struct ow_args *a, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) char *report = NULL;
	char *line, *rest;
	size_t n = 0;

	if (ow_import_look(a, path, &report) != 0 || report == NULL)
		return 1; /* the reason was printed */
	for (line = strtok_r(report, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		n += tell(path, line);
	return n;
}

size_t ow_scan_xml(const char *path)
{
	OW_CLEANUP(ow_config_freep) struct ow_config *config = NULL;
	struct ow_config_error err;
	size_t i;

	if (ow_config_load(path, &err, &config) != 0) {
		ow_print(stdout, "%s\n", err.text);
		return 1;
	}
	for (i = 0; i < config->n_notices; i++)
		ow_print(stdout, "%s\n", config->notices[i]);
	return config->n_notices;
}
