/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optscan.c - the options of a command line, one after the other
 */
#include "libatmi/base/optscan.h"

#include <stddef.h>
#include <string.h>

/* The letter in `known`, or NULL. A colon is no letter. */
static const char *find(const struct ow_optscan *s)
{
	return s->letter == ':' ? NULL : strchr(s->known, s->letter);
}

static enum ow_optscan_result take_letter(struct ow_optscan *s)
{
	const char *row;

	s->letter = *s->rest++;
	if (*s->rest == '\0')
		s->rest = NULL;
	row = find(s);
	if (row == NULL)
		return OW_OPTSCAN_UNKNOWN;
	if (row[1] != ':')
		return OW_OPTSCAN_OPTION;
	/* The rest of this argument, or the next argument. */
	s->value = s->rest;
	s->rest = NULL;
	if (s->value == NULL && s->at < s->argc)
		s->value = s->argv[s->at++];
	return s->value != NULL ? OW_OPTSCAN_OPTION : OW_OPTSCAN_NO_VALUE;
}

enum ow_optscan_result ow_optscan_next(struct ow_optscan *s)
{
	const char *arg;

	s->value = NULL;
	s->letter = '\0';
	if (s->rest != NULL)
		return take_letter(s);
	if (s->at >= s->argc)
		return OW_OPTSCAN_END;
	arg = s->argv[s->at++];
	if (strcmp(arg, "--") == 0)
		return OW_OPTSCAN_END;
	if (arg[0] != '-' || arg[1] == '\0') {
		s->value = arg;
		return OW_OPTSCAN_WORD;
	}
	s->rest = arg + 1;
	return take_letter(s);
}
