/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - split a text into words, with quotes and backslashes
 *
 * Four kinds of text are split by these functions: debug strings (env.c),
 * NDRX_SVCLOPT (libatmisrv/options.c), command lines of the configuration
 * (libndrx/config/cmdline.c), and command lines of xadmin. Common to all: a
 * word ends at a separator outside of quotes; '...' and "..." may begin in
 * the middle of a word; '' is an empty word. A struct ow_words says what
 * differs. Nothing is expanded.
 */
#ifndef OW_WORDS_H
#define OW_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* What a backslash does. */
enum ow_words_backslash {
	OW_WORDS_PLAIN = 0, /* it is a character like any other */
	OW_WORDS_ESCAPE,    /* it makes the next character plain */
	OW_WORDS_ESCAPE_SPECIAL, /* the same, before " \ $ and ` only */
	OW_WORDS_ESCAPE_QUOTE,   /* the same, before the quote itself only */
};

/* The dialect of one kind of text. */
struct ow_words {
	const char *separators;
	char comment; /* begins a comment where a word could begin; 0: none */
	bool open_quote; /* a quote that is not closed ends with the text */
	bool strict_end; /* a backslash outside of quotes as the last
			  * character is an error; else it is plain */
	enum ow_words_backslash outside, in_single, in_double;
};

enum ow_words_result {
	OW_WORDS_QUOTE = 1, /* a quote is not closed */
	OW_WORDS_BACKSLASH, /* the text ends in a backslash (strict_end) */
};

/* Move *pos over separators to the next word. False: there is none. */
bool ow_words_skip(const struct ow_words *w, const char **pos);

/*
 * Copy the word at *pos to `buf`, quotes and backslashes resolved, and move
 * *pos to the separator behind it. A word is never longer than its source.
 * 0, QUOTE, BACKSLASH, or -E2BIG: `buf` is too small; *pos stays then.
 */
int ow_words_take(const struct ow_words *w, const char **pos, char *buf,
		  size_t size);

/*
 * Split all of `text`. The words lie in `buf`, which must have room for
 * strlen(text) + 1 bytes; argv has room for `max` pointers and is
 * NULL-terminated. 0, QUOTE, BACKSLASH, or -E2BIG: more than max - 1 words,
 * or `buf` is too small.
 */
int ow_words_split(const struct ow_words *w, const char *text, char *buf,
		   size_t size, char **argv, size_t max, int *ret_argc);

#endif
