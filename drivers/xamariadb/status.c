/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - the text of SHOW ENGINE INNODB STATUS
 */
#include "drivers/xamariadb/status.h"

#include <stdio.h>
#include <string.h>

/* A block of InnoDB's text is one transaction. "(PREPARED)" stands in its first
 * line, the connection in another; that of a connection that has ended has
 * none. */
bool status_has_prepared(const char *text, uint64_t connection)
{
	const char *block = strstr(text, "---TRANSACTION "), *next, *state;
	const char *line;
	char owner[48];

	snprintf(owner, sizeof(owner), "MariaDB thread id %llu,",
		 (unsigned long long)connection);
	/* More than a megabyte is cut in the middle of the list: nobody knows
	 * what was there. */
	if (strstr(text, "... truncated...") != NULL)
		return true;
	for (; block != NULL; block = next) {
		next = strstr(block + 3, "---TRANSACTION ");
		state = strstr(block, "(PREPARED)");
		line = strstr(block, owner);
		if (state != NULL && line != NULL &&
		    (next == NULL || (state < next && line < next)))
			return true;
	}
	return false;
}
