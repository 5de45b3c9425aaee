/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - lines of text from a file or a function, one line ahead
 */
#ifndef OW_UBF_LINES_H
#define OW_UBF_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Fill up to `bufsz` bytes; returns how many, 0 at the end, negative on
 * error. */
typedef long ow_lines_read(char *buffer, long bufsz, void *arg);

struct ow_lines {
	ow_lines_read *read;
	void *arg;
	char *buf;
	size_t cap, from, to;	/* bytes from..to are not yet used */
	size_t len;		/* of the current line, at `from` */
	int have;		/* there is a current line */
	unsigned int lineno;	/* its number */
	bool stops;		/* an empty line ends the text */
	bool over;		/* it has come */
};

/* The current line, its newline replaced by NUL; it stays the same until
 * ow_lines_take(). 1 a line, 0 the end, -EBADMSG (no newline at the end, or a
 * NUL), -EIO, -ENOMEM. */
int ow_lines_peek(struct ow_lines *l, char **ret_line);
/* Go on to the next line. The text of this one stays valid until the next
 * ow_lines_peek(). */
void ow_lines_take(struct ow_lines *l);
void ow_lines_close(struct ow_lines *l);
/* An ow_lines_read over a FILE. */
long ow_lines_from_file(char *buffer, long bufsz, void *file);
/* The same, not beyond the end of the line. */
long ow_lines_one_from_file(char *buffer, long bufsz, void *file);

#endif
