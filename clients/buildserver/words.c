/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - the command line that a build makes, word by word
 */
#include "clients/buildserver/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/words.h"
#include "libubf/base/cleanup.h"

/* As `p`, or the end of the program. */
static void *must(void *p)
{
	if (p != NULL)
		return p;
	fputs("out of memory\n", stderr);
	exit(1);
}

static void keep(struct words *w, char *word)
{
	w->list = must(realloc(w->list, (w->n + 2) * sizeof(*w->list)));
	w->list[w->n++] = word;
	w->list[w->n] = NULL;
}

void words_add(struct words *w, const char *word)
{
	keep(w, must(strdup(word)));
}

void words_add_joined(struct words *w, const char *prefix, const char *text)
{
	char *word = must(malloc(strlen(prefix) + strlen(text) + 1));

	strcpy(word, prefix);
	strcat(word, text);
	keep(w, word);
}

int words_add_text(struct words *w, const char *text)
{
	static const struct ow_words dialect = {
		.separators = " \t\r\n",
		.outside = OW_WORDS_ESCAPE,
		.in_double = OW_WORDS_ESCAPE,
	};
	OW_CLEANUP(ow_cleanup_freep) char *buf = NULL;

	if (text == NULL)
		return 0;
	buf = must(malloc(strlen(text) + 1));
	while (ow_words_skip(&dialect, &text)) {
		if (ow_words_take(&dialect, &text, buf, strlen(text) + 1)) {
			fprintf(stderr, "a quote is not closed: %s\n", text);
			return -1;
		}
		words_add(w, buf);
	}
	return 0;
}

void words_free(struct words *w)
{
	while (w->n > 0)
		free(w->list[--w->n]);
	free(w->list);
	w->list = NULL;
}
