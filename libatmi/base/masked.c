/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masked.c - what may be a secret is not shown to who may only look
 */
#include "libatmi/base/masked.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/upper.h"

#define NAME_MAX_LEN 128

/* Parts of names, in capitals. */
static const char *const parts[] = {
	"PASS",	   "PWD",      "SECRET",    "TOKEN",   "CREDENTIAL", "APIKEY",
	"API_KEY", "API-KEY",  "PRIVATE",   "OPEN_STR", "CLOSE_STR",
	"OPENINFO", "CLOSEINFO", "CONNSTR", "DSN",	"NDRX_RNDK",
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_secret(const char *name, size_t len)
{
	char upper[NAME_MAX_LEN];
	size_t i;

	if (len >= sizeof(upper))
		len = sizeof(upper) - 1;
	for (i = 0; i < len; i++)
		upper[i] = ow_upper(name[i]);
	upper[len] = '\0';
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strstr(upper, parts[i]) != NULL)
			return true;
	return false;
}

bool ow_masked_name(const char *name)
{
	return is_secret(name, strlen(name));
}

/* ---- patterns: each takes what stands at `p` ---- */

#define WORD " \t\n,;|&<>\"'"
#define LINE "\n"

/* Behind a value: quoted (also as JSON and XML quote), or up to one of `ends`. */
static const char *end_of_value(const char *p, const char *ends,
				const char **ret_begin)
{
	static const char *const quotes[] = { "\\\"", "\"", "'", "&quot;" };
	const char *end;
	size_t i;

	*ret_begin = p;
	for (i = 0; i < sizeof(quotes) / sizeof(*quotes); i++) {
		if (strncmp(p, quotes[i], strlen(quotes[i])) != 0)
			continue;
		*ret_begin = p + strlen(quotes[i]);
		end = strstr(*ret_begin, quotes[i]);
		return end != NULL ? end : *ret_begin + strlen(*ret_begin);
	}
	return p + strcspn(p, ends);
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* NAME=VALUE, also as ini files may have it, with blanks; no comparison. NULL: none. */
static const char *assigned(const char *p, const char *ends, const char **ret)
{
	p = skip_blanks(p);
	if (p[0] != '=' || p[1] == '=')
		return NULL;
	return end_of_value(skip_blanks(p + 1), ends, ret);
}

/* Behind the text of an element, with its CDATA sections and comments. */
static const char *end_of_text(const char *p)
{
	const char *close;

	for (p += strcspn(p, "<"); *p != '\0'; p += strcspn(p, "<")) {
		if (strncmp(p, "<![CDATA[", 9) == 0)
			close = "]]>";
		else if (strncmp(p, "<!--", 4) == 0)
			close = "-->";
		else
			return p;
		p = strstr(p, close) != NULL ? strstr(p, close) + 3
					     : p + strlen(p);
	}
	return p;
}

/* name="NAME" ...>VALUE<, from the quote on. NULL: none. */
static const char *in_element(const char *p, const char **ret)
{
	const char *last;

	if (*p != '"' && *p != '\'')
		return NULL;
	p += 1 + strspn(p + 1, " \t\r\n");
	if (isalpha((unsigned char)*p)) { /* more attributes */
		last = p += strcspn(p, "<>");
		while (isspace((unsigned char)last[-1]))
			last--;
		if (last[-1] != '"' && last[-1] != '\'')
			return NULL;
	}
	if (*p != '>')
		return NULL;
	*ret = p + 1;
	return end_of_text(*ret);
}

/* NAME=VALUE and --NAME VALUE: behind the value, whose begin is *ret. `first`: of a
 * line, which may be one of an ini file, or of variables: the rest is the value. */
static const char *named(const char *p, bool first, const char **ret)
{
	const char *end = p;

	while (is_name_char(*end))
		end++;
	if (end == p || !is_secret(p, (size_t)(end - p)))
		return NULL;
	if (assigned(end, WORD, ret) != NULL)
		return assigned(end, first ? LINE : WORD, ret);
	if (*p == '-' && *end == ' ')
		return end_of_value(end + 1, WORD, ret);
	return in_element(end, ret);
}

/* //USER:PASSWORD@ */
static const char *in_url(const char *p, const char **ret)
{
	const char *colon, *at;

	if (strncmp(p, "//", 2) != 0)
		return NULL;
	p += 2;
	at = p + strcspn(p, "@/ \t\n\"'<>");
	colon = memchr(p, ':', (size_t)(at - p));
	if (*at != '@' || colon == NULL)
		return NULL;
	*ret = colon + 1;
	return at;
}

/* Acc=P/USER/PASSWORD+ */
static const char *in_open_string(const char *p, const char **ret)
{
	if (strncasecmp(p, "acc=p/", 6) != 0)
		return NULL;
	*ret = p + 6;
	return *ret + strcspn(*ret, "+ \t\n\"'<>");
}

/* Is only a mark of a comment, or "export", before `p` in its line? */
static bool is_first(const char *line, const char *p)
{
	static const char word[] = "export";

	line += strspn(line, " \t#;");
	if (strncmp(line, word, sizeof(word) - 1) == 0 &&
	    (line[sizeof(word) - 1] == ' ' || line[sizeof(word) - 1] == '\t'))
		line = skip_blanks(line + sizeof(word) - 1);
	return line >= p;
}

char *ow_masked(const char *text)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);
	const char *p = text, *line = text, *value = NULL, *end, *last;
	bool begins = true; /* of a name */

	if (f == NULL)
		return NULL;
	while (*p != '\0') {
		end = begins ? named(p, is_first(line, p), &value) : NULL;
		if (end == NULL)
			end = in_url(p, &value);
		if (end == NULL && begins)
			end = in_open_string(p, &value);
		begins = !is_name_char(*p);
		if (end == NULL) {
			putc(*p++, f);
			if (p[-1] == '\n')
				line = p;
			continue;
		}
		fwrite(p, 1, (size_t)(value - p), f);
		if (end > value)
			fputs(OW_MASKED, f);
		last = memrchr(p, '\n', (size_t)(end - p));
		if (last != NULL)
			line = last + 1;
		p = end;
		begins = true;
	}
	if (fclose(f) == 0)
		return out;
	free(out);
	return NULL;
}

bool ow_masked_words(pid_t pid)
{
	static const char mark[] = OW_MASKED_WORDS "=1";
	char path[40], *line = NULL;
	size_t size = 0;
	bool is = true, any = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && !(any && is) &&
	       getdelim(&line, &size, '\0', f) > 0) {
		is = strcmp(line, mark) == 0;
		any = true;
	}
	if (line != NULL)
		explicit_bzero(line, size);
	free(line);
	if (f != NULL)
		fclose(f);
	return is;
}
