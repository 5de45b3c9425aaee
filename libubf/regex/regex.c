/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - a POSIX extended regular expression, compiled
 *
 * Most patterns are a word, with "^", "$" or ".*" at the ends. Comparing the
 * word costs a fraction of regexec(). That is done where it gives the same
 * result: the word is ASCII, and the locale's encoding is UTF-8 or of single
 * bytes, so that no byte of another character looks like one of the word.
 * ".*" before or behind a word without an anchor there matches anything, so it
 * is left out. All other patterns go to regexec().
 */
#include "libubf/regex/regex.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/regex/guard.h"

static int bytes_are_safe(void)
{
	return MB_CUR_MAX == 1 || strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static int is_special(char c)
{
	return strchr(".[]\\()*+?{}|^$", c) != NULL;
}

/* Copy the word at the beginning of a pattern; returns the bytes of the pattern
 * read, or -1 if the word does not fit or is not ASCII. */
static int take_word(const char *p, struct ow_regex *re)
{
	int i = 0;

	for (re->len = 0; p[i] != '\0'; i++) {
		if (p[i] == '\\' && p[i + 1] != '\0' && is_special(p[i + 1]))
			i++;
		else if (is_special(p[i]))
			break;
		if ((unsigned char)p[i] >= 0x80 ||
		    re->len == sizeof(re->u.word))
			return -1;
		re->u.word[re->len++] = p[i];
	}
	return i;
}

/* Whether the pattern is a word; if so, re is filled in. */
static int is_word(const char *p, struct ow_regex *re)
{
	int from_start = *p == '^', n;

	p += from_start;
	if (!from_start && strncmp(p, ".*", 2) == 0)
		p += 2;
	n = take_word(p, re);
	if (n < 0)
		return 0;
	p += n;
	if (strcmp(p, "$") == 0)
		re->how = from_start ? OW_REGEX_EQUAL : OW_REGEX_SUFFIX;
	else if (*p == '\0' || strcmp(p, ".*") == 0)
		re->how = from_start ? OW_REGEX_PREFIX : OW_REGEX_CONTAINS;
	else
		return 0;
	return 1;
}

int ow_regex_compile(struct ow_regex *re, const char *pattern, char *error,
		     size_t size)
{
	const char *refusal;
	int r;

	if (bytes_are_safe() && is_word(pattern, re))
		return 0;
	refusal = ow_regex_refusal(pattern);
	if (refusal != NULL) {
		snprintf(error, size, "%s", refusal);
		return -EINVAL;
	}
	r = regcomp(&re->u.posix, pattern, REG_EXTENDED | REG_NOSUB);
	re->how = r == 0 ? OW_REGEX_POSIX : 0;
	if (r == 0)
		return 0;
	regerror(r, &re->u.posix, error, size);
	return r == REG_ESPACE ? -ENOMEM : -EINVAL;
}

void ow_regex_close(struct ow_regex *re)
{
	if (re->how == OW_REGEX_POSIX)
		regfree(&re->u.posix);
	re->how = 0;
}

static int run_regex(const struct ow_regex *re, const char *s, size_t len)
{
	regmatch_t span = { .rm_so = 0, .rm_eo = (regoff_t)len };
	int r = regexec(&re->u.posix, s, 0, &span, REG_STARTEND);

	return r == 0 ? 1 : r == REG_NOMATCH ? 0 : -ENOMEM;
}

int ow_regex_run(const struct ow_regex *re, const char *s, size_t len)
{
	const char *word = re->u.word;

	if (re->how == OW_REGEX_POSIX)
		return run_regex(re, s, len);
	if (len < re->len)
		return 0;
	switch (re->how) {
	case OW_REGEX_PREFIX:
		return memcmp(s, word, re->len) == 0;
	case OW_REGEX_SUFFIX:
		return memcmp(s + len - re->len, word, re->len) == 0;
	case OW_REGEX_EQUAL:
		return len == re->len && memcmp(s, word, re->len) == 0;
	default:
		/* If the word is there, it is mostly at the beginning. */
		return memcmp(s, word, re->len) == 0 ||
		       memmem(s, len, word, re->len) != NULL;
	}
}
