/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - names of files that complete a word of the prompt
 */
#ifndef OW_FILES_H
#define OW_FILES_H

#include <stddef.h>

#include "clients/xadmin/prompt/complete.h"

/* Where the last word of a line begins: after the last blank that is neither
 * quoted nor behind a backslash. */
size_t ow_files_word(const char *line);

/*
 * Call `fn` for each file whose name begins as the word does. The word stands
 * as it was typed, with quotes and backslashes, and so does the name; folders
 * end in a slash.
 */
void ow_files_complete(const char *word, ow_complete_fn *fn, void *arg);

#endif
