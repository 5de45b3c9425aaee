/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - quit, echo, printenv, set, unset: the session of xadmin itself
 */
#include "clients/xadmin/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/masked.h"
#include "libubf/base/cconfig.h"

int ow_session_quit(struct ow_args *a)
{
	a->x->quit = true;
	return OW_EXIT_OK;
}

int ow_session_echo(struct ow_args *a)
{
	int i;

	for (i = 0; i < a->n_rest; i++)
		printf("%s%s", i > 0 ? " " : "", a->rest[i]);
	putchar('\n');
	return OW_EXIT_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What was encrypted is not shown. */
static void print_variable(const char *setting)
{
	size_t len = strcspn(setting, "=");
	char *name = strndup(setting, len);

	if (name == NULL || ow_cconfig_is_hidden(name))
		printf("%.*s=" OW_MASKED "\n", (int)len, setting);
	else
		printf("%s\n", setting);
	free(name);
}

int ow_session_printenv(struct ow_args *a)
{
	size_t i, n = 0;
	char **sorted;

	(void)a;
	while (environ[n] != NULL)
		n++;
	sorted = calloc(n + 1, sizeof(*sorted));
	if (sorted == NULL)
		return ow_cmd_fail(a, "no memory");
	memcpy(sorted, environ, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_text);
	for (i = 0; i < n; i++)
		print_variable(sorted[i]);
	free(sorted);
	return OW_EXIT_OK;
}

/* NAME=VALUE, with or without blanks around the sign. */
int ow_session_set(struct ow_args *a)
{
	char text[OW_WORDS_LEN] = "", *value;
	size_t len = 0;
	int i;

	for (i = 0; i < a->n_rest && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
					i > 0 ? " " : "", a->rest[i]);
	value = strchr(text, '=');
	if (value == NULL || value == text || len >= sizeof(text))
		return ow_cmd_misused(a, "give NAME=VALUE");
	*value++ = '\0';
	text[strcspn(text, " ")] = '\0';
	value += a->n_rest > 1 ? strspn(value, " ") : 0;
	setenv(text, value, 1);
	return OW_EXIT_OK;
}

int ow_session_unset(struct ow_args *a)
{
	if (a->n_rest != 1 || unsetenv(a->rest[0]) != 0)
		return ow_cmd_misused(a, "give the NAME of one variable");
	return OW_EXIT_OK;
}
