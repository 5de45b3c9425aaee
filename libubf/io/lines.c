/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - lines of text from a file or a function, one line ahead
 */
#include "libubf/io/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libubf/base/uncancelled.h"

#define CHUNK 4096

/* Read more bytes behind those not yet used; 1, 0 at the end, -errno. */
static int more(struct ow_lines *l)
{
	size_t have = l->to - l->from;
	char *buf;
	long n;

	if (l->from > 0 && have > 0)
		memmove(l->buf, l->buf + l->from, have);
	l->from = 0;
	l->to = have;
	if (l->cap - have < CHUNK) {
		buf = realloc(l->buf, 2 * l->cap + CHUNK);
		if (buf == NULL)
			return -ENOMEM;
		l->buf = buf;
		l->cap = 2 * l->cap + CHUNK;
	}
	n = l->read(l->buf + l->to, CHUNK, l->arg);
	if (n < 0 || n > CHUNK)
		return -EIO;
	/* Functions of programs may give strings and count the NUL. */
	if (n > 0 && l->buf[l->to + (size_t)n - 1] == '\0')
		n--;
	l->to += (size_t)n;
	return n > 0;
}

/* Find the next newline, reading until there is one; 1, 0 or -errno. */
static int find_end(struct ow_lines *l)
{
	size_t seen = 0, have;
	char *line = NULL, *end;
	int r;

	for (;;) {
		have = l->to - l->from;
		end = NULL;
		if (have > seen) {
			line = l->buf + l->from;
			end = memchr(line + seen, '\n', have - seen);
		}
		if (end != NULL) {
			l->len = (size_t)(end - line);
			return 1;
		}
		seen = have;
		r = more(l);
		if (r < 0)
			return r;
		if (r == 0 && seen != 0 && l->read != ow_lines_from_file) {
			/* The last line of a program's function. */
			l->len = seen;
			l->to++;
			return 1;
		}
		if (r == 0)
			return seen == 0 ? 0 : -EBADMSG;
	}
}

int ow_lines_peek(struct ow_lines *l, char **ret_line)
{
	int r;

	if (!l->have) {
		l->lineno++;
		r = find_end(l);
		if (r <= 0)
			return r;
		if (memchr(l->buf + l->from, '\0', l->len) != NULL)
			return -EBADMSG;
		l->buf[l->from + l->len] = '\0';
		l->have = 1;
	}
	*ret_line = l->buf + l->from;
	return 1;
}

void ow_lines_take(struct ow_lines *l)
{
	l->from += l->len + 1;
	l->have = 0;
}

void ow_lines_close(struct ow_lines *l)
{
	free(l->buf);
	*l = (struct ow_lines){ 0 };
}

long ow_lines_one_from_file(char *buffer, long bufsz, void *file)
{
	OW_UNCANCELLED;
	long n = 0;
	int c = 0;

	while (n < bufsz && c != '\n' && (c = getc(file)) != EOF)
		buffer[n++] = (char)c;
	return n == 0 && ferror((FILE *)file) ? -1 : n;
}

long ow_lines_from_file(char *buffer, long bufsz, void *file)
{
	OW_UNCANCELLED;
	size_t n = fread(buffer, 1, (size_t)bufsz, file);

	return n == 0 && ferror((FILE *)file) ? -1 : (long)n;
}
