/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - match a text with a POSIX extended regular expression
 *
 * Most patterns are a word, with "^", "$" or ".*" at the ends. The word is
 * compared by hand, at a fraction of what regexec() costs, when that cannot
 * make a difference: it is ASCII, and so is every byte that could be mistaken
 * for one of it (single-byte locales and UTF-8). ".*" before or behind a word
 * that is not anchored there matches whatever there is, so it goes. All other
 * patterns are for regexec().
 */
#include "libubf/regex/match.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bytes_are_safe(void)
{
	return MB_CUR_MAX == 1 || strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int is_special(char c)
{
	return strchr(".[]\\()*+?{}|^$", c) != NULL;
}

/* Copy the word at the beginning of a pattern; bytes of the pattern read, or
 * -1 if it does not fit. */
static int take_word(const char *p, struct ow_expr_match *m)
{
	int i = 0;

	for (m->len = 0; p[i] != '\0'; i++) {
		if (p[i] == '\\' && p[i + 1] != '\0' && is_special(p[i + 1]))
			i++;
		else if (is_special(p[i]))
			break;
		if ((unsigned char)p[i] >= 0x80 ||
		    m->len == sizeof(m->u.literal))
			return -1;
		m->u.literal[m->len++] = p[i];
	}
	return i;
}

/* Whether the pattern is a word; m is filled in then. */
static int is_word(const char *p, struct ow_expr_match *m)
{
	int from_start = *p == '^', n;

	p += from_start;
	if (!from_start && strncmp(p, ".*", 2) == 0)
		p += 2;
	n = take_word(p, m);
	if (n < 0)
		return 0;
	p += n;
	if (strcmp(p, "$") == 0)
		m->how = from_start ? OW_EXPR_M_EQUAL : OW_EXPR_M_SUFFIX;
	else if (*p == '\0' || strcmp(p, ".*") == 0)
		m->how = from_start ? OW_EXPR_M_PREFIX : OW_EXPR_M_CONTAINS;
	else
		return 0;
	return 1;
}

int ow_expr_match_compile(struct ow_expr_match *m, const char *pattern,
			  char *error, size_t size)
{
	int r;

	if (bytes_are_safe() && is_word(pattern, m))
		return 0;
	if (ow_expr_match_too_large(pattern)) {
		snprintf(error, size, "its repetitions make it too large");
		return -EINVAL;
	}
	r = regcomp(&m->u.re, pattern, REG_EXTENDED | REG_NOSUB);
	m->how = r == 0 ? OW_EXPR_M_REGEX : 0;
	if (r == 0)
		return 0;
	regerror(r, &m->u.re, error, size);
	return r == REG_ESPACE ? -ENOMEM : -EINVAL;
}

void ow_expr_match_close(struct ow_expr_match *m)
{
	if (m->how == OW_EXPR_M_REGEX)
		regfree(&m->u.re);
	m->how = 0;
}

static int run_regex(const struct ow_expr_match *m, const char *s, size_t len)
{
	regmatch_t span = { .rm_so = 0, .rm_eo = (regoff_t)len };
	int r = regexec(&m->u.re, s, 0, &span, REG_STARTEND);

	return r == 0 ? 1 : r == REG_NOMATCH ? 0 : -ENOMEM;
}

int ow_expr_match_run(const struct ow_expr_match *m, const char *s, size_t len)
{
	const char *word = m->u.literal;

	if (m->how == OW_EXPR_M_REGEX)
		return run_regex(m, s, len);
	if (len < m->len)
		return 0;
	switch (m->how) {
	case OW_EXPR_M_PREFIX:
		return memcmp(s, word, m->len) == 0;
	case OW_EXPR_M_SUFFIX:
		return memcmp(s + len - m->len, word, m->len) == 0;
	case OW_EXPR_M_EQUAL:
		return len == m->len && memcmp(s, word, m->len) == 0;
	default:
		/* Where it mostly is, if it is there at all. */
		return memcmp(s, word, m->len) == 0 ||
		       memmem(s, len, word, m->len) != NULL;
	}
}
