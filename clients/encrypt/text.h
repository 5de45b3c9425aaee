/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - what exencrypt and exdecrypt have in common: their text
 */
#ifndef OW_ENCRYPT_TEXT_H
#define OW_ENCRYPT_TEXT_H

#define TEXT_SIZE 4096 /* bytes of a plain text, with its NUL */

/* The limits of what is made of it: 16 + TEXT_SIZE + 32 bytes as base64. */
#define TEXT_ENCRYPTED ((16 + TEXT_SIZE + 16 + 32) / 3 * 4 + 8)

struct text_program {
	const char *name, *help;
	const char *question; /* at a terminal */
	const char *again;    /* to be typed a second time; NULL: not */
};

/* The text of the command line, or of the standard input, in `buf`: -1, with
 * room for TEXT_ENCRYPTED + 1 bytes. Else the exit status, after a message or
 * help. */
int text_read(const struct text_program *p, int argc, char **argv, char *buf);
/* Print it as a line: the exit status, after a message if it was not written. */
int text_print(const struct text_program *p, const char *text);
/* Exit status 1, after the message of a call that failed. */
int text_fail(const struct text_program *p);

#endif
