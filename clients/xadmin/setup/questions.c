/* SPDX-License-Identifier: Apache-2.0 */
/*
 * questions.c - values of a command that are given by -vNAME=VALUE, or asked
 */
#include "clients/xadmin/setup/questions.h"

#include <stdio.h>
#include <string.h>

/* The value of -vNAME=VALUE, or NULL. */
static const char *given(const struct ow_args *a, const char *name)
{
	size_t n = strlen(name);
	int i;

	for (i = a->n_opts - 1; i >= 0; i--)
		if (a->opts[i].opt == 'v' &&
		    strncmp(a->opts[i].value, name, n) == 0 &&
		    a->opts[i].value[n] == '=')
			return a->opts[i].value + n + 1;
	return NULL;
}

/* All names, for a message. */
static void join_names(const struct ow_question *q, size_t n, char *to,
		       size_t size)
{
	size_t i, len = 0;

	to[0] = '\0';
	for (i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(to + len, size - len, "%s%s",
					i > 0 ? " " : "", q[i].name);
}

static bool is_known(const struct ow_question *q, size_t n, const char *v)
{
	size_t i, len = strcspn(v, "=");

	for (i = 0; i < n && v[len] == '='; i++)
		if (strlen(q[i].name) == len && strncmp(v, q[i].name, len) == 0)
			return true;
	return false;
}

int ow_questions_check(const struct ow_args *a, const struct ow_question *q,
		       size_t n)
{
	char names[256];
	int i;

	for (i = 0; i < a->n_opts; i++) {
		if (a->opts[i].opt != 'v' || is_known(q, n, a->opts[i].value))
			continue;
		join_names(q, n, names, sizeof(names));
		return ow_cmd_misused(a, "-v%s: give NAME=VALUE, NAME one of "
				      "%s", a->opts[i].value, names);
	}
	return OW_EXIT_OK;
}

/* Ask until the answer is valid. An exit code. */
static int ask(const struct ow_args *a, const struct ow_question *q,
	       char *text)
{
	char line[OW_ANSWER_LEN];
	const char *bad;

	for (;;) {
		fprintf(stderr, "%s [%s]: ", q->text, text);
		if (fgets(line, sizeof(line), stdin) == NULL) {
			putc('\n', stderr);
			return ow_cmd_fail(a, "not done (-d takes defaults)");
		}
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '\0')
			return OW_EXIT_OK;
		bad = q->bad(line);
		if (bad == NULL) {
			snprintf(text, OW_ANSWER_LEN, "%s", line);
			return OW_EXIT_OK;
		}
		fprintf(stderr, "%s: %s\n", line, bad);
	}
}

int ow_questions_take(const struct ow_args *a, const struct ow_question *q,
		      char *text)
{
	const char *value = given(a, q->name), *bad;

	if (value == NULL)
		return ow_args_has(a, 'd') ? OW_EXIT_OK : ask(a, q, text);
	bad = q->bad(value);
	if (bad != NULL || strlen(value) >= OW_ANSWER_LEN)
		return ow_cmd_misused(a, "-v%s=%s: %s", q->name, value,
				      bad != NULL ? bad : "is too long");
	strcpy(text, value);
	return OW_EXIT_OK;
}
