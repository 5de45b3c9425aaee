/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmdline.c - a command line put together from quoted texts
 *
 * Programs are started without a shell, so that nothing in the configuration
 * is expanded or executed by accident; the quoting users know is done here.
 */
#include "libndrx/config/cmdline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As a shell quotes, without its expansions; in '...' \' is a quote. */
static const struct ow_words dialect = {
	.separators = " \t\n\v\f\r",
	.strict_end = true,
	.outside = OW_WORDS_ESCAPE,
	.in_single = OW_WORDS_ESCAPE_QUOTE,
	.in_double = OW_WORDS_ESCAPE_SPECIAL,
};

static int reserve(struct ow_cmdline *cmd)
{
	size_t cap;
	char **argv;

	if (cmd->argc >= OW_CMDLINE_WORDS)
		return OW_CMDLINE_LONG;
	if (cmd->argc + 2 <= cmd->cap)
		return 0;
	cap = cmd->cap == 0 ? 16 : cmd->cap * 2;
	argv = realloc(cmd->argv, cap * sizeof(*argv));
	if (argv == NULL)
		return -ENOMEM;
	cmd->argv = argv;
	cmd->cap = cap;
	return 0;
}

int ow_cmdline_add(struct ow_cmdline *cmd, const char *word)
{
	char *copy;
	int r = reserve(cmd);

	if (r != 0)
		return r;
	copy = strdup(word);
	if (copy == NULL)
		return -ENOMEM;
	cmd->argv[cmd->argc++] = copy;
	cmd->argv[cmd->argc] = NULL;
	return 0;
}

static void truncate_to(struct ow_cmdline *cmd, size_t argc)
{
	while (cmd->argc > argc) {
		free(cmd->argv[--cmd->argc]);
		cmd->argv[cmd->argc] = NULL;
	}
}

int ow_cmdline_split(struct ow_cmdline *cmd, const char *text)
{
	size_t size, argc = cmd->argc;
	char *word;
	int r = 0;

	if (text == NULL)
		return 0;
	size = strlen(text) + 1;
	word = malloc(size);
	if (word == NULL)
		return -ENOMEM;
	while (r == 0 && ow_words_skip(&dialect, &text)) {
		r = ow_words_take(&dialect, &text, word, size);
		if (r == 0)
			r = ow_cmdline_add(cmd, word);
	}
	free(word);
	if (r != 0)
		truncate_to(cmd, argc);
	return r;
}

int ow_cmdline_dashes(const char *text, const char **ret_begin,
		      const char **ret_behind)
{
	size_t size = strlen(text) + 1;
	char *word = malloc(size);
	const char *begin = text;
	bool found = false;
	int r = 0;

	if (word == NULL)
		return -ENOMEM;
	while (r == 0 && !found && ow_words_skip(&dialect, &text)) {
		begin = text;
		r = ow_words_take(&dialect, &text, word, size);
		found = r == 0 && strcmp(word, "--") == 0;
	}
	free(word);
	if (r != 0)
		return r;
	*ret_begin = found ? begin : text;
	*ret_behind = text;
	return 0;
}

const char *ow_cmdline_strresult(int result)
{
	static const char *const texts[] = {
		[0] = "is well quoted",
		[OW_CMDLINE_QUOTE] =
		    ("has a quote that is not closed; close it, or write \\' "
		     "or \\\" for the character"),
		[OW_CMDLINE_BACKSLASH] =
		    "ends in a backslash; write \\\\ for the character",
		[OW_CMDLINE_LONG] = "has too many words; at most 65536",
	};

	if (result < 0 || result > OW_CMDLINE_LONG)
		return "cannot be split into words";
	return texts[result];
}

void ow_cmdline_clear(struct ow_cmdline *cmd)
{
	truncate_to(cmd, 0);
	free(cmd->argv);
	memset(cmd, 0, sizeof(*cmd));
}
