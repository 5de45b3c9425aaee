/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmdline.h - a command line put together from quoted texts
 *
 * The rules are a shell's, without its expansions: white space separates
 * words; '...' is literal; in "..." a backslash escapes " \ $ and `; outside
 * of quotes a backslash escapes the next character; '' is an empty word.
 */
#ifndef OW_CMDLINE_H
#define OW_CMDLINE_H

#include <stddef.h>

#include "libatmi/base/words.h"

enum ow_cmdline_result {
	OW_CMDLINE_QUOTE = OW_WORDS_QUOTE,
	OW_CMDLINE_BACKSLASH = OW_WORDS_BACKSLASH,
	OW_CMDLINE_LONG,      /* more than OW_CMDLINE_WORDS words */
};

#define OW_CMDLINE_WORDS 65536

/* All zero: an empty command line. */
struct ow_cmdline {
	char **argv; /* NULL-terminated once something was added */
	size_t argc;
	size_t cap;
};

/* Append `word` as it is, whatever it contains. 0, LONG or -ENOMEM. */
int ow_cmdline_add(struct ow_cmdline *cmd, const char *word);

/* Append the words of `text` (may be NULL); on failure nothing is added. */
int ow_cmdline_split(struct ow_cmdline *cmd, const char *text);

/* Where the first word -- of `text` begins, and what is behind it; without one
 * both are the end of `text`. 0, QUOTE, BACKSLASH or -ENOMEM. */
int ow_cmdline_dashes(const char *text, const char **ret_begin,
		      const char **ret_behind);

/* Half a sentence for a positive result. */
const char *ow_cmdline_strresult(int result);

/* Leaves an empty command line. */
void ow_cmdline_clear(struct ow_cmdline *cmd);

#endif
