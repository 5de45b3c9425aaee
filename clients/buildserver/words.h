/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - the command line that a build makes, word by word
 *
 * Words are copied. Running out of memory ends the program: it has nothing to
 * put in order.
 */
#ifndef OW_BUILD_WORDS_H
#define OW_BUILD_WORDS_H

#include <stddef.h>

struct words {
	char **list; /* NULL behind the last one */
	size_t n;
};

void words_add(struct words *w, const char *word);
/* Add prefix and text as one word. */
void words_add_joined(struct words *w, const char *prefix, const char *text);
/* Split as a shell does, without its expansions, and add each word: 0, or -1
 * after a message. NULL is no word. */
int words_add_text(struct words *w, const char *text);
void words_free(struct words *w);

#endif
