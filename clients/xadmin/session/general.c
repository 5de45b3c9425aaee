/* SPDX-License-Identifier: Apache-2.0 */
/*
 * general.c - commands that concern xadmin itself
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ndrx_config.h>

#include "clients/xadmin/command/commands.h"
#include "clients/xadmin/command/elsewhere.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"

static void print_names(const struct ow_cmd *c)
{
	char names[64];

	snprintf(names, sizeof(names), "%s%s%s%s%s", c->name,
		 c->alias != NULL ? ", " : "",
		 c->alias != NULL ? c->alias : "",
		 c->alias2 != NULL ? ", " : "",
		 c->alias2 != NULL ? c->alias2 : "");
	printf("  %-18s %s\n", names, c->brief);
}

static void print_list(void)
{
	const char *group = "";
	size_t i;

	for (i = 0; i < ow_commands_count; i++) {
		const struct ow_cmd *c = &ow_commands[i];

		if (strcmp(group, c->group) != 0)
			printf("%s%s\n", i > 0 ? "\n" : "", c->group);
		group = c->group;
		print_names(c);
	}
	printf("\n`help COMMAND` explains one; listings take --json, --csv,\n"
	       "--watch and --wide.\n");
}

int ow_general_help(struct ow_args *a)
{
	char synopsis[OW_SYNOPSIS_LEN];
	const struct ow_cmd *c;

	if (a->n_rest == 0) {
		print_list();
		return OW_EXIT_OK;
	}
	c = ow_cmd_find(a->rest[0]);
	if (c == NULL && ow_elsewhere(a->rest[0]) != NULL) {
		ow_cmd_fail(a, "%s: %s", a->rest[0], ow_elsewhere(a->rest[0]));
		return OW_EXIT_UNKNOWN;
	}
	if (c == NULL) {
		c = ow_cmd_suggest(a->rest[0]);
		ow_cmd_fail(a, "%s: unknown command%s%s", a->rest[0],
			    c != NULL ? ", did you mean " : "",
			    c != NULL ? c->name : "");
		return OW_EXIT_UNKNOWN;
	}
	printf("%s\n  %s\n", ow_args_synopsis(c, synopsis, sizeof(synopsis)),
	       c->brief);
	if (c->alias != NULL)
		printf("  Also: %s%s%s\n", c->alias,
		       c->alias2 != NULL ? ", " : "",
		       c->alias2 != NULL ? c->alias2 : "");
	if (c->help != NULL)
		printf("\n%s\n", c->help);
	if (c->example != NULL)
		printf("\nExample:\n  %s\n", c->example);
	return OW_EXIT_OK;
}

int ow_general_quit(struct ow_args *a)
{
	a->x->quit = true;
	return OW_EXIT_OK;
}

int ow_general_echo(struct ow_args *a)
{
	int i;

	for (i = 0; i < a->n_rest; i++)
		printf("%s%s", i > 0 ? " " : "", a->rest[i]);
	putchar('\n');
	return OW_EXIT_OK;
}

int ow_general_version(struct ow_args *a)
{
	(void)a;
	printf("Onewake %s, an ATMI server runtime for Linux\n", NDRX_VERSION);
	printf("tables layout %u, built with %s\n", OW_TABLES_VERSION,
	       __VERSION__);
	return OW_EXIT_OK;
}

int ow_general_poller(struct ow_args *a)
{
	(void)a;
	printf("epoll\n");
	return OW_EXIT_OK;
}

int ow_general_pmode(struct ow_args *a)
{
	(void)a;
	printf("NDRX_VERSION=%s\n", NDRX_VERSION);
	printf("poller=epoll\n");
	printf("transports=posix,shm\n");
	printf("wake=bell,even,exclusive,herd,hot\n");
	printf("OW_TABLES_VERSION=%u\n", OW_TABLES_VERSION);
	printf("OW_SRV_MAX=%u\n", OW_SRV_MAX);
	printf("OW_SVC_MAX=%u\n", OW_SVC_MAX);
	printf("OW_CLT_MAX=%u\n", OW_CLT_MAX);
	printf("OW_ADV_MAX=%u\n", OW_ADV_MAX);
	printf("OW_PREFIX_MAX=%u\n", OW_PREFIX_MAX);
	printf("OW_RX_SIZE=%u\n", OW_RX_SIZE);
	return OW_EXIT_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int ow_general_printenv(struct ow_args *a)
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
		printf("%s\n", sorted[i]);
	free(sorted);
	return OW_EXIT_OK;
}

/* `set N=V`, with or without blanks around the sign. */
int ow_general_set(struct ow_args *a)
{
	char text[OW_WORDS_LEN] = "", *value;
	size_t len = 0;
	int i;

	for (i = 0; i < a->n_rest && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
					i > 0 ? " " : "", a->rest[i]);
	value = strchr(text, '=');
	if (value == NULL || value == text || len >= sizeof(text))
		return ow_cmd_misused(a, "want NAME=VALUE");
	*value++ = '\0';
	text[strcspn(text, " ")] = '\0';
	value += a->n_rest > 1 ? strspn(value, " ") : 0;
	setenv(text, value, 1);
	return OW_EXIT_OK;
}

int ow_general_unset(struct ow_args *a)
{
	if (a->n_rest != 1 || unsetenv(a->rest[0]) != 0)
		return ow_cmd_misused(a, "want the NAME of one variable");
	return OW_EXIT_OK;
}
