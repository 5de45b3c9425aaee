/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - split a text into words, with quotes and backslashes
 */
#include "libatmi/base/words.h"

#include <errno.h>
#include <string.h>

static bool separates(const struct ow_words *w, char c)
{
	return c != '\0' && strchr(w->separators, c) != NULL;
}

bool ow_words_skip(const struct ow_words *w, const char **pos)
{
	const char *p = *pos + strspn(*pos, w->separators);

	*pos = p;
	return *p != '\0' && (w->comment == '\0' || *p != w->comment);
}

/* Does the backslash at `p` make the next character plain? */
static bool escapes(const struct ow_words *w, const char *p, char quote)
{
	enum ow_words_backslash rule = quote == '\0'   ? w->outside
				       : quote == '\'' ? w->in_single
						       : w->in_double;

	if (rule == OW_WORDS_PLAIN || p[1] == '\0')
		return false;
	if (rule == OW_WORDS_ESCAPE_QUOTE)
		return p[1] == quote;
	return rule == OW_WORDS_ESCAPE || strchr("\"\\$`", p[1]) != NULL;
}

int ow_words_take(const struct ow_words *w, const char **pos, char *buf,
		  size_t size)
{
	const char *p = *pos;
	char quote = '\0';
	size_t used = 0;

	if (size == 0)
		return -E2BIG;
	for (; *p != '\0' && (quote != '\0' || !separates(w, *p)); p++) {
		if (quote == '\0' && (*p == '"' || *p == '\'')) {
			quote = *p;
			continue;
		}
		if (*p == quote) {
			quote = '\0';
			continue;
		}
		if (*p == '\\' && escapes(w, p, quote))
			p++;
		else if (*p == '\\' && p[1] == '\0' && quote == '\0' &&
			 w->strict_end)
			return OW_WORDS_BACKSLASH;
		if (used + 1 >= size)
			return -E2BIG;
		buf[used++] = *p;
	}
	if (quote != '\0' && !w->open_quote)
		return OW_WORDS_QUOTE;
	buf[used] = '\0';
	*pos = p;
	return 0;
}

int ow_words_split(const struct ow_words *w, const char *text, char *buf,
		   size_t size, char **argv, size_t max, int *ret_argc)
{
	const char *end = buf + size;
	size_t n = 0;
	int r;

	if (strlen(text) >= size)
		return -E2BIG;
	while (ow_words_skip(w, &text)) {
		if (n + 1 >= max)
			return -E2BIG;
		r = ow_words_take(w, &text, buf, (size_t)(end - buf));
		if (r != 0)
			return r;
		argv[n++] = buf;
		buf += strlen(buf) + 1;
	}
	argv[n] = NULL;
	*ret_argc = (int)n;
	return 0;
}
