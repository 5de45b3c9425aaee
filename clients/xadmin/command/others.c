/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others.c - commands of other runtimes that xadmin does not have
 *
 * Operators and scripts still type them. A suggestion of a command with a
 * similar name would be wrong.
 */
#include "clients/xadmin/command/others.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *names; /* each between blanks */
	const char *why;
} commands[] = {
	{ " cd cachedump ", "`cacheshow` lists services whose replies are "
			    "kept; single replies are not shown" },
	{ " gen ", "there are no generators; `provision` makes a domain, "
		   "`import ubbconfig` a configuration" },
};

const char *ow_command_of_others(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || strchr(name, ' ') != NULL)
		return NULL;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *at = commands[i].names;

		while ((at = strstr(at, name)) != NULL) {
			if (at[-1] == ' ' && at[len] == ' ')
				return commands[i].why;
			at += len;
		}
	}
	return NULL;
}
