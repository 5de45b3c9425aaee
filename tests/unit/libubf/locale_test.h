/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locale_test.h - a locale whose numbers have a comma
 *
 * One of the system, or one made by localedef, if there is that command.
 */
#ifndef OW_UBF_LOCALE_TEST_H
#define OW_UBF_LOCALE_TEST_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COMMA_LOCALE "de_DE.UTF-8"

/* Set the locale until comma_locale_end(): 1, or 0 if there is none. */
static inline int comma_locale_begin(void)
{
	char folder[] = "/tmp/ow-locale-XXXXXX", command[256];

	if (setlocale(LC_NUMERIC, COMMA_LOCALE) != NULL)
		return 1;
	if (mkdtemp(folder) == NULL)
		return 0;
	snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 "
		 "%s/" COMMA_LOCALE " >/dev/null 2>&1", folder);
	if (system(command) == 0)
		setenv("LOCPATH", folder, 1);
	command[0] = setlocale(LC_NUMERIC, COMMA_LOCALE) != NULL;
	unsetenv("LOCPATH");
	snprintf(command + 1, sizeof(command) - 1, "rm -rf %s", folder);
	return system(command + 1) == 0 && command[0];
}

static inline void comma_locale_end(void)
{
	setlocale(LC_NUMERIC, "C");
}

#endif
