/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes.c - http import: routes, fields and views of a description of an interface
 *
 * The gate for HTTP knows descriptions (OpenAPI): it is the program that does it, and
 * writes to the folder where xadmin is. It is there where it was built.
 */
#include "clients/xadmin/import/import.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/command/command.h"
#include "clients/xadmin/list/list.h"

/* The gate in the folder of this xadmin; without one there, that of PATH. */
static void find_gate(char *exe, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", exe, size - 1);
	char *slash;

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash != NULL && size - (size_t)(slash - exe) > sizeof("/httpgate"))
		strcpy(slash, "/httpgate");
	if (access(exe, X_OK) != 0)
		strcpy(exe, "httpgate");
}

static int import_description(struct ow_args *a)
{
	char exe[PATH_MAX], *file = a->rest[1];
	char *number = a->n_rest > 2 ? a->rest[2] : NULL;
	char *words[] = { exe, (char *)"import", file, number, NULL };
	int status = 0;
	pid_t pid;

	find_gate(exe, sizeof(exe));
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return ow_cmd_fail(a, "%s", strerror(errno));
	if (pid == 0) {
		execvp(exe, words);
		fprintf(stderr, "xadmin: http import: httpgate is not here (%s): it is "
			"of the package onewake-httpgate\n", strerror(errno));
		_exit(OW_EXIT_FAILED);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : OW_EXIT_FAILED;
}

int ow_import_http(struct ow_args *a)
{
	if (a->n_rest == 0)
		return ow_list_http(a);
	if (strcmp(a->rest[0], "import") != 0)
		return ow_cmd_misused(a, "\"%s\": give import FILE [NUMBER], or "
				      "nothing for the routes", a->rest[0]);
	if (a->n_rest < 2)
		return ow_cmd_misused(a, "import: give the file of a description "
				      "(OpenAPI 3, YAML or JSON)");
	return import_description(a);
}
